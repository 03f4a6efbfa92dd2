//! Extractors of administrators and of keys with a scope.
//!
//! A request with `Authorization: Bearer` acts for its key, even if it has the cookie of a session.

use std::{future::Future, pin::Pin};

use actix_web::{FromRequest, HttpRequest, dev::Payload, web::Data};
use futures_util::future::LocalBoxFuture;
use uuid::Uuid;

use super::{
    authorize,
    error::ApiKeyError,
    model::{Actor, ApiScope},
};
use crate::{
    accounts::{
        error::AccountError,
        roles::pages::{AdminAccount, ConfirmedAdmin, acts_on_rehearsal},
    },
    app::App,
    infra::security_log::SecurityEvent,
    web::{
        bearer::token_of,
        client,
        error::{HttpError, Internal, KitError, PageError, codes},
        limits::Limits,
        page::View,
        path::described::{AllowedBy, Described, Facts},
    },
};

/// Administrator, or a key that may read programs.
#[derive(Clone, Debug)]
pub struct ProgramsReader {
    /// View to render its pages with.
    pub view: View,
}

/// Administrator, or a key that may change programs.
#[derive(Clone, Debug)]
pub struct ProgramsWriter {
    /// Author of the act.
    pub actor: Actor,
    /// View to render its pages with.
    pub view: View,
}

/// Administrator who confirmed the password recently, or a key that may change programs: for what
/// cannot be undone.
#[derive(Clone, Debug)]
pub struct ConfirmedProgramsWriter(pub ProgramsWriter);

/// Returns the account for which an upload's `request` acts, by its session or its key alone; fails for
/// others. Runs before the body is read, so an upload with a key counts twice against its rate limit.
pub fn programs_writer_of(
    request: HttpRequest,
) -> LocalBoxFuture<'static, Result<Uuid, PageError>> {
    Box::pin(async move { Ok(ProgramsWriter::extract(&request).await?.actor.account_id.0) })
}

type Extracted<T> = Pin<Box<dyn Future<Output = Result<T, PageError>>>>;

impl FromRequest for ProgramsReader {
    type Error = PageError;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            Ok(match actor_of(&request, ApiScope::ProgramsRead).await? {
                Some(_) => Self { view: View::of(&request) },
                None => Self { view: AdminAccount::extract(&request).await?.view },
            })
        })
    }
}

impl FromRequest for ProgramsWriter {
    type Error = PageError;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            if let Some(actor) = actor_of(&request, ApiScope::ProgramsWrite).await? {
                return Ok(Self { actor, view: View::of(&request) });
            }
            let me = AdminAccount::extract(&request).await?;
            Ok(Self { actor: me.account_id.into(), view: me.view })
        })
    }
}

impl FromRequest for ConfirmedProgramsWriter {
    type Error = PageError;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            if let Some(actor) = actor_of(&request, ApiScope::ProgramsWrite).await? {
                return Ok(Self(ProgramsWriter { actor, view: View::of(&request) }));
            }
            let ConfirmedAdmin(me) = ConfirmedAdmin::extract(&request).await?;
            Ok(Self(ProgramsWriter { actor: me.account_id.into(), view: me.view }))
        })
    }
}

impl Described for ProgramsReader {
    fn describe(facts: &mut Facts) {
        AdminAccount::describe(facts);
        describe_key(facts, ApiScope::ProgramsRead);
    }
}

impl Described for ProgramsWriter {
    fn describe(facts: &mut Facts) {
        AdminAccount::describe(facts);
        describe_key(facts, ApiScope::ProgramsWrite);
    }
}

impl Described for ConfirmedProgramsWriter {
    fn describe(facts: &mut Facts) {
        ConfirmedAdmin::describe(facts);
        describe_key(facts, ApiScope::ProgramsWrite);
    }
}

fn describe_key(facts: &mut Facts, scope: ApiScope) {
    facts.admits(AllowedBy::ApiKey(scope.name()));
    facts.refuses(codes![ApiKeyError::{Unknown, Revoked, Unprotected, Expired, LacksScope}, KitError::TooOften]);
}

/// Returns the actor of the key of `request`, counted against the key's rate limit; `None` for a request
/// without a key.
async fn actor_of(request: &HttpRequest, scope: ApiScope) -> Result<Option<Actor>, PageError> {
    let Some(token) = token_of(request) else { return Ok(None) };
    let app = request.app_data::<Data<App>>().ok_or(Internal)?;
    let actor = authorize(app, token, scope).await;
    let actor = actor.inspect_err(|error| {
        if error.status().is_client_error() {
            client::tell(request, SecurityEvent::AccessDenied, None);
        }
    })?;
    let limits = request.app_data::<Data<Limits>>().ok_or(Internal)?;
    let counted: Uuid = actor.api_key_id.map_or(actor.account_id.0, |id| id.0);
    limits.account.count(&counted)?;
    if acts_on_rehearsal(request) {
        return Err(AccountError::Rehearsed.into());
    }
    client::record(request);
    Ok(Some(actor))
}
