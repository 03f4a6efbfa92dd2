//! Kinds of point transactions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// Reason of a point transaction, in the order the filter shows them.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    sqlx::Type,
    strum::EnumString,
    strum::AsRefStr,
    strum::VariantArray,
    JsonSchema,
)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Kind {
    /// Given by the demo provider, without money.
    Charge,
    /// Bought with money at a payment provider.
    Purchase,
    /// Taken back because the money was returned.
    Reversal,
    /// Given back after a dispute about the money was won.
    Reinstatement,
    /// Paid out: money of a purchase goes back to the card that paid it.
    Payout,
    /// Given back because a payout failed.
    PayoutReturn,
    /// Spent on a reservation.
    Payment,
    /// Returned for a reservation.
    Refund,
    /// Paid out for a ticket that another account bought.
    Resale,
    /// Received from another account.
    TransferIn,
    /// Sent to another account.
    TransferOut,
    /// Withheld for a transfer request.
    TransferHold,
    /// Released because the transfer request was not accepted.
    TransferRelease,
    /// Withheld for a share of a reservation that several people pay together.
    ShareHold,
    /// Released because the reservation was not paid with the share.
    ShareRelease,
    /// Corrected by an administrator.
    Adjustment,
    /// Debt that an administrator wrote off; no points move.
    WriteOff,
    /// Given up by the owner, who deleted the account.
    Forfeit,
}

impl Kind {
    /// Lists the kinds that owners can find in their history: all but the forfeit, after which no
    /// owner is left.
    pub fn seen_by_owners() -> impl Iterator<Item = Self> {
        Self::VARIANTS.iter().copied().filter(|kind| *kind != Self::Forfeit)
    }

    /// Whether the other side is the house and not another account.
    pub(crate) fn is_with_the_house(self) -> bool {
        match self {
            Self::Charge
            | Self::Purchase
            | Self::Reversal
            | Self::Reinstatement
            | Self::Payout
            | Self::PayoutReturn
            | Self::Payment
            | Self::Refund
            | Self::Resale
            | Self::Adjustment
            | Self::WriteOff
            | Self::Forfeit => true,
            Self::TransferHold
            | Self::TransferRelease
            | Self::TransferOut
            | Self::TransferIn
            | Self::ShareHold
            | Self::ShareRelease => false,
        }
    }

    /// Returns the locale key of the kind's name.
    pub fn text_key(self) -> &'static str {
        match self {
            Self::Charge => "wallet-kind-charge",
            Self::Purchase => "wallet-kind-purchase",
            Self::Reversal => "wallet-kind-reversal",
            Self::Reinstatement => "wallet-kind-reinstatement",
            Self::Payout => "wallet-kind-payout",
            Self::PayoutReturn => "wallet-kind-payout-return",
            Self::Payment => "wallet-kind-payment",
            Self::Refund => "wallet-kind-refund",
            Self::Resale => "wallet-kind-resale",
            Self::Adjustment => "wallet-kind-adjustment",
            Self::WriteOff => "wallet-kind-write-off",
            Self::Forfeit => "wallet-kind-forfeit",
            Self::TransferHold => "wallet-kind-transfer-hold",
            Self::TransferRelease => "wallet-kind-transfer-release",
            Self::TransferOut => "wallet-kind-transfer-out",
            Self::ShareHold => "wallet-kind-share-hold",
            Self::ShareRelease => "wallet-kind-share-release",
            Self::TransferIn => "wallet-kind-transfer-in",
        }
    }
}
