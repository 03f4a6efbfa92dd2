//! Security events: log lines that watchers outside this program read.
//!
//! `docs/SECURITY-EVENTS.md` lists them. Their target is `security`, and the name in the field
//! `event` never changes. A flood must not fill the disk: each event of one origin is written
//! a few times and counted from then on, and the next line, or one a minute later, says how
//! many were left out.

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

/// Lines of one event and one origin that are written at once, and then in a minute.
const BURST: NonZeroU32 = NonZeroU32::new(20).unwrap();
const PER_MINUTE: NonZeroU32 = NonZeroU32::new(10).unwrap();
/// Lines of all events and origins together, in a second.
const PER_SECOND: NonZeroU32 = NonZeroU32::new(50).unwrap();
/// Origins whose omitted lines are counted each for itself.
const ORIGINS_MAX: usize = 10_000;
/// Origins that are told of when they are quiet again, at once; the others are summed up.
const TOLD_MAX: usize = 20;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SecurityEvent {
    /// An e-mail and a password did not belong together.
    LogInFailed,
    /// The right password of an account that the management has locked.
    LogInLocked,
    /// A log-in was refused before its password was looked at: too many from its network, too
    /// many for its account, or too many people at once.
    LogInThrottled,
    /// A sign-up was refused, as there were too many.
    SignUpThrottled,
    /// An account sends more than it may.
    AccountThrottled,
    /// Somebody who is signed in did not know their password when asked again.
    ConfirmationFailed,
    /// Somebody who manages did something.
    AdminAct,
}

impl SecurityEvent {
    /// Every event, for the reference.
    pub const ALL: [Self; 7] = [
        Self::LogInFailed,
        Self::LogInLocked,
        Self::LogInThrottled,
        Self::SignUpThrottled,
        Self::AccountThrottled,
        Self::ConfirmationFailed,
        Self::AdminAct,
    ];

    /// The name in the log, which never changes.
    pub fn name(self) -> &'static str {
        match self {
            Self::LogInFailed => "log-in-failed",
            Self::LogInLocked => "log-in-locked",
            Self::LogInThrottled => "log-in-throttled",
            Self::SignUpThrottled => "sign-up-throttled",
            Self::AccountThrottled => "account-throttled",
            Self::ConfirmationFailed => "confirmation-failed",
            Self::AdminAct => "admin-act",
        }
    }
}

/// Whose lines are counted together.
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

/// Something a client did.
#[derive(Clone, Debug)]
pub struct ClientEvent {
    /// What happened.
    pub event: SecurityEvent,
    /// Where it came from: the address a firewall would shut out.
    pub client: IpAddr,
    /// The account it concerns, where one is known.
    pub account_id: Option<Uuid>,
    /// The e-mail address that was tried, as [`pseudonym`] has it.
    pub email_hash: Option<String>,
    /// What refused it, where several things can.
    pub by: Option<&'static str>,
}

/// Something that somebody who manages did.
#[derive(Clone, Debug)]
pub struct ActEvent<'a> {
    /// Who.
    pub by: Uuid,
    /// What, as the log of acts names it.
    pub act: &'a str,
    /// To what kind of thing.
    pub subject: &'a str,
    /// To which.
    pub subject_id: &'a str,
}

/// The security events of one instance; clones share it.
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
    /// Writes what a client did, unless there was too much of it.
    pub fn tell(&self, told: &ClientEvent) {
        let origin = Origin::Network(Network::of(told.client));
        let Some(omitted) = self.0.count(told.event, origin) else { return };
        tracing::warn!(
            target: "security",
            event = told.event.name(),
            client = %told.client,
            account_id = told.account_id.map(display),
            email_hash = told.email_hash,
            by = told.by,
            omitted,
        );
    }

    /// Writes what somebody who manages did, unless there was too much of it.
    pub fn tell_act(&self, told: &ActEvent<'_>) {
        let event = SecurityEvent::AdminAct;
        let Some(omitted) = self.0.count(event, Origin::Account(told.by)) else { return };
        tracing::info!(
            target: "security",
            event = event.name(),
            account_id = %told.by,
            act = told.act,
            subject = told.subject,
            subject_id = told.subject_id,
            omitted,
        );
    }

    /// Says what was left out of those who are quiet now, and forgets them; called now and then.
    pub fn forget(&self) {
        self.0.each.forget();
        let left_out = std::mem::take(&mut *self.0.omitted());
        let (mut n_told, mut others) = (0, left_out.others);
        for ((event, origin), omitted) in left_out.each {
            if n_told == TOLD_MAX {
                others += omitted;
                continue;
            }
            n_told += 1;
            let (of, origin) = (event.name(), display(origin));
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

    /// How many lines were left out before this one; `None` where this one is left out too.
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

/// A name for `text` that only this deployment can make: equal texts have equal names, and
/// nobody finds the text by trying.
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
