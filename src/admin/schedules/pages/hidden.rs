//! Form that hides a section or zone of a performance, or shows it again.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::edit;
use crate::{
    accounts::AdminAccount,
    admin::{
        pages::{parse_text, parse_version},
        schedules::{self, pages::documents::ChangedSeats},
    },
    app::App,
    catalog::ScheduleId,
    web::{
        error::PageError,
        form::{Body, Field, Mistakes},
    },
};

/// Bound on characters of a name.
const NAME_CHARS_MAX: usize = 100;

/// Section or zone, and whether it is to be hidden.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HiddenForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// Name of a section.
    section: Field,
    /// `hide` or `show`.
    act: Field,
}

impl HiddenForm {
    fn parse(&self) -> Result<(i64, (String, bool)), Mistakes> {
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        let section = parse_text(&self.section, 1, NAME_CHARS_MAX);
        let section = mistakes.note("section", "admin-refusal-code-section", section);
        let is_hidden = match self.act.text() {
            "hide" => Some(true),
            "show" => Some(false),
            _ => None,
        };
        let is_hidden = mistakes.note("act", "admin-refusal-act", is_hidden);
        mistakes.or(version.zip(section.zip(is_hidden)))
    }
}

/// `POST /admin/schedules/{id}/hidden-sections`
pub async fn update_hidden(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ScheduleId>,
    form: Body<HiddenForm>,
) -> Result<HttpResponse, PageError> {
    edit(&app, me, *id, form.0.parse(), async |change, (section, is_hidden)| {
        let outcome = schedules::hide_section(&app, change, &section, is_hidden).await;
        outcome.map(|changed| ChangedSeats { changed })
    })
    .await
}
