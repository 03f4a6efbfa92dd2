//! Page that shows the terms of a code before an order, and the form that redeems an access code.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    find_usable,
    model::{CodeWord, SaleCode},
    redeem,
};
use crate::{
    accounts::{AccountId, CurrentAccount},
    app::App,
    catalog::{Programs, Schedule, ScheduleId},
    entry_queue::AccessGateId,
    points::Points,
    reservation::{
        codes::model::SaleCodeId,
        error::ReservationError,
        hold::pages::{form::HoldForm, refused::SentForm},
        seat_map::{
            maps::SeatMaps,
            pages::{ShownMap, entrance::Performance, reading::part_sent},
        },
    },
    web::{
        client,
        error::{NotFound, PageError},
        flash::with_message,
        form::{Body, Field, FormRefusal, Mistakes},
        limits::Limits,
    },
};

/// Counts a code that an account tries, right or wrong, by account and by network.
pub fn count_try(app: &App, request: &HttpRequest, account_id: AccountId) -> Result<(), PageError> {
    if let Some(limits) = request.app_data::<Data<Limits>>() {
        limits.codes.count(&account_id.0)?;
        limits.codes_of_network.count(&client::network(request, &app.config.trusted_proxies))?;
    }
    Ok(())
}

/// Returns the usable code of a form, whose word the forms of the map send again; `None` without
/// one.
pub async fn find_shown(app: &App, schedule: &Schedule, form: &HoldForm) -> Option<SaleCode> {
    find_usable(app, schedule, &form.word()?).await.ok()
}

/// Handles `POST /schedules/{id}/code`: shows the map with the code's terms, whose forms send the
/// code. An empty field removes the code. No hold is made and no use is taken.
pub async fn show_terms(
    app: Data<App>,
    maps: Data<SeatMaps>,
    programs: Data<Programs>,
    request: HttpRequest,
    id: Path<ScheduleId>,
    me: CurrentAccount,
    Body(form): Body<HoldForm>,
) -> Result<HttpResponse, PageError> {
    if form.has_code() {
        count_try(&app, &request, me.account_id)?;
    }
    let performance = Performance::find(&app, &programs, *id).await?;
    let admitted = performance.admit(&app, &request, me.account_id).await?;
    let map = async |code: Option<SaleCode>, refusal: Option<FormRefusal>| {
        let part = part_sent(&app, &maps, *id, &form).await?;
        let sent = SentForm { form: &form, code, reason: refusal.as_ref() };
        let shown =
            ShownMap { performance: &performance, admitted: &admitted, part, sent: Some(sent) };
        shown.read(&app, &maps, &me.view).await
    };
    let found = match (form.has_code(), form.word()) {
        (false, _) => Ok(None),
        (true, None) => Err(Mistakes::one("code", "reservation-refusal-code").into()),
        (true, Some(word)) => {
            let found = find_usable(&app, &performance.schedule, &word).await;
            found.map(Some).map_err(PageError::from)
        }
    };
    match me.view.or_refusal(found)? {
        Ok(code) if me.view.format.is_for_programs() => {
            Ok(me.view.json(StatusCode::OK, &code.map(TermsDocument::of).unwrap_or_default()))
        }
        Ok(code) => Ok(admitted.stamp(map(code, None).await?)),
        Err(refusal) => match refusal.find() {
            None | Some(ReservationError::Code(_)) => map(None, Some(refusal)).await,
            Some(_) => Err(refusal.into()),
        },
    }
}

/// Terms of a code; all null without one.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct TermsDocument {
    code: Option<CodeWord>,
    code_id: Option<SaleCodeId>,
    /// Percentage that it takes off.
    percent: Option<i32>,
    /// Points that it takes off.
    amount: Option<Points>,
    section: Option<String>,
    /// Only performance it is for; null for all.
    schedule_id: Option<ScheduleId>,
    /// Live reservations of one account that may have it; null for any number.
    uses_per_account_max: Option<i32>,
    /// Places that reservations may still have with it; null for any number.
    places_left: Option<i32>,
    valid_until: Option<DateTime<Utc>>,
}

impl TermsDocument {
    fn of(code: SaleCode) -> Self {
        Self {
            places_left: code.places_left(),
            code: Some(code.word),
            code_id: Some(code.id),
            percent: code.percent,
            amount: code.amount,
            section: code.section,
            schedule_id: code.schedule_id,
            uses_per_account_max: code.uses_per_account_max,
            valid_until: code.valid_until,
        }
    }
}

/// Form that redeems an access code.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["code"]))]
pub struct RedemptionForm {
    /// Access code.
    code: Field,
}

/// Section or access gate that a redeemed code opens.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RedemptionDocument {
    code: CodeWord,
    section: Option<String>,
    schedule_id: Option<ScheduleId>,
    gate_id: Option<AccessGateId>,
    valid_until: Option<DateTime<Utc>>,
}

/// Handles `POST /programs/{slug}/code-redemptions`.
pub async fn create_redemption(
    app: Data<App>,
    programs: Data<Programs>,
    request: HttpRequest,
    slug: Path<String>,
    me: CurrentAccount,
    Body(form): Body<RedemptionForm>,
) -> Result<HttpResponse, PageError> {
    count_try(&app, &request, me.account_id)?;
    let program = programs.find(&app, &slug).await?.ok_or(NotFound)?;
    let word: Option<CodeWord> = form.code.parse();
    let word = word.ok_or_else(|| Mistakes::one("code", "reservation-refusal-code"))?;
    let code = redeem(&app, me.account_id, program.id, &word).await?;
    let document = RedemptionDocument {
        code: code.word,
        section: code.section.clone(),
        schedule_id: code.schedule_id,
        gate_id: code.gate_id,
        valid_until: code.valid_until,
    };
    let answer =
        me.view.done(StatusCode::CREATED, &document, &format!("/programs/{}", program.slug));
    let message = match code.section {
        Some(_) => "flash-code-redeemed",
        None => "flash-code-redeemed-gate",
    };
    Ok(with_message(answer, message))
}
