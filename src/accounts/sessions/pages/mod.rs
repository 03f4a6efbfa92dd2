//! Session pages: the list of an account's sessions, and ending them.

pub mod arriving;
pub mod current;
mod described;
mod requirements;

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use self::current::{CurrentAccount, SessionCache, removal_cookie};
use super::{Session, store};
use crate::{
    app::App,
    web::{
        cookies::pass_cookies,
        error::{NotFound, PageError},
        flash::with_message,
        page::View,
    },
};

/// Path of the page, to which its forms lead back.
const PATH: &str = "/account/sessions";
/// Sessions on the page; sessions seen longest ago are left out, and ended with the others.
const SHOWN_MAX: i64 = 100;

#[derive(Template)]
#[template(path = "accounts/sessions.html")]
struct SessionsPage {
    v: View,
    sessions: Vec<Session>,
    current: Uuid,
}

impl SessionsPage {
    fn device(&self, session: &Session) -> String {
        match session.device.is_empty() {
            true => self.v.t("account-session-unknown").to_string(),
            false => session.device.clone(),
        }
    }
}

/// Sessions of the account.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionsDocument<'a> {
    sessions: &'a [Session],
    /// Session of the request.
    current: Uuid,
}

/// `GET /account/sessions`
pub async fn list_sessions(app: Data<App>, me: CurrentAccount) -> Result<HttpResponse, PageError> {
    let sessions = store::list_of_account(&app.db, me.account_id, SHOWN_MAX).await?;
    let page = SessionsPage { v: me.view, sessions, current: me.session_id };
    let document = SessionsDocument { sessions: &page.sessions, current: page.current };
    Ok(page.v.show(&page, &document))
}

/// `POST /account/sessions/{id}/logout`
pub async fn delete_one(
    app: Data<App>,
    cache: Data<SessionCache>,
    me: CurrentAccount,
    request: HttpRequest,
    id: Path<Uuid>,
) -> Result<HttpResponse, PageError> {
    let ended = store::delete_one(&app.db, me.account_id, *id).await?.ok_or(NotFound)?;
    forget(&cache, [ended]).await;
    if *id != me.session_id {
        return Ok(ended_answer(&me.view));
    }
    let mut answer = me.view.done(StatusCode::NO_CONTENT, &(), "/");
    let _ = answer.add_cookie(&removal_cookie(&app));
    pass_cookies::remove_all(&request, app.config.is_https(), &mut answer);
    Ok(with_message(answer, "flash-logged-out"))
}

/// `POST /account/sessions/logout`: ends all sessions but this one.
pub async fn delete_others(
    app: Data<App>,
    cache: Data<SessionCache>,
    me: CurrentAccount,
) -> Result<HttpResponse, PageError> {
    let ended = store::delete_others(&app.db, me.account_id, me.session_id).await?;
    forget(&cache, ended).await;
    Ok(ended_answer(&me.view))
}

fn ended_answer(v: &View) -> HttpResponse {
    with_message(v.done(StatusCode::NO_CONTENT, &(), PATH), "flash-session-ended")
}

/// Drops sessions that were ended from the cache.
pub async fn forget(cache: &SessionCache, hashes: impl IntoIterator<Item = Vec<u8>>) {
    for hash in hashes.into_iter().filter_map(|hash| hash.try_into().ok()) {
        cache.forget(&hash).await;
    }
}
