//! HTTP pages through which a rehearsal makes and removes its stage.
//!
//! A deployment without a rehearsal token answers none of them. The token allows making and
//! removing throw-away programs and accounts, and nothing else: it gives no access to an account
//! that existed before.

use actix_web::{
    FromRequest, HttpRequest, HttpResponse,
    dev::Payload,
    http::StatusCode,
    web::{Data, Path},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::{error::FixtureError, fixtures};
use crate::{
    app::App,
    rehearsal::fixtures::model::ShopperAccount,
    web::{
        bearer::bears,
        client,
        error::{Internal, KitError, NotFound, PageError, codes},
        form::{Body, Field},
        limits::Limits,
        page,
        path::described::{AllowedBy, Described, Facts},
    },
};

/// Request with the deployment's rehearsal token. Wrong tokens count against the network's limit as
/// right ones do.
#[derive(Debug)]
pub(crate) struct RehearsalToken;

impl FromRequest for RehearsalToken {
    type Error = PageError;
    type Future = std::future::Ready<Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(let_in(request))
    }
}

impl Described for RehearsalToken {
    fn describe(facts: &mut Facts) {
        facts.admits(AllowedBy::RehearsalToken);
        facts.refuses(codes![KitError::{NotFound, TooOften}, FixtureError::WrongToken]);
    }
}

fn let_in(request: &HttpRequest) -> Result<RehearsalToken, PageError> {
    let app = request.app_data::<Data<App>>().ok_or(Internal)?;
    let token = app.config.rehearsal_token.as_deref().ok_or(NotFound)?;
    let limits = request.app_data::<Data<Limits>>().ok_or(Internal)?;
    limits.rehearsal.count(&client::network(request, &app.config.trusted_proxies))?;
    if bears(request, token) { Ok(RehearsalToken) } else { Err(FixtureError::WrongToken.into()) }
}

/// Form with the size of a rehearsal.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct StageForm {
    /// Number of shoppers.
    people: Field,
}

/// `POST /rehearsal/stages`: makes a stage.
pub(crate) async fn create_stage(
    _: RehearsalToken,
    app: Data<App>,
    form: Body<StageForm>,
) -> Result<HttpResponse, PageError> {
    // Text that is no number counts as zero shoppers, which is refused.
    let people = form.0.people.parse().unwrap_or_default();
    let stage = fixtures::set_up(&app.db, &app.redis, people).await?;
    Ok(page::json(StatusCode::CREATED, &stage))
}

/// Form with the number of accounts to add.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct PeopleForm {
    /// Number of accounts.
    count: Field,
}

/// Accounts that were added.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AddedPeople {
    people: Vec<ShopperAccount>,
}

/// `POST /rehearsal/stages/{id}/people`: adds accounts to a stage.
pub(crate) async fn create_people(
    _: RehearsalToken,
    app: Data<App>,
    id: Path<Uuid>,
    form: Body<PeopleForm>,
) -> Result<HttpResponse, PageError> {
    let count = form.0.count.parse().unwrap_or_default();
    let people = fixtures::add_people(&app.db, *id, count).await?;
    Ok(page::json(StatusCode::CREATED, &AddedPeople { people }))
}

/// `DELETE /rehearsal/stages/{id}`: removes a stage.
pub(crate) async fn delete_stage(
    _: RehearsalToken,
    app: Data<App>,
    id: Path<Uuid>,
) -> Result<HttpResponse, PageError> {
    fixtures::take_down(&app.db, &app.redis, *id).await?;
    Ok(page::json(StatusCode::OK, &Value::Null))
}
