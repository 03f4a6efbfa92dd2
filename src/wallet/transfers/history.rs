//! Status history of a request: the changes in its rows, and the clock's changes since.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::model::{ChangedBy, Transfer, TransferStatus};

/// Change of a request's state, as its sender and receiver see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct StatusChange {
    /// State after the change.
    pub status: TransferStatus,
    /// Time of the change.
    pub changed_at: DateTime<Utc>,
    /// Author of the change.
    pub by: ChangedBy,
}

impl StatusChange {
    fn new(status: TransferStatus, changed_at: DateTime<Utc>) -> Self {
        Self { status, changed_at, by: status.changed_by() }
    }
}

/// Returns the history of `transfer` up to its current state, oldest first, from its `written`
/// changes, each with whether the office made it. A planned request became pending at its start, and an expired
/// one ended at its end: no row records these moments, because nothing is written then.
pub(crate) fn history_of(
    transfer: &Transfer,
    written: &[(TransferStatus, DateTime<Utc>, bool)],
) -> Vec<StatusChange> {
    let mut history: Vec<StatusChange> = written
        .iter()
        .map(|(status, at, by_office)| match by_office {
            true => StatusChange { by: ChangedBy::Office, ..StatusChange::new(*status, *at) },
            false => StatusChange::new(*status, *at),
        })
        .collect();
    if let Some(starts_at) = transfer.starts_at {
        if let Some(made) = history.first_mut() {
            made.status = TransferStatus::Planned;
        }
        let ended_before = history.get(1).is_some_and(|end| end.changed_at < starts_at);
        if transfer.status != TransferStatus::Planned && !ended_before {
            let started = StatusChange {
                by: ChangedBy::Clock,
                ..StatusChange::new(TransferStatus::Pending, starts_at)
            };
            history.insert(history.len().min(1), started);
        }
    }
    if transfer.status == TransferStatus::Expired {
        history.retain(|change| change.status != TransferStatus::Expired);
        history.push(StatusChange::new(TransferStatus::Expired, transfer.expires_at));
    }
    history
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use uuid::Uuid;

    use super::{
        TransferStatus::{Accepted, Cancelled, Expired, Pending, Planned},
        *,
    };
    use crate::{
        points::Points,
        wallet::transfers::model::{TransferDirection, TransferId},
    };

    /// Returns a moment some minutes after the request was made.
    fn at(minutes: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_782_900_000, 0).unwrap() + TimeDelta::minutes(minutes)
    }

    /// Returns the history of a request that ends after an hour, with what was written of it.
    fn history(
        status: TransferStatus,
        starts: Option<i64>,
        end: Option<(TransferStatus, i64)>,
    ) -> Vec<(TransferStatus, DateTime<Utc>, ChangedBy)> {
        let transfer = Transfer {
            transfer_id: TransferId(Uuid::nil()),
            direction: TransferDirection::Sent,
            from: "ada".to_owned(),
            to: Some("bob".to_owned()),
            amount: Points::new(1).unwrap(),
            status,
            starts_at: starts.map(at),
            expires_at: at(60),
            created_at: at(0),
        };
        let end = end.map(|(status, minutes)| (status, at(minutes), false));
        let written: Vec<_> = [(Pending, at(0), false)].into_iter().chain(end).collect();
        let history = history_of(&transfer, &written);
        history.into_iter().map(|change| (change.status, change.changed_at, change.by)).collect()
    }

    #[test]
    fn a_history_says_what_was_written_and_what_the_clock_did() {
        let made = (Pending, at(0), ChangedBy::Sender);
        assert_eq!(history(Pending, None, None), [made]);
        let accepted = (Accepted, at(7), ChangedBy::Receiver);
        assert_eq!(history(Accepted, None, Some((Accepted, 7))), [made, accepted]);
        // Whether or not a worker has written the end, and however late it was.
        let expired = (Expired, at(60), ChangedBy::Clock);
        assert_eq!(history(Expired, None, None), [made, expired]);
        assert_eq!(history(Expired, None, Some((Expired, 61))), [made, expired]);
    }

    #[test]
    fn a_planned_request_starts_in_its_history_only_if_it_was_open_then() {
        let planned = (Planned, at(0), ChangedBy::Sender);
        let started = (Pending, at(30), ChangedBy::Clock);
        assert_eq!(history(Planned, Some(30), None), [planned]);
        assert_eq!(history(Pending, Some(30), None), [planned, started]);
        let cancelled = (Cancelled, at(10), ChangedBy::Sender);
        assert_eq!(history(Cancelled, Some(30), Some((Cancelled, 10))), [planned, cancelled]);
        // Cancelled in the moment in which it began.
        let cancelled = (Cancelled, at(30), ChangedBy::Sender);
        let began = history(Cancelled, Some(30), Some((Cancelled, 30)));
        assert_eq!(began, [planned, started, cancelled]);
        let accepted = (Accepted, at(31), ChangedBy::Receiver);
        assert_eq!(history(Accepted, Some(30), Some((Accepted, 31))), [planned, started, accepted]);
        let expired = (Expired, at(60), ChangedBy::Clock);
        assert_eq!(history(Expired, Some(30), None), [planned, started, expired]);
    }
}
