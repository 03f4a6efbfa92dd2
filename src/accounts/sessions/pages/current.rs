//! Extractors that turn a session cookie into an account.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use actix_web::{
    FromRequest, HttpMessage, HttpRequest,
    cookie::{Cookie, SameSite, time},
    dev::Payload,
    web::Data,
};
use chrono::{DateTime, Utc};
use moka::{future::Cache, sync};
use uuid::Uuid;

use crate::{
    accounts::{
        error::AccountError,
        log_in::{device, guesses::AccountKey},
        model::{AccountId, LastCode, Role, SessionAccount, SessionToken, TokenHash},
        sessions::{reader::SessionReader, store},
    },
    app::App,
    infra::security_log::SecurityEvent,
    web::{
        client,
        error::{Internal, PageError},
        limits::Limits,
        page::{SignedIn, View},
    },
};

/// How long polls and streams may use a session once read.
const CACHE_TTL: Duration = Duration::from_secs(1);
const CACHED_SESSIONS_MAX: u64 = 100_000;

/// How long it is remembered whose an unused session is.
const OWNER_IDLE: Duration = Duration::from_mins(10);

/// Reader of sessions, and a cache of a second for polls and streams.
#[derive(Clone, Debug)]
pub struct SessionCache {
    reader: SessionReader,
    cache: Cache<TokenHash, Option<SessionAccount>>,
    /// Accounts of sessions, which never get another one. Whether a session is live it does not say.
    owners: sync::Cache<TokenHash, AccountId>,
}

impl SessionCache {
    /// Creates the sessions of one instance; batches run on the calling runtime.
    pub fn new(app: &App) -> Self {
        let cache = Cache::builder().max_capacity(CACHED_SESSIONS_MAX).time_to_live(CACHE_TTL);
        let owners = sync::Cache::builder().max_capacity(CACHED_SESSIONS_MAX);
        let owners = owners.time_to_idle(OWNER_IDLE).build();
        Self { reader: SessionReader::new(app), cache: cache.build(), owners }
    }

    /// Returns whose the session was when this instance read it last.
    pub(super) fn owner(&self, hash: &TokenHash) -> Option<AccountId> {
        self.owners.get(hash)
    }
}

/// Signed-in account; others are sent to the log-in. Read from PostgreSQL, and counted against
/// the account's rate limit when the request changes something.
#[derive(Clone, Debug)]
pub struct CurrentAccount {
    /// Account id.
    pub account_id: AccountId,
    /// Session the account is signed in with.
    pub session_id: Uuid,
    /// Whether the password was confirmed within the configured time.
    pub is_confirmed: bool,
    /// Whether the account has a second factor and no code of it was given within that time.
    pub lacks_code: bool,
    /// Whether a second factor must be set up before anything else.
    pub needs_factor: bool,
    /// When the owner confirmed the account's address; `None`: never.
    pub email_confirmed_at: Option<DateTime<Utc>>,
    /// Current role.
    pub role: Role,
    /// View to render its pages with.
    pub view: View,
}

/// Signed-in account from a cache of a second: for polls and streams.
#[derive(Clone, Debug)]
pub struct CachedAccount {
    /// Account id.
    pub account_id: AccountId,
    /// View to render its pages with.
    pub view: View,
    /// Session, for answers that last.
    pub session: OpenSession,
}

/// Client of a public page, signed in or not.
#[derive(Clone, Debug)]
pub struct Visitor {
    /// Account id; `None` without a session.
    pub account_id: Option<AccountId>,
    /// View to render its pages with.
    pub view: View,
}

type Extracted<T> = Pin<Box<dyn Future<Output = Result<T, PageError>>>>;

impl FromRequest for CurrentAccount {
    type Error = PageError;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let account = find(&request, Source::Postgres).await?;
            let account = account.ok_or(AccountError::LoginRequired)?;
            let needs_factor = require_factor(&request, &account)?;
            if !request.method().is_safe() {
                count(&request, account.account_id)?;
            }
            let view = signed_in(&request, &account);
            let lacks_code = account.last_code == LastCode::Stale;
            Ok(Self {
                account_id: account.account_id,
                session_id: account.session_id,
                is_confirmed: account.is_confirmed,
                lacks_code,
                needs_factor,
                email_confirmed_at: account.email_confirmed_at,
                role: account.role,
                view,
            })
        })
    }
}

impl FromRequest for CachedAccount {
    type Error = PageError;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let account = find(&request, Source::Cache).await?;
            let account = account.ok_or(AccountError::LoginRequired)?;
            require_factor(&request, &account)?;
            let (app, view) = (data::<App>(&request)?, signed_in(&request, &account));
            let token = token_of(&request, &app).ok_or(AccountError::LoginRequired)?;
            let sessions = SessionCache::clone(&*data::<SessionCache>(&request)?);
            let account_id = account.account_id;
            let session = OpenSession { sessions, hash: token.hash(), account_id };
            Ok(Self { account_id, view, session })
        })
    }
}

impl FromRequest for Visitor {
    type Error = PageError;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let account = find(&request, Source::Cache).await?;
            let view = match &account {
                Some(account) => signed_in(&request, account),
                None => View::of(&request),
            };
            Ok(Self { account_id: account.map(|account| account.account_id), view })
        })
    }
}

/// Returns whether the account must set up a second factor before anything else; fails outside of the
/// pages of the own account if so.
fn require_factor(request: &HttpRequest, account: &SessionAccount) -> Result<bool, PageError> {
    let config = &data::<App>(request)?.config;
    let is_for_trying = account.is_demo && config.is_for_this_machine();
    let is_needed =
        account.role == Role::Admin && account.last_code == LastCode::NoFactor && !is_for_trying;
    let is_own_page = request.path() == "/account" || request.path().starts_with("/account/");
    match is_needed && !is_own_page {
        true => Err(AccountError::SecondFactorRequired.into()),
        false => Ok(is_needed),
    }
}

/// Counts a change against the account's rate limit.
fn count(request: &HttpRequest, account_id: AccountId) -> Result<(), PageError> {
    let counted = data::<Limits>(request)?.account.count(&account_id.0);
    Ok(counted.inspect_err(|_| {
        client::tell(request, SecurityEvent::AccountThrottled, Some(account_id));
    })?)
}

enum Source {
    Postgres,
    Cache,
}

async fn find(request: &HttpRequest, source: Source) -> Result<Option<SessionAccount>, PageError> {
    let app = data::<App>(request)?;
    let Some(token) = token_of(request, &app) else { return Ok(None) };
    let (hash, sessions) = (token.hash(), data::<SessionCache>(request)?);
    let reading = sessions.reader.find(hash);
    let found = match source {
        Source::Postgres => reading.await,
        Source::Cache => {
            let read = sessions.cache.try_get_with(hash, reading).await;
            read.map_err(Arc::unwrap_or_clone)
        }
    };
    let found = found?;
    match &found {
        Some(account) if sessions.owner(&hash).is_none() => {
            sessions.owners.insert(hash, account.account_id);
        }
        Some(_) => {}
        None => sessions.owners.invalidate(&hash),
    }
    Ok(found)
}

/// Returns the view of `account`, and stores its role in the request for error pages
/// rendered later.
fn signed_in(request: &HttpRequest, account: &SessionAccount) -> View {
    tracing::Span::current().record("account_id", tracing::field::display(account.account_id));
    request.extensions_mut().insert(SignedIn {
        is_staff: account.role != Role::Customer,
        is_admin: account.role == Role::Admin,
        is_address_confirmed: account.email_confirmed_at.is_some(),
        requests_waiting: account.requests_waiting,
    });
    View::of(request)
}

fn data<T: 'static>(request: &HttpRequest) -> Result<Data<T>, PageError> {
    request.app_data::<Data<T>>().cloned().ok_or_else(|| Internal.into())
}

/// Returns the cookie's name; the prefix `__Host-` binds it to this host and to https.
fn cookie_name(app: &App) -> &'static str {
    if app.config.is_https() { "__Host-session" } else { "session" }
}

/// Returns the session token in the request's cookie.
pub fn token_of(request: &HttpRequest, app: &App) -> Option<SessionToken> {
    SessionToken::decode(request.cookie(cookie_name(app))?.value())
}

/// Builds the session cookie.
pub(crate) fn session_cookie(app: &App, token: &SessionToken) -> Cookie<'static> {
    Cookie::build(cookie_name(app), token.encode())
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(app.config.is_https())
        .max_age(time::Duration::days(i64::from(app.config.session_days.get())))
        .finish()
}

/// Returns the name of the known-device cookie.
fn device_cookie_name(app: &App) -> &'static str {
    if app.config.is_https() { "__Host-device" } else { "device" }
}

/// Returns the content of the device cookie; its signature is not checked.
pub(crate) fn device_claim(request: &HttpRequest, app: &App) -> Option<String> {
    request.cookie(device_cookie_name(app)).map(|cookie| cookie.value().to_owned())
}

/// Builds the cookie that marks the browser as a known device of `account`; `None` if signing
/// fails.
pub(crate) fn device_cookie(
    app: &App,
    account: AccountKey,
    known_days: i64,
) -> Option<Cookie<'static>> {
    let signed = device::sign(account, &app.signing_key, app.now())?;
    let cookie = Cookie::build(device_cookie_name(app), signed)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(app.config.is_https())
        .max_age(time::Duration::days(known_days));
    Some(cookie.finish())
}

/// Builds the cookie that removes the session from the browser.
pub fn removal_cookie(app: &App) -> Cookie<'static> {
    removal_of(app, cookie_name(app))
}

/// Builds the cookie after which the browser is no known device any more.
pub fn device_removal_cookie(app: &App) -> Cookie<'static> {
    removal_of(app, device_cookie_name(app))
}

fn removal_of(app: &App, name: &'static str) -> Cookie<'static> {
    let mut cookie = Cookie::build(name, "").path("/").secure(app.config.is_https()).finish();
    cookie.make_removal();
    cookie
}

/// Ends the session that the browser of `request` has, if it has one.
pub(crate) async fn end_session(request: &HttpRequest, app: &App) -> Result<(), PageError> {
    let Some(token) = token_of(request, app) else { return Ok(()) };
    store::delete(&app.db, &token.hash()).await?;
    data::<SessionCache>(request)?.forget(&token.hash()).await;
    Ok(())
}

impl SessionCache {
    /// Drops a session that this instance ended from the cache.
    pub async fn forget(&self, hash: &TokenHash) {
        self.owners.invalidate(hash);
        self.cache.invalidate(hash).await;
    }
}

/// Session of a long-lived answer, to be checked again while the answer lasts.
#[derive(Clone, Debug)]
pub struct OpenSession {
    sessions: SessionCache,
    hash: TokenHash,
    account_id: AccountId,
}

impl OpenSession {
    /// Returns whether the session is still this account's; true if it cannot be read.
    pub async fn is_live(&self) -> bool {
        let reading = self.sessions.reader.find(self.hash);
        match self.sessions.cache.try_get_with(self.hash, reading).await {
            Ok(found) => found.is_some_and(|found| found.account_id == self.account_id),
            Err(error) => {
                tracing::debug!(%error, "an open answer goes on, as its session is not known");
                true
            }
        }
    }
}
