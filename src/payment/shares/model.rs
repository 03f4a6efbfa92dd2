//! Types of shares.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    accounts::{AccountId, Email},
    catalog::ProgramId,
    infra::ids::ids,
    payment::model::PaymentId,
    points::Points,
    reservation::{ReservationId, ReservationItemId},
    text::i18n::Locale,
    tickets::TicketCode,
    wallet::ShareOfPayer,
};

/// Live shares of one reservation that have a link: the holder and seven friends pay together.
pub(crate) const FRIENDS_MAX: usize = 7;
/// Shares of one reservation, whatever their outcome, which bounds the rows of a holder who makes
/// and takes back shares repeatedly.
pub(crate) const SHARES_MAX: i64 = 50;

ids! {
    /// Id of a share; also the id of its payment and the reference of its entries.
    pub ShareId(Uuid),
}

/// State of a share.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    sqlx::Type,
    strum::AsRefStr,
    JsonSchema,
)]
#[strum(serialize_all = "kebab-case")]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ShareStatus {
    /// Not paid yet.
    Open,
    /// Its points are withheld in the payer's wallet.
    Withheld,
    /// The points are spent: the reservation is confirmed.
    Paid,
    /// Ended by its payer, whose points were released.
    Withdrawn,
    /// Ended by the holder; the points of a payer were released.
    TakenBack,
    /// Ended with the hold; the points of a payer were released.
    Returned,
}

impl ShareStatus {
    /// Returns the locale key of its name.
    pub fn text_key(self) -> String {
        format!("share-status-{}", self.as_ref())
    }

    /// Whether the share may still be paid or confirmed.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Open | Self::Withheld)
    }
}

/// Seat, or one place in a zone: an item of a reservation and the number within it, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub item_id: ReservationItemId,
    pub number: i32,
}

impl std::fmt::Display for Place {
    /// Writes the place as forms send it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.item_id, self.number)
    }
}

/// Error for text that is not a place.
#[derive(Clone, Copy, Debug)]
pub struct NoPlace;

impl std::str::FromStr for Place {
    type Err = NoPlace;

    fn from_str(text: &str) -> Result<Self, NoPlace> {
        let (item_id, number) = text.split_once(':').ok_or(NoPlace)?;
        let item_id = item_id.parse().ok().ok_or(NoPlace)?;
        let number = number.parse().ok().filter(|number| *number > 0).ok_or(NoPlace)?;
        Ok(Self { item_id, number })
    }
}

/// Share to be written.
#[derive(Clone, Debug)]
pub(crate) struct NewShare<'a> {
    pub id: ShareId,
    pub reservation_id: ReservationId,
    /// The holder, for a share of the holder's own, which is withheld at once; `None` for a friend's.
    pub payer_id: Option<AccountId>,
    pub amount: Points,
    /// SHA-256 of the code in its link; `None` for a share of the holder's own.
    pub code_hash: Option<&'a [u8]>,
    /// Places, each with the quantity of its item.
    pub places: &'a [(Place, i32)],
}

/// Command to make a share.
#[derive(Clone, Debug)]
pub(crate) struct ShareOrder {
    pub owner_id: AccountId,
    pub reservation_id: ReservationId,
    /// Places, at least one.
    pub places: BTreeSet<Place>,
    /// Address that the link is mailed to; `None`: the holder passes it on.
    pub to: Option<Email>,
    /// Language of the holder, in which that mail is written.
    pub locale: Locale,
}

/// Live share whose row this transaction has locked.
#[derive(Clone, Debug)]
pub(crate) struct LockedShare {
    pub id: ShareId,
    pub payer_id: Option<AccountId>,
    pub amount: Points,
    pub status: ShareStatus,
    pub version: i64,
    /// Whether it has a link, and so was made for a friend.
    pub(crate) has_link: bool,
}

impl LockedShare {
    /// Returns the points that its payer has withheld for it; `None` unless the share is withheld.
    pub(crate) fn withheld(&self) -> Option<ShareOfPayer> {
        let payer_id = self.payer_id.filter(|_| self.status == ShareStatus::Withheld)?;
        Some(ShareOfPayer { share_id: self.id.0, payer_id, amount: self.amount })
    }
}

/// Share that a link leads to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkedShare {
    pub id: ShareId,
    pub reservation_id: ReservationId,
    /// Holder of the reservation.
    pub owner_id: AccountId,
    pub program_id: ProgramId,
}

/// Share that was made; also stored as the outcome of its request key. It does not contain the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShareMade {
    pub share_id: ShareId,
    /// Price of its places.
    pub amount: Points,
}

/// Result of paying a share; also stored as the outcome of its request key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SharePaid {
    pub share_id: ShareId,
    /// `WITHHELD`, or `PAID` if it was the last one.
    pub status: ShareStatus,
    /// Price of its places.
    pub amount: Points,
    /// Balance of the payer's wallet; withheld points are in it.
    pub balance: Points,
    /// Codes of the payer's tickets, once the reservation is confirmed; empty before.
    pub tickets: Vec<TicketCode>,
}

impl From<ShareId> for PaymentId {
    /// Returns the id of the payment that a share becomes.
    fn from(id: ShareId) -> Self {
        Self(id.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_is_written() {
        let item_id = ReservationItemId(Uuid::now_v7());
        let place = Place { item_id, number: 3 };
        assert_eq!(place.to_string().parse::<Place>().unwrap(), place);
        for nonsense in ["", ":", "1", ":1", &item_id.to_string(), &format!("{item_id}:0")] {
            assert!(nonsense.parse::<Place>().is_err(), "{nonsense}");
        }
    }

    #[test]
    fn only_a_share_whose_points_are_withheld_gives_any_back() {
        use ShareStatus::{Open, Paid, Returned, TakenBack, Withdrawn, Withheld};
        let payer_id = AccountId(Uuid::now_v7());
        for status in [Open, Withheld, Paid, Withdrawn, TakenBack, Returned] {
            assert_eq!(status.is_live(), matches!(status, Open | Withheld), "{status:?}");
            let share = LockedShare {
                id: ShareId(Uuid::now_v7()),
                payer_id: Some(payer_id),
                amount: Points::ONE,
                status,
                version: 1,
                has_link: true,
            };
            let withheld = share.withheld();
            assert_eq!(withheld.is_some(), status == Withheld, "{status:?}");
            assert!(withheld.is_none_or(|of| of.share_id == share.id.0 && of.payer_id == payer_id));
        }
    }
}
