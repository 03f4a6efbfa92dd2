//! Session that is read while what its account asked for is read already.
//!
//! Where PostgreSQL is another machine, each wait for it is felt, and one of them was for the session alone. What a
//! page reads of an account needs no more than to know whose session it is, and that never changes: an instance
//! remembers it (`SessionCache`). Whether the session is live is asked all the same, and nothing of what was read
//! meanwhile is used before the answer.

use actix_web::{FromRequest, HttpRequest, dev::Payload, web::Data};
use futures_util::future::{LocalBoxFuture, Ready, ready};
use tokio::try_join;

use super::current::{CachedAccount, CurrentAccount, SessionCache, token_of};
use crate::{
    accounts::{error::AccountError, model::AccountId},
    app::App,
    web::{
        error::{Internal, PageError},
        path::described::{Described, Facts},
    },
};

/// Account of a live session, however it is read.
pub trait OfAccount: FromRequest<Error = PageError> + 'static {
    /// Returns the id of the account.
    fn account_id(&self) -> AccountId;
}

impl OfAccount for CurrentAccount {
    fn account_id(&self) -> AccountId {
        self.account_id
    }
}

impl OfAccount for CachedAccount {
    fn account_id(&self) -> AccountId {
        self.account_id
    }
}

/// Signed-in account `A` whose session has not been read yet; a request without a session is sent to the log-in.
#[expect(missing_debug_implementations, reason = "a future has nothing to show")]
pub struct Arriving<A> {
    /// Whose the session was when this instance read it last; `None` if it never did.
    likely: Option<AccountId>,
    looking: LocalBoxFuture<'static, Result<A, PageError>>,
}

impl<A: OfAccount> Arriving<A> {
    /// Returns the account and what `read` returned for it, which is asked while the session is if this instance
    /// knows whose that is. What `read` changes must be harmless where the session turns out to have ended.
    pub async fn with<T, E: Into<PageError>>(
        self,
        read: impl AsyncFn(AccountId) -> Result<T, E>,
    ) -> Result<(A, T), PageError> {
        let Self { likely, looking } = self;
        let ahead = async {
            match likely {
                Some(likely) => Ok(Some((likely, read(likely).await))),
                None => Ok(None),
            }
        };
        let (me, ahead) = try_join!(looking, ahead)?;
        let read = match ahead {
            Some((likely, read)) if likely == me.account_id() => read,
            _ => read(me.account_id()).await,
        };
        Ok((me, read.map_err(Into::into)?))
    }
}

impl<A: OfAccount> FromRequest for Arriving<A> {
    type Error = PageError;
    type Future = Ready<Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let looking = A::from_request(request, payload);
        ready(likely_account(request).map(|likely| Self { likely, looking: Box::pin(looking) }))
    }
}

impl<A: Described> Described for Arriving<A> {
    fn describe(facts: &mut Facts) {
        A::describe(facts);
    }
}

/// Returns whose the session of `request` was when it was read last; fails without a session.
fn likely_account(request: &HttpRequest) -> Result<Option<AccountId>, PageError> {
    let app = request.app_data::<Data<App>>().ok_or(Internal)?;
    let sessions = request.app_data::<Data<SessionCache>>().ok_or(Internal)?;
    let token = token_of(request, app).ok_or(AccountError::LoginRequired)?;
    Ok(sessions.owner(&token.hash()))
}
