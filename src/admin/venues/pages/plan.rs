//! Seat plan pages of a venue: typed or uploaded, previewed, saved, and saved to a file.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    DRAWN_MAX, PlanDrawing, VenuePage,
    plan_form::{PlanForm, PlanText},
    sign_of, venue_path,
};
use crate::{
    accounts::AdminAccount,
    admin::{AdminError, venues},
    app::App,
    catalog::{SeatKind, SeatPlan, VenueEdition, VenueId, find_venue, list_seats},
    text::charset::Charset,
    web::{
        download::whole_csv,
        error::{HttpError, NotFound, PageError},
        flash::with_message,
        form::Body,
        page::View,
    },
};

#[derive(Template)]
#[template(path = "admin/plan.html")]
struct PlanPage {
    v: View,
    edition: VenueEdition,
    version: i64,
    plan: SeatPlan,
    drawing: Option<PlanDrawing>,
    /// Form that was sent; its text is sent again to be saved, so that the same plan is parsed of it.
    form: PlanForm,
}

/// Number of seats from which on the page says that saving takes a while.
const SLOW_SEATS_MIN: usize = 10_000;

impl PlanPage {
    /// Returns the charset of the file, if it is another one than UTF-8.
    fn other_charset(&self) -> Option<Charset> {
        Some(self.form.charset()).filter(|charset| *charset != Charset::Utf8)
    }

    fn is_slow(&self) -> bool {
        self.plan.seats().len() >= SLOW_SEATS_MIN
    }

    /// Returns the letter and the name of a marked kind.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "called from the template")]
    fn kind_name(&self, kind: &SeatKind) -> String {
        let name = kind.text_key().map(|key| self.v.text(key).to_string()).unwrap_or_default();
        format!("{} {name}", sign_of(*kind).unwrap_or_default())
    }
}

/// `GET /admin/venues/{id}/seats.csv`: the saved plan, in the form in which it is read.
pub(crate) async fn show_seats(
    app: Data<App>,
    _me: AdminAccount,
    id: Path<VenueId>,
) -> Result<HttpResponse, PageError> {
    find_venue(&app.db, *id).await?.ok_or(NotFound)?;
    let plan = SeatPlan::of(list_seats(&app.db, *id).await?);
    whole_csv("seats", plan.records())
}

/// Size of a seat plan.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PlanDocument<'a> {
    /// Number of seats.
    seats: usize,
    /// Sections, each with its number of seats.
    sections: Vec<(&'a str, usize)>,
    /// Marked kinds, each with its number of seats.
    kinds: Vec<(SeatKind, usize)>,
    /// Price categories, each with its number of seats, the frontmost first.
    categories: Vec<(&'a str, u32)>,
    /// Charset in which the text was read: `UTF-8`, `UTF-16` or `CP949`.
    charset: &'a str,
}

/// `POST /admin/venues/{id}/seats/preview`: shows the plan; nothing is saved.
pub(crate) async fn preview_seats(
    app: Data<App>,
    me: AdminAccount,
    id: Path<VenueId>,
    form: Body<PlanForm>,
) -> Result<HttpResponse, PageError> {
    let v = me.view;
    let edition = find_venue(&app.db, *id).await?.ok_or(NotFound)?;
    match form.0.parse() {
        Ok((version, plan)) => {
            let drawing = PlanDrawing::of(plan.seats());
            let form = form.0;
            let charset = form.charset();
            let page = PlanPage { v, edition, version, plan, drawing, form };
            let document = PlanDocument {
                seats: page.plan.seats().len(),
                sections: page.plan.sections(),
                kinds: page.plan.kinds(),
                categories: page.plan.categories(),
                charset: charset.as_ref(),
            };
            Ok(page.v.show(&page, &document))
        }
        Err(refusal) => refuse_plan(&app, v, *id, &form.0, refusal).await,
    }
}

/// `POST /admin/venues/{id}/seats`
pub(crate) async fn update_seats(
    app: Data<App>,
    me: AdminAccount,
    id: Path<VenueId>,
    form: Body<PlanForm>,
) -> Result<HttpResponse, PageError> {
    let v = me.view;
    let outcome = match form.0.parse() {
        Ok((version, plan)) => {
            venues::replace_seats(&app, me.account_id, *id, version, &plan).await
        }
        Err(refusal) => Err(refusal),
    };
    match outcome {
        Ok(saved) => {
            let next = venue_path(*id);
            Ok(with_message(v.done(StatusCode::OK, &saved, &next), "flash-admin-saved"))
        }
        Err(refusal) => refuse_plan(&app, v, *id, &form.0, refusal).await,
    }
}

/// Answers a refused plan: the venue's page with the typed plan and the line at fault.
async fn refuse_plan(
    app: &App,
    v: View,
    id: VenueId,
    form: &PlanForm,
    refusal: AdminError,
) -> Result<HttpResponse, PageError> {
    if !v.wants_form(&refusal) {
        return Err(refusal.into());
    }
    let mut page = VenuePage::of(app, v, id).await?;
    page.plan_refusal = Some(page.v.refusal(&refusal));
    page.meanwhile = refusal.meanwhile().to_vec();
    page.plan_form = form.clone();
    Ok(page.v.html(refusal.status(), &page))
}
