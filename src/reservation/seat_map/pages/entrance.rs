//! The door of a performance: who stands inside its waiting room.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, cookie::Cookie};

use crate::{
    accounts::AccountId,
    app::App,
    catalog::{Program, Programs, Schedule, ScheduleId},
    entry_queue::{self, EntryPass, QueueError, Stay},
    reservation::hold::limiter::ReservationState,
    web::error::{NotFound, PageError},
};

/// A performance and the program it belongs to.
#[derive(Clone, Debug)]
pub(crate) struct Performance {
    pub(crate) schedule: Schedule,
    pub(crate) program: Arc<Program>,
}

impl Performance {
    /// The performance `id`, unless its program is not shown.
    pub(crate) async fn find(
        app: &App,
        programs: &Programs,
        id: ScheduleId,
    ) -> Result<Self, PageError> {
        let schedule = programs.performance(app, id).await?.ok_or(NotFound)?;
        let name = schedule.program_id.to_string();
        let program = programs.find(app, &name).await?.ok_or(NotFound)?;
        Ok(Self { schedule, program })
    }

    /// The stay of `account_id`, of which a pass in `request` must speak.
    pub(crate) async fn admit(
        &self,
        app: &App,
        request: &HttpRequest,
        account_id: AccountId,
    ) -> Result<Admitted, QueueError> {
        let pass = entry_queue::shown_pass(request, app, account_id, &self.program)?;
        let stay = entry_queue::require_stay(app, account_id, &self.program, pass.as_ref()).await?;
        let new_pass = match pass {
            None => entry_queue::pass_cookies(app, request, &stay),
            Some(_) => Vec::new(),
        };
        Ok(Admitted { stay, new_pass })
    }

    /// What an order shows at the door: a pass, or else a stay that is looked up, so that
    /// nobody who waits gets as far as the locks. Either way the order's transaction
    /// looks at the stay once more.
    pub(crate) async fn enter(
        &self,
        app: &App,
        state: &ReservationState,
        request: &HttpRequest,
        account_id: AccountId,
    ) -> Result<EntryCheck, QueueError> {
        if let Some(pass) = entry_queue::shown_pass(request, app, account_id, &self.program)? {
            return Ok(EntryCheck::Pass(pass));
        }
        let _permit = state.acquire_permit().await?;
        self.admit(app, request, account_id).await.map(EntryCheck::Looked)
    }
}

/// How somebody came in with an order.
#[derive(Debug)]
pub(crate) enum EntryCheck {
    Pass(EntryPass),
    Looked(Admitted),
}

impl EntryCheck {
    /// The pass that was shown.
    pub(crate) fn pass(&self) -> Option<&EntryPass> {
        match self {
            Self::Pass(pass) => Some(pass),
            Self::Looked(_) => None,
        }
    }

    /// Hands out a pass where none was shown.
    pub(crate) fn stamp(&self, answer: HttpResponse) -> HttpResponse {
        match self {
            Self::Pass(_) => answer,
            Self::Looked(admitted) => admitted.stamp(answer),
        }
    }
}

/// Somebody who is inside.
#[derive(Debug)]
pub(crate) struct Admitted {
    pub(crate) stay: Stay,
    /// Cookies for a browser that has no pass.
    new_pass: Vec<Cookie<'static>>,
}

impl Admitted {
    /// Hands out the pass with an answer.
    pub(crate) fn stamp(&self, mut answer: HttpResponse) -> HttpResponse {
        for pass in &self.new_pass {
            // A cookie of ours always is a valid header.
            let _ = answer.add_cookie(pass);
        }
        answer
    }
}
