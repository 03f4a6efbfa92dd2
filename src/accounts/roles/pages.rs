//! Who may work here: extractors for the pages of the door and of the management.
//!
//! The role is read with the session at every request, so whoever loses it is out at
//! once.

use std::{future::Future, pin::Pin};

use actix_web::{FromRequest, HttpRequest, dev::Payload};
use futures_util::future::LocalBoxFuture;
use uuid::Uuid;

use crate::{
    accounts::{
        error::AccountError,
        model::{AccountId, Role},
        sessions::pages::current::CurrentAccount,
    },
    infra::throwaway,
    web::{client, error::PageError, page::View},
};

/// Somebody who checks tickets: staff or an admin. Anybody else is refused.
#[derive(Clone, Debug)]
pub struct StaffAccount {
    /// The account.
    pub account_id: AccountId,
    /// What its pages are rendered with.
    pub view: View,
}

/// Somebody who manages. Anybody else is refused, staff too.
#[derive(Clone, Debug)]
pub struct AdminAccount {
    /// The account.
    pub account_id: AccountId,
    /// What its pages are rendered with.
    pub view: View,
}

/// Somebody who manages and gave the password lately: for what cannot be undone. Anybody
/// else is refused, and an admin asked for it (`confirmation.rs`).
#[derive(Clone, Debug)]
pub struct ConfirmedAdmin(pub AdminAccount);

/// Doorkeeper of uploads: the admin that `request` comes from, by its session alone.
pub fn admin_of(request: HttpRequest) -> LocalBoxFuture<'static, Result<Uuid, PageError>> {
    Box::pin(async move { Ok(AdminAccount::extract(&request).await?.account_id.0) })
}

type Extracted<T> = Pin<Box<dyn Future<Output = Result<T, PageError>>>>;

impl FromRequest for StaffAccount {
    type Error = PageError;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let current = CurrentAccount::from_request(request, payload);
        let acts_on_rehearsal = acts_on_rehearsal(request);
        Box::pin(async move {
            let CurrentAccount { account_id, role, view, .. } = current.await?;
            match role {
                Role::Staff | Role::Admin if acts_on_rehearsal => {
                    Err(AccountError::Rehearsed.into())
                }
                Role::Staff | Role::Admin => Ok(Self { account_id, view }),
                Role::Customer => Err(AccountError::Forbidden.into()),
            }
        })
    }
}

impl FromRequest for AdminAccount {
    type Error = PageError;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let current = CurrentAccount::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let CurrentAccount { account_id, view, .. } = admin(&request, current.await?)?;
            Ok(Self { account_id, view })
        })
    }
}

impl FromRequest for ConfirmedAdmin {
    type Error = PageError;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let current = CurrentAccount::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let CurrentAccount { account_id, view, is_confirmed, .. } =
                admin(&request, current.await?)?;
            match is_confirmed {
                true => Ok(Self(AdminAccount { account_id, view })),
                false => Err(AccountError::ConfirmationRequired.into()),
            }
        })
    }
}

/// `current` if they manage, and nothing that a rehearsal made. From here on the log knows
/// where they are.
fn admin(request: &HttpRequest, current: CurrentAccount) -> Result<CurrentAccount, AccountError> {
    match current.role {
        Role::Admin if acts_on_rehearsal(request) => Err(AccountError::Rehearsed),
        Role::Admin => {
            client::record(request);
            Ok(current)
        }
        Role::Staff | Role::Customer => Err(AccountError::Forbidden),
    }
}

/// Whether `request` would change something that a rehearsal made. Every path of the
/// management names what it acts on, so one look serves them all.
fn acts_on_rehearsal(request: &HttpRequest) -> bool {
    let is_marked = |part: &str| Uuid::try_parse(part).is_ok_and(throwaway::is_marked);
    // What the route matched is free of escapes, but for characters that no id has.
    !request.method().is_safe() && request.match_info().iter().any(|(_, part)| is_marked(part))
}
