//! Publication of a draft, with a question before one without a waiting room.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{answer, edition_of};
use crate::{
    accounts::{AdminAccount, api_keys::pages::ProgramsWriter},
    admin::{pages::parse_version, programs},
    app::App,
    catalog::{Program, ProgramChange, ProgramId, ProgramStatus},
    web::{
        error::PageError,
        form::{Body, Field, Mistakes},
        page::{View, see_other},
    },
};

#[derive(Template)]
#[template(path = "admin/publication.html")]
struct PublicationPage {
    v: View,
    edition: Program,
}

fn publication_path(id: ProgramId) -> String {
    format!("/admin/programs/{id}/publication")
}

/// Whether the program is a draft without a limit of people inside, whose publication asks first.
fn is_to_be_asked(edition: &Program) -> bool {
    edition.status == ProgramStatus::Draft && edition.details.queue_capacity.is_none()
}

/// Show before its publication.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PublicationDocument<'a> {
    program: &'a Program,
    /// Whether a limit of its waiting room was set.
    has_waiting_room: bool,
}

/// `GET /admin/programs/{id}/publication`
pub async fn show_publication(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
) -> Result<HttpResponse, PageError> {
    let edition = edition_of(&app, *id).await?;
    let has_waiting_room = !is_to_be_asked(&edition);
    let page = PublicationPage { v: me.view, edition };
    let document = PublicationDocument { program: &page.edition, has_waiting_room };
    Ok(page.v.show(&page, &document))
}

/// Form of the publication.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PublicationForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// Set by the question's answer: the program is published without a waiting room.
    is_open_house: Field,
}

impl PublicationForm {
    fn parse(&self) -> Result<(i64, bool), Mistakes> {
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        let is_open_house =
            mistakes.note("is_open_house", "admin-refusal-flag", self.is_open_house.flag());
        mistakes.or(version.zip(is_open_house))
    }
}

/// `POST /admin/programs/{id}/publication`: browsers are asked first where there is no waiting room.
pub async fn create_publication(
    app: Data<App>,
    me: ProgramsWriter,
    id: Path<ProgramId>,
    form: Body<PublicationForm>,
) -> Result<HttpResponse, PageError> {
    let v = me.view;
    let (version, is_open_house) = form.0.parse()?;
    if !v.format.is_for_programs()
        && !is_open_house
        && is_to_be_asked(&edition_of(&app, *id).await?)
    {
        return Ok(see_other(&publication_path(*id)));
    }
    let change = &ProgramChange::Published;
    let outcome = programs::change(&app, me.actor, *id, version, change, None).await;
    let outcome = outcome.map_err(PageError::from);
    answer(&app, v, *id, outcome, ("flash-admin-published", None)).await
}
