//! Types of a join.

use chrono::{DateTime, Utc};

use crate::{
    accounts::AccountId,
    entry_queue::{
        access_gates::model::OwnGate,
        guards::{judge::Objection, model::Arrival},
        log::Commitment,
        model::{QueueNumber, TokenId},
        redis_queue::Position,
    },
};

/// One account's request to join. Ids of tokens rise in the order of arrival.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JoinRequest {
    pub token_id: TokenId,
    pub account_id: AccountId,
    pub(crate) arrival: Arrival,
    /// Entry of the token in the public log.
    pub commitment: Commitment,
}

/// Whether an account is in the queue that it joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Out,
    /// Its stay has run out, and its token does not say so yet.
    Ended,
    /// It has a live token, or an entry in a draw that is not over.
    In,
}

/// Outcome of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JoinVerdict {
    /// A token was issued.
    Joined,
    /// An entry in the opening draw was made.
    Entered,
    /// The account has a live token, or an entry in a draw that is not over.
    AlreadyIn,
    /// The account was deleted.
    AccountGone,
    /// The sale has not opened.
    NotOpen { opens_at: DateTime<Utc> },
    /// The sale is over, or the program was cancelled.
    Closed,
    /// A guard against hoarding refused.
    Refused(Objection),
}

/// Token that a join was issued.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewPlace {
    pub(crate) token_id: TokenId,
    pub(crate) account_id: AccountId,
    pub(crate) number: QueueNumber,
    /// End of the stay, if the join was admitted with its number.
    pub(crate) stay_ends_at: Option<DateTime<Utc>>,
}

/// Batch of joins that was written.
#[derive(Debug)]
pub(crate) struct WrittenJoins {
    /// Verdicts in the order of the joins.
    pub(crate) verdicts: Vec<JoinVerdict>,
    /// Issued tokens in the order of their numbers; `None` where that order is not known: the numbers are
    /// yet to be drawn, or an earlier attempt has written some of them.
    pub(crate) places: Option<Vec<NewPlace>>,
    /// Whether the gate was asked and has no room for one more.
    pub(crate) is_full: bool,
}

/// Answer to one join.
#[derive(Clone, Copy, Debug)]
pub struct JoinAnswer {
    pub(crate) verdict: JoinVerdict,
    /// Token that the join was issued, if it is known.
    pub(crate) place: Option<NewPlace>,
    /// Position of the account behind the projection of the join, if it is known.
    pub(crate) position: Option<Position>,
    /// Whether the gate was asked with the join and has no room for one more.
    pub(crate) is_full: bool,
}

impl JoinVerdict {
    /// Returns the verdict for an account that may use `gate`: the sale opens to it with the program's
    /// gate or with `gate`, the earlier of both.
    pub(crate) fn opening_with(self, gate: Option<&OwnGate>) -> Self {
        match (self, gate) {
            (Self::NotOpen { opens_at }, Some(gate)) => {
                Self::NotOpen { opens_at: opens_at.min(gate.opens_at) }
            }
            _ => self,
        }
    }
}
