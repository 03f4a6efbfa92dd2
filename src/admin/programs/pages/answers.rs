//! Answers to the forms beside the program's own on its page.

use actix_web::{HttpResponse, http::StatusCode};

use super::{ProgramForm, edition_of, program_path, refuse};
use crate::{
    admin::AdminError,
    app::App,
    catalog::{ProgramEdition, ProgramId},
    web::{error::PageError, flash::with_message, page::View},
};

/// Answers an edit: with the message named `message`, or with the program's page and the reason of a refusal.
pub(super) async fn answer(
    app: &App,
    v: View,
    id: ProgramId,
    outcome: Result<ProgramEdition, AdminError>,
    message: &'static str,
) -> Result<HttpResponse, PageError> {
    match outcome {
        Ok(saved) => {
            let next = program_path(id);
            Ok(with_message(v.done(StatusCode::OK, &saved, &next), message))
        }
        Err(refusal) if v.wants_form(&refusal) => {
            let form = ProgramForm::of(&edition_of(app, id).await?);
            refuse(app, v, id, form, refusal).await
        }
        Err(failure) => Err(failure.into()),
    }
}
