//! Security events: log lines for monitoring outside this program.
//!
//! `docs/SECURITY-EVENTS.md` lists them. Their target is `security`, and the name in the field
//! `event` never changes. A flood must not fill the disk: each event of one origin is written a few
//! times and counted from then on, and the next line, or one a minute later, states how many were
//! omitted.

use std::{
    collections::HashMap,
    fmt,
    net::IpAddr,
    num::NonZeroU32,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use sha2::{Digest, Sha256};
use tracing::field::display;
use uuid::Uuid;

use super::{limits::Limit, network::Network, secrets::SigningKey};

/// Lines of one event and one origin that are written at once, and then per minute.
const BURST: NonZeroU32 = NonZeroU32::new(20).unwrap();
const PER_MINUTE: NonZeroU32 = NonZeroU32::new(10).unwrap();
/// Lines of all events and origins together, per second.
const PER_SECOND: NonZeroU32 = NonZeroU32::new(50).unwrap();
/// Origins whose omitted lines are counted separately.
const ORIGINS_MAX: usize = 10_000;
/// Origins whose omitted lines are reported separately in one call of `forget`; the others are
/// summed.
const REPORTED_MAX: usize = 20;

/// Kind of security event; its name in the log never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::AsRefStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum SecurityEvent {
    /// An e-mail address and a password did not belong together.
    LogInFailed,
    /// The right password of an account that an administrator has locked.
    LogInLocked,
    /// A log-in was refused before the password was checked: too many from its network, for its
    /// account, or at once.
    LogInThrottled,
    /// A sign-up was refused because there were too many.
    SignUpThrottled,
    /// A request could not be read. The client is the peer, which may be a proxy.
    RequestMalformed,
    /// An account sends more requests than it may.
    AccountThrottled,
    /// An account, or a program with a key, made a request that its role or scope does not allow.
    AccessDenied,
    /// A signed-in user did not know the password when asked to confirm it.
    ConfirmationFailed,
    /// A code of the second factor was wrong, or used before.
    CodeFailed,
    /// A message in the name of the payment provider was not signed by it, or long ago.
    WebhookRefused,
    /// The payment provider reported money that belongs to no purchase, or differs from the agreed
    /// amount.
    PaymentMismatch,
    /// Action of an administrator that the audit log records.
    AdminAct,
}

/// Origin whose lines are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Origin {
    Network(Network),
    Account(Uuid),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(network) => network.fmt(f),
            Self::Account(account_id) => account_id.fmt(f),
        }
    }
}

/// Action of a client.
#[derive(Clone, Debug)]
pub struct ClientEvent {
    /// Kind of event.
    pub event: SecurityEvent,
    /// Address of the client, which a firewall would block.
    pub client: IpAddr,
    /// Account concerned, where one is known.
    pub account_id: Option<Uuid>,
    /// Pseudonym of the e-mail address that was tried, as [`pseudonym`] makes it.
    pub email_hash: Option<String>,
    /// Limit that refused the action, where several can.
    pub by: Option<&'static str>,
}

/// Action of an administrator.
#[derive(Clone, Debug)]
pub struct ActEvent<'a> {
    /// Account of the administrator.
    pub by: Uuid,
    /// Action, as the audit log names it.
    pub act: &'a str,
    /// Kind of the subject.
    pub subject: &'a str,
    /// Id of the subject.
    pub subject_id: &'a str,
}

/// Money that is not credited.
#[derive(Clone, Copy, Debug)]
pub struct PaymentEvent<'a> {
    /// Kind of the disagreement, in one word.
    pub reason: &'a str,
    /// Purchase that the provider named; `None` if there is none.
    pub charge_id: Option<Uuid>,
    /// Its name at the provider.
    pub provider_ref: &'a str,
}

/// Security events of one instance; clones share the counts.
#[derive(Clone)]
pub struct SecurityLog(Arc<Counts>);

struct Counts {
    all: DefaultDirectRateLimiter,
    each: Limit<(SecurityEvent, Origin)>,
    omitted: Mutex<Omitted>,
}

#[derive(Default)]
struct Omitted {
    each: HashMap<(SecurityEvent, Origin), u64>,
    others: u64,
}

impl fmt::Debug for SecurityLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecurityLog({:?})", self.0.each)
    }
}

impl Default for SecurityLog {
    fn default() -> Self {
        Self(Arc::new(Counts {
            all: RateLimiter::direct(Quota::per_second(PER_SECOND)),
            each: Limit::new(Quota::per_minute(PER_MINUTE).allow_burst(BURST)),
            omitted: Mutex::default(),
        }))
    }
}

impl SecurityLog {
    /// Writes a client's action, unless the limits are exceeded.
    pub fn record(&self, entry: &ClientEvent) {
        let origin = Origin::Network(Network::of(entry.client));
        let Some(omitted) = self.0.count(entry.event, origin) else { return };
        tracing::warn!(
            target: "security",
            event = entry.event.as_ref(),
            client = %entry.client,
            account_id = entry.account_id.map(display),
            email_hash = entry.email_hash,
            by = entry.by,
            omitted,
        );
    }

    /// Writes an administrator's action, unless the limits are exceeded.
    pub fn record_act(&self, entry: &ActEvent<'_>) {
        let event = SecurityEvent::AdminAct;
        let Some(omitted) = self.0.count(event, Origin::Account(entry.by)) else { return };
        tracing::info!(
            target: "security",
            event = event.as_ref(),
            account_id = %entry.by,
            act = entry.act,
            subject = entry.subject,
            subject_id = entry.subject_id,
            omitted,
        );
    }

    /// Logs money that is not credited.
    pub fn record_payment(&self, entry: &PaymentEvent<'_>) {
        let event = SecurityEvent::PaymentMismatch;
        let origin = Origin::Account(entry.charge_id.unwrap_or_default());
        let Some(omitted) = self.0.count(event, origin) else { return };
        tracing::warn!(
            target: "security",
            event = event.as_ref(),
            reason = entry.reason,
            charge_id = entry.charge_id.map(display),
            provider_ref = entry.provider_ref,
            omitted,
        );
    }

    /// Reports the omitted lines since the last call and resets their counts; to be called
    /// periodically.
    pub fn forget(&self) {
        self.0.each.forget();
        let left_out = std::mem::take(&mut *self.0.omitted());
        let (mut n_reported, mut others) = (0, left_out.others);
        for ((event, origin), omitted) in left_out.each {
            if n_reported == REPORTED_MAX {
                others += omitted;
                continue;
            }
            n_reported += 1;
            let (of, origin) = (event.as_ref(), display(origin));
            tracing::warn!(target: "security", event = "events-omitted", of, origin, omitted);
        }
        if others > 0 {
            tracing::warn!(target: "security", event = "events-omitted", omitted = others);
        }
    }
}

impl Counts {
    fn omitted(&self) -> MutexGuard<'_, Omitted> {
        self.omitted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a line. Returns how many were omitted before it; `None` where this one is omitted
    /// too.
    fn count(&self, event: SecurityEvent, origin: Origin) -> Option<u64> {
        let key = (event, origin);
        if self.each.count(&key).is_ok() && self.all.check().is_ok() {
            return Some(self.omitted().each.remove(&key).unwrap_or(0));
        }
        let mut omitted = self.omitted();
        let has_room = omitted.each.len() < ORIGINS_MAX || omitted.each.contains_key(&key);
        match has_room {
            true => *omitted.each.entry(key).or_insert(0) += 1,
            false => omitted.others += 1,
        }
        None
    }
}

/// Returns a keyed hash of `text`: equal texts have equal pseudonyms within a deployment, and the
/// text cannot be found by trying without the key.
pub fn pseudonym(key: &SigningKey, text: &str) -> String {
    const BYTES: usize = 8;
    let digest = Sha256::new()
        .chain_update(b"stagedoor/security-log")
        .chain_update(Sha256::digest(key.as_bytes()))
        .chain_update(text)
        .finalize();
    digest.iter().take(BYTES).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_written_a_few_times_and_counted() {
        let (log, noisy) = (SecurityLog::default(), Origin::Account(Uuid::nil()));
        let written =
            (0..10_000).filter_map(|_| log.0.count(SecurityEvent::LogInFailed, noisy)).count();
        assert!((10..100).contains(&written), "{written} lines");
        let left_out = log.0.omitted().each.values().sum::<u64>();
        assert_eq!(left_out + u64::try_from(written).unwrap(), 10_000);
        log.forget();
        assert!(log.0.omitted().each.is_empty());
    }

    #[test]
    fn a_flood_from_everywhere_is_bounded_too() {
        let log = SecurityLog::default();
        let origins = (0..100_000).map(|nth| Origin::Account(Uuid::from_u128(nth)));
        let written =
            origins.filter_map(|origin| log.0.count(SecurityEvent::LogInFailed, origin)).count();
        assert!(written < 10_000, "{written} lines");
        let omitted = log.0.omitted();
        assert_eq!(omitted.each.len(), ORIGINS_MAX);
        let left_out = omitted.each.values().sum::<u64>() + omitted.others;
        assert_eq!(left_out + u64::try_from(written).unwrap(), 100_000);
    }

    #[test]
    fn names_are_of_their_deployment() {
        let [ours, theirs] = ["our key", "their key"].map(SigningKey::configured);
        assert_eq!(pseudonym(&ours, "a@b"), pseudonym(&ours, "a@b"));
        assert_ne!(pseudonym(&ours, "a@b"), pseudonym(&ours, "a@c"));
        assert_ne!(pseudonym(&ours, "a@b"), pseudonym(&theirs, "a@b"));
    }
}
