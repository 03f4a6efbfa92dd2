//! Admission to a performance: checks that an account has a stay in its program.

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

/// Performance and its program.
#[derive(Clone, Debug)]
pub(crate) struct Performance {
    pub schedule: Schedule,
    pub program: Arc<Program>,
}

impl Performance {
    /// Finds the performance `id`; not found if its program is not shown.
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

    /// Returns the stay of `account_id`, which must match the pass in `request` if there is one. A
    /// cancelled performance is refused for every account.
    pub(crate) async fn admit(
        &self,
        app: &App,
        request: &HttpRequest,
        account_id: AccountId,
    ) -> Result<Admitted, QueueError> {
        if self.schedule.is_cancelled {
            return Err(QueueError::SaleClosed);
        }
        let pass = entry_queue::shown_pass(request, app, account_id, &self.program)?;
        let stay = entry_queue::require_stay(app, account_id, &self.program, pass.as_ref()).await?;
        let new_pass = match pass {
            None => entry_queue::pass_cookies(app, request, &stay),
            Some(_) => Vec::new(),
        };
        Ok(Admitted { stay, new_pass })
    }

    /// Checks a hold request before it takes locks: a pass suffices, otherwise the stay is read, so
    /// that accounts in the queue are refused early. The request's transaction checks the stay
    /// again in either case.
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
        let looked = state.permits.with(self.admit(app, request, account_id)).await;
        looked.map(EntryCheck::Looked)
    }
}

/// Result of the admission check of a hold request.
#[derive(Debug)]
pub(crate) enum EntryCheck {
    Pass(EntryPass),
    Looked(Admitted),
}

impl EntryCheck {
    /// Returns the pass sent with the request.
    pub(crate) fn pass(&self) -> Option<&EntryPass> {
        match self {
            Self::Pass(pass) => Some(pass),
            Self::Looked(_) => None,
        }
    }

    /// Adds a pass cookie if the request had no pass.
    pub(crate) fn stamp(&self, answer: HttpResponse) -> HttpResponse {
        match self {
            Self::Pass(_) => answer,
            Self::Looked(admitted) => admitted.stamp(answer),
        }
    }
}

/// Stay of an admitted account.
#[derive(Debug)]
pub struct Admitted {
    pub stay: Stay,
    /// Cookies for a browser without a pass.
    new_pass: Vec<Cookie<'static>>,
}

impl Admitted {
    /// Adds the new pass cookies to a response.
    pub(crate) fn stamp(&self, mut answer: HttpResponse) -> HttpResponse {
        for pass in &self.new_pass {
            // The cookies consist of valid header characters.
            let _ = answer.add_cookie(pass);
        }
        answer
    }
}
