//! Extractors that require a role, for the pages of the door and of the administration.
//!
//! The role is read with the session at every request, so losing it takes effect at once.

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
    infra::{security_log::SecurityEvent, throwaway},
    web::{
        client,
        error::{PageError, codes},
        page::View,
        path::described::{Described, Facts},
    },
};

/// Account that may check tickets: staff or admin. Others are refused.
#[derive(Clone, Debug)]
pub struct StaffAccount {
    /// Account id.
    pub account_id: AccountId,
    /// View to render its pages with.
    pub view: View,
}

/// Administrator's account. Others are refused, staff too.
#[derive(Clone, Debug)]
pub struct AdminAccount {
    /// Account id.
    pub account_id: AccountId,
    /// Whether the account has a second factor and no code of it was given lately.
    pub lacks_code: bool,
    /// View to render its pages with.
    pub view: View,
}

/// Administrator who confirmed the password recently: for actions that cannot be undone. Others
/// are refused; an administrator without a confirmation is sent to `confirmation_pages.rs`.
#[derive(Clone, Debug)]
pub struct ConfirmedAdmin(pub AdminAccount);

impl AdminAccount {
    /// Refuses unless a code of the second factor was given lately, or the account has none.
    pub fn require_code(&self) -> Result<(), AccountError> {
        if self.lacks_code { Err(AccountError::CodeRequired) } else { Ok(()) }
    }
}

/// Returns the administrator that an upload's `request` comes from, by its session alone; fails
/// for others. Runs before the body is read.
pub fn admin_of(request: HttpRequest) -> LocalBoxFuture<'static, Result<Uuid, PageError>> {
    Box::pin(async move { Ok(AdminAccount::extract(&request).await?.account_id.0) })
}

type Extracted<T> = Pin<Box<dyn Future<Output = Result<T, PageError>>>>;

impl FromRequest for StaffAccount {
    type Error = PageError;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let current = CurrentAccount::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let CurrentAccount { account_id, role, view, .. } = current.await?;
            match role {
                Role::Staff | Role::Admin if acts_on_rehearsal(&request) => {
                    Err(AccountError::Rehearsed.into())
                }
                Role::Staff | Role::Admin => Ok(Self { account_id, view }),
                Role::Customer => Err(forbidden(&request, account_id).into()),
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
            let CurrentAccount { account_id, lacks_code, view, .. } =
                admin(&request, current.await?)?;
            Ok(Self { account_id, lacks_code, view })
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
            let CurrentAccount { account_id, view, is_confirmed, lacks_code, .. } =
                admin(&request, current.await?)?;
            match is_confirmed {
                true => Ok(Self(AdminAccount { account_id, lacks_code, view })),
                false => Err(AccountError::ConfirmationRequired.into()),
            }
        })
    }
}

impl Described for StaffAccount {
    fn describe(facts: &mut Facts) {
        CurrentAccount::describe(facts);
        facts.refuses(codes![AccountError::Forbidden]);
        if facts.is_change {
            facts.refuses(codes![AccountError::Rehearsed]);
        }
    }
}

impl Described for AdminAccount {
    fn describe(facts: &mut Facts) {
        StaffAccount::describe(facts);
    }
}

impl Described for ConfirmedAdmin {
    fn describe(facts: &mut Facts) {
        AdminAccount::describe(facts);
        facts.refuses(codes![AccountError::ConfirmationRequired]);
    }
}

/// Returns `current` if the account is an admin and the request does not act on rehearsal data.
/// Records the client's address for the audit log.
fn admin(request: &HttpRequest, current: CurrentAccount) -> Result<CurrentAccount, AccountError> {
    match current.role {
        Role::Admin if acts_on_rehearsal(request) => Err(AccountError::Rehearsed),
        Role::Admin => {
            client::record(request);
            Ok(current)
        }
        Role::Staff | Role::Customer => Err(forbidden(request, current.account_id)),
    }
}

/// Returns the refusal of an account whose role does not allow its request, and records it in the security
/// log.
fn forbidden(request: &HttpRequest, account_id: AccountId) -> AccountError {
    client::tell(request, SecurityEvent::AccessDenied, Some(account_id));
    AccountError::Forbidden
}

/// Returns whether `request` would change rehearsal data. Every admin path contains the id of its subject,
/// so one check covers them all.
pub(crate) fn acts_on_rehearsal(request: &HttpRequest) -> bool {
    let is_marked = |part: &str| Uuid::try_parse(part).is_ok_and(throwaway::is_marked);
    // The matched parts are unescaped, except for characters that no id has.
    !request.method().is_safe() && request.match_info().iter().any(|(_, part)| is_marked(part))
}
