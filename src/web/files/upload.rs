//! Uploads: files of some megabytes, from accounts that are signed in.
//!
//! The account is checked first, by the session in the request's head: of any other request no byte
//! of the body is read and no permit is taken. Then a permit is acquired, and then the body is
//! received within the time of any body: a slow sender keeps a permit that long at most, and an
//! account has a bounded share of the permits.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use actix_web::{HttpMessage, HttpRequest, dev::ServiceRequest, web::Data};
use futures_util::future::LocalBoxFuture;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use crate::{
    infra::limits::RateLimited,
    web::{
        READ_MAX, body,
        error::{Internal, PageError, Unavailable},
    },
};

/// Upper bound of an upload, in bytes: a file of 8 MiB and a browser's additions (the form's other
/// fields, and a carriage return per line where the text comes back from a page).
const BYTES_MAX: usize = (8 * 1024 + 256) * 1024;
/// Uploads that one instance holds in memory at the same time.
const AT_ONCE: usize = 4;
/// Uploads of one account at the same time.
const AT_ONCE_OF_ACCOUNT: usize = 2;
/// How long an upload waits for a permit.
const PERMIT_WAIT_MAX: Duration = Duration::from_secs(2);
/// `Retry-After` of an upload that got no permit, in seconds: a body is received or refused within
/// that time.
const RETRY_AFTER_SECS: u64 = 10;

/// Returns the account a request comes from, by its head alone, or refuses the request.
pub(crate) type Doorkeeper = fn(HttpRequest) -> LocalBoxFuture<'static, Result<Uuid, PageError>>;

/// Upload permits of one instance; clones share them.
#[derive(Clone)]
pub struct Uploads {
    permits: Arc<Semaphore>,
    /// Number of permits each account has or waits for; accounts without any have no entry.
    taken: Arc<Mutex<HashMap<Uuid, usize>>>,
}

impl fmt::Debug for Uploads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Uploads({} permits left)", self.permits.available_permits())
    }
}

impl Default for Uploads {
    fn default() -> Self {
        Self { permits: Arc::new(Semaphore::new(AT_ONCE)), taken: Arc::default() }
    }
}

/// Permit to keep an upload in memory; dropping it releases the permit.
pub(crate) struct UploadPermit {
    _permit: OwnedSemaphorePermit,
    _share: Share,
}

/// One account's share of the permits.
struct Share {
    uploads: Uploads,
    account_id: Uuid,
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.uploads.taken();
        if let Some(count) = taken.get_mut(&self.account_id) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.account_id);
            }
        }
    }
}

impl Uploads {
    fn taken(&self) -> MutexGuard<'_, HashMap<Uuid, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn share_of(&self, account_id: Uuid) -> Result<Share, RateLimited> {
        let mut taken = self.taken();
        let count = taken.entry(account_id).or_insert(0);
        if *count >= AT_ONCE_OF_ACCOUNT {
            return Err(RateLimited { retry_after_secs: RETRY_AFTER_SECS });
        }
        *count += 1;
        Ok(Share { uploads: self.clone(), account_id })
    }

    async fn acquire_permit(&self, account_id: Uuid) -> Result<UploadPermit, RateLimited> {
        let share = self.share_of(account_id)?;
        let permit = tokio::time::timeout(PERMIT_WAIT_MAX, self.permits.clone().acquire_owned());
        match permit.await {
            Ok(Ok(permit)) => Ok(UploadPermit { _permit: permit, _share: share }),
            _ => Err(RateLimited { retry_after_secs: RETRY_AFTER_SECS }),
        }
    }
}

/// Reads an upload's body into memory for the handler, if `doorkeeper` admits the request; returns
/// the permit.
pub(crate) async fn receive(
    request: &mut ServiceRequest,
    doorkeeper: Doorkeeper,
) -> Result<UploadPermit, PageError> {
    let who = tokio::time::timeout(READ_MAX, doorkeeper(request.request().clone())).await;
    let account_id = who.unwrap_or_else(|_| Err(Unavailable.into()))?;
    let uploads = request.app_data::<Data<Uploads>>().cloned().ok_or(Internal)?;
    let permit = uploads.acquire_permit(account_id).await?;
    let is_file = request.content_type().starts_with("multipart/");
    body::receive(request, if is_file { BYTES_MAX } else { body::BYTES_MAX }).await?;
    Ok(permit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_account_never_has_all_permits_and_gives_its_share_back() {
        let (uploads, greedy, other) = (Uploads::default(), Uuid::new_v4(), Uuid::new_v4());
        let first = uploads.acquire_permit(greedy).await.unwrap();
        let _second = uploads.acquire_permit(greedy).await.unwrap();
        assert!(uploads.acquire_permit(greedy).await.is_err());
        let _others = uploads.acquire_permit(other).await.unwrap();
        drop(first);
        let _again = uploads.acquire_permit(greedy).await.unwrap();
        assert_eq!(uploads.taken().get(&greedy), Some(&2));
    }
}
