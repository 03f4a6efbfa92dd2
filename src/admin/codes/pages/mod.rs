//! Pages of a program's codes: the list, new ones, the file of all.

mod form;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use self::form::{CodeLimitForm, CodesForm};
use crate::{
    accounts::AdminAccount,
    admin::{codes, pages::saved, programs::pages::edition_of},
    app::App,
    catalog::{Program, ProgramId, ScheduleEdition, ScheduleId, list_schedule_editions},
    entry_queue::{AccessGate, AccessGateId, list_access_gates},
    infra::postgres::page::{After, PAGE_ROWS, Page},
    reservation::codes::{
        model::{CodeWord, SaleCode, SaleCodeId},
        store::edits,
    },
    text::times::{rfc3339_in, zone},
    web::{
        error::PageError,
        files::download::{CHUNK_ROWS, csv},
        flash::with_message,
        form::{Body, FormRefusal},
        page::{Empty, View},
    },
};

/// Columns of the CSV file.
const COLUMNS: &[&str] = &[
    "code",
    "is_access",
    "percent",
    "amount",
    "valid_from",
    "valid_until",
    "uses_max",
    "places_max",
    "uses_per_account_max",
    "schedule_id",
    "section",
    "gate_id",
    "uses",
    "places",
    "created_at",
    "withdrawn_at",
];

#[derive(Template)]
#[template(path = "admin/codes.html")]
struct CodesPage {
    v: View,
    edition: Program,
    schedules: Vec<ScheduleEdition>,
    codes: Page<SaleCode>,
    gates: Vec<AccessGate>,
    form: CodesForm,
    refusal: FormRefusal,
}

impl CodesPage {
    async fn of(
        app: &App,
        v: View,
        edition: Program,
        after: Option<Uuid>,
    ) -> Result<Self, PageError> {
        let codes = edits::list(&app.db, edition.id, after, PAGE_ROWS + 1).await?;
        Ok(Self {
            v,
            schedules: list_schedule_editions(&app.db, edition.id).await?,
            gates: list_access_gates(&app.db, edition.id).await?,
            edition,
            codes: Page::cut(codes, |code| code.id.0),
            form: CodesForm::default(),
            refusal: FormRefusal::default(),
        })
    }

    /// Returns the discount of a code, in words.
    fn off(&self, code: &SaleCode) -> String {
        match (code.percent, code.amount) {
            _ if code.is_access => self.v.t("admin-code-access").to_string(),
            (Some(percent), _) => format!("{percent}%"),
            (None, amount) => self.v.price(amount.unwrap_or_default().get()),
        }
    }

    /// Returns the limits of a code's validity, in words.
    fn limits(&self, code: &SaleCode) -> String {
        let moment = |at| self.v.moment(at, &self.edition.time_zone);
        let start = |id: &ScheduleId| {
            let schedule = self.schedules.iter().find(|schedule| schedule.id == *id);
            schedule.map(|each| self.v.moment(&each.starts_at, &each.time_zone))
        };
        let gate = |id: AccessGateId| {
            let gate = self.gates.iter().find(|gate| gate.id == id)?;
            let text = self.v.t("admin-code-gate-terms").word("when", moment(&gate.opens_at));
            Some(text.number("count", gate.capacity).to_string())
        };
        let own = code.uses_per_account_max;
        let parts = [
            code.valid_from
                .as_ref()
                .map(|at| self.v.t("admin-code-from").word("when", moment(at)).to_string()),
            code.valid_until
                .as_ref()
                .map(|at| self.v.t("admin-code-until").word("when", moment(at)).to_string()),
            own.map(|own| self.v.t("admin-code-each").number("count", own).to_string()),
            code.schedule_id.as_ref().and_then(start),
            code.section.clone(),
            code.gate_id.and_then(gate),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }
}

fn codes_path(id: ProgramId) -> String {
    format!("/admin/programs/{id}/codes")
}

/// Page of the codes of a show.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CodesDocument<'a> {
    codes: &'a [SaleCode],
    next: Option<Uuid>,
}

/// `GET /admin/programs/{id}/codes`
pub async fn list_codes(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
    query: Query<After>,
) -> Result<HttpResponse, PageError> {
    let edition = edition_of(&app, *id).await?;
    let page = CodesPage::of(&app, me.view, edition, query.after).await?;
    let document = CodesDocument { codes: &page.codes.rows, next: page.codes.next };
    Ok(page.v.show(&page, &document))
}

/// Words of the codes that were made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NewCodesDocument {
    codes: Vec<CodeWord>,
}

/// `POST /admin/programs/{id}/codes`
pub async fn create_codes(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
    Body(form): Body<CodesForm>,
) -> Result<HttpResponse, PageError> {
    let edition = edition_of(&app, *id).await?;
    let made = async {
        let (words, new) = form.parse(zone(&edition.time_zone))?;
        codes::make(&app, me.account_id, *id, &words, &new).await?;
        Ok(NewCodesDocument { codes: words })
    }
    .await;
    let done = |v: &View, made| {
        with_message(v.done(StatusCode::CREATED, &made, &codes_path(*id)), "flash-admin-saved")
    };
    let page = async |v, refusal| {
        let page = CodesPage { form, refusal, ..CodesPage::of(&app, v, edition, None).await? };
        Ok(page.v.html(page.refusal.status(), &page))
    };
    me.view.answer(made, done, page).await
}

/// `POST /admin/programs/{id}/codes/{code_id}/limit`
pub async fn update_limit(
    app: Data<App>,
    me: AdminAccount,
    ids: Path<(ProgramId, SaleCodeId)>,
    Body(form): Body<CodeLimitForm>,
) -> Result<HttpResponse, PageError> {
    let (id, code_id) = *ids;
    let outcome =
        async { Ok(codes::limit(&app, me.account_id, id, code_id, form.parse()?).await?) }.await;
    answer(&app, me.view, id, outcome).await
}

/// `POST /admin/programs/{id}/codes/{code_id}/withdrawal`
pub async fn create_withdrawal(
    app: Data<App>,
    me: AdminAccount,
    ids: Path<(ProgramId, SaleCodeId)>,
) -> Result<HttpResponse, PageError> {
    let (id, code_id) = *ids;
    let outcome = codes::withdraw(&app, me.account_id, id, code_id).await;
    answer(&app, me.view, id, outcome.map_err(PageError::from)).await
}

async fn answer(
    app: &App,
    v: View,
    id: ProgramId,
    outcome: Result<(), PageError>,
) -> Result<HttpResponse, PageError> {
    let page = async |v, refusal: FormRefusal| {
        let mut page = CodesPage::of(app, v, edition_of(app, id).await?, None).await?;
        page.refusal = refusal.in_words(&page.v);
        Ok(page.v.html(page.refusal.status(), &page))
    };
    v.answer(outcome, |v, ()| saved(v, &Empty {}, &codes_path(id)), page).await
}

/// `GET /admin/programs/{id}/codes.csv`
pub async fn download_codes(
    app: Data<App>,
    _: AdminAccount,
    id: Path<ProgramId>,
) -> Result<HttpResponse, PageError> {
    let program = edition_of(&app, *id).await?;
    let name = format!("{}-codes", program.details.slug);
    let (db, clock) = (app.db.clone(), program.time_zone);
    csv(&name, COLUMNS.iter().copied(), move |after| {
        let (db, clock) = (db.clone(), zone(&clock));
        async move {
            let codes = edits::list(&db, program.id, after, CHUNK_ROWS).await?;
            let moment = |at: Option<_>| at.map(|at| rfc3339_in(at, clock)).unwrap_or_default();
            let number = |number: Option<i32>| number.map(|n| n.to_string()).unwrap_or_default();
            let cells_of = |code: SaleCode| {
                let cells = vec![
                    code.word.to_string(),
                    code.is_access.to_string(),
                    number(code.percent),
                    code.amount.map(|amount| amount.get().to_string()).unwrap_or_default(),
                    moment(code.valid_from),
                    moment(code.valid_until),
                    number(code.uses_max),
                    number(code.places_max),
                    number(code.uses_per_account_max),
                    code.schedule_id.map(|id| id.to_string()).unwrap_or_default(),
                    code.section.unwrap_or_default(),
                    code.gate_id.map(|id| id.to_string()).unwrap_or_default(),
                    code.uses.to_string(),
                    number(code.places),
                    moment(Some(code.created_at)),
                    moment(code.withdrawn_at),
                ];
                (code.id.0, cells)
            };
            Ok(codes.into_iter().map(cells_of).collect())
        }
    })
    .await
}
