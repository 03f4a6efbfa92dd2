//! The door of a performance: who stands inside its waiting room.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, cookie::Cookie};

use crate::{
    accounts::AccountId,
    app::App,
    catalog::{Program, Programs, Schedule, ScheduleId},
    entry_queue::{self, QueueError, Stay},
    web::error::{NotFound, PageError},
};

/// A performance and the program it belongs to.
#[derive(Clone, Debug)]
pub(super) struct Performance {
    pub(super) schedule: Schedule,
    pub(super) program: Arc<Program>,
}

impl Performance {
    /// The performance `id`, unless its program is not shown.
    pub(super) async fn find(
        app: &App,
        programs: &Programs,
        id: ScheduleId,
    ) -> Result<Self, PageError> {
        let schedule = programs.performance(app, id).await?.ok_or(NotFound)?;
        let name = schedule.program_id.to_string();
        let program = programs.find(app, &name).await?.ok_or(NotFound)?;
        Ok(Self { schedule, program })
    }

    /// Lets `account_id` in when they are inside and no pass in `request` says otherwise.
    pub(super) async fn admit(
        &self,
        app: &App,
        request: &HttpRequest,
        account_id: AccountId,
    ) -> Result<Admitted, QueueError> {
        let stay = entry_queue::require_stay(app, account_id, &self.program).await?;
        let pass = entry_queue::check_pass(request, app, &stay, &self.program)?;
        Ok(Admitted { stay, pass })
    }
}

/// Somebody who is inside.
#[derive(Debug)]
pub(super) struct Admitted {
    pub(super) stay: Stay,
    /// For a browser that has none.
    pass: Option<Cookie<'static>>,
}

impl Admitted {
    /// Hands out the pass with an answer.
    pub(super) fn stamp(&self, mut answer: HttpResponse) -> HttpResponse {
        if let Some(pass) = &self.pass {
            // A cookie of ours always is a valid header.
            let _ = answer.add_cookie(pass);
        }
        answer
    }
}
