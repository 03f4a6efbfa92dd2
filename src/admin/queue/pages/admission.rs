//! Admission of one account before its turn.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{answer, documents::AdmissionDocument};
use crate::{
    accounts::{AdminAccount, Email},
    admin::{
        pages::parse_reason,
        queue::{self, store},
    },
    app::App,
    catalog::{ProgramId, Programs},
    web::{
        error::{NotFound, PageError},
        form::{Body, Field, Mistakes},
    },
};

/// Form that admits one account past the queue.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["who", "reason"]))]
pub struct LetInForm {
    /// Number in the queue, or email address.
    who: Field,
    /// Reason, for the log.
    reason: Field,
}

/// `POST /admin/programs/{id}/queue/admissions`
pub async fn create_admission(
    app: Data<App>,
    programs: Data<Programs>,
    me: AdminAccount,
    id: Path<ProgramId>,
    form: Body<LetInForm>,
) -> Result<HttpResponse, PageError> {
    let program = programs.find(&app, &id.to_string()).await?.ok_or(NotFound)?;
    let mut mistakes = Mistakes::default();
    let reason = parse_reason(&mut mistakes, &form.0.reason);
    let who = &form.0.who;
    let email = Email::parse(who.text());
    let email = email.as_ref().map(Email::as_str);
    let found = store::find_waiting(&app.db, *id, who.parse(), email).await?;
    let found = mistakes.note("who", "admin-refusal-waiting", found);
    let outcome = async {
        let (account_id, reason) = mistakes.or(found.zip(reason))?;
        let queue_number =
            queue::let_in(&app, me.account_id, &program, account_id, &reason).await?;
        Ok(AdmissionDocument { queue_number })
    }
    .await;
    answer(&app, me.view, *id, outcome).await
}
