//! Types of the money of a period, and the equation between its sums.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Serialize;
use strum::VariantArray as _;

use crate::wallet::Kind;

/// Sums of groups, each of one day.
pub(super) type DaySums = Vec<((NaiveDate, MoneyGroup), MoneySums)>;

/// Sums of a period by day and group.
pub(crate) type MoneyByDay = BTreeMap<(NaiveDate, MoneyGroup), MoneySums>;

/// What a row of money is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoneyKind {
    /// Entries of one kind.
    Entry(Kind),
    /// Money that came for an account that was deleted before; it gave no points.
    Unclaimed,
    /// Such money that was returned.
    UnclaimedReturned,
}

impl MoneyKind {
    /// Returns its name for programs.
    pub(crate) fn code(self) -> String {
        match self {
            Self::Entry(kind) => kind.as_ref().to_owned(),
            Self::Unclaimed => "UNCLAIMED".to_owned(),
            Self::UnclaimedReturned => "UNCLAIMED_RETURNED".to_owned(),
        }
    }

    /// Returns the locale key of its name.
    pub(crate) fn text_key(self) -> &'static str {
        match self {
            // The history of a wallet speaks to its owner.
            Self::Entry(Kind::Payout) => "admin-money-payout",
            Self::Entry(Kind::PayoutReturn) => "admin-money-payout-return",
            Self::Entry(kind) => kind.text_key(),
            Self::Unclaimed => "admin-money-unclaimed",
            Self::UnclaimedReturned => "admin-money-unclaimed-returned",
        }
    }

    /// Returns the part of the equation to which its points belong.
    fn side(self) -> Side {
        match self {
            Self::Entry(
                Kind::Charge
                | Kind::Purchase
                | Kind::Reversal
                | Kind::Reinstatement
                | Kind::Payout
                | Kind::PayoutReturn,
            )
            | Self::Unclaimed
            | Self::UnclaimedReturned => Side::Charged,
            Self::Entry(Kind::Payment | Kind::Refund | Kind::Resale) => Side::Sold,
            Self::Entry(Kind::Adjustment | Kind::WriteOff) => Side::Adjusted,
            Self::Entry(Kind::Forfeit) => Side::Forfeited,
            Self::Entry(
                Kind::TransferIn
                | Kind::TransferOut
                | Kind::TransferHold
                | Kind::TransferRelease
                | Kind::ShareHold
                | Kind::ShareRelease,
            ) => Side::Between,
        }
    }

    /// Returns its place among the rows.
    fn place(self) -> usize {
        let nth = |kind| Kind::VARIANTS.iter().position(|one| *one == kind);
        match self {
            Self::Entry(kind) => nth(kind).unwrap_or(usize::MAX),
            Self::Unclaimed => Kind::VARIANTS.len(),
            Self::UnclaimedReturned => Kind::VARIANTS.len() + 1,
        }
    }
}

impl Ord for MoneyKind {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.place().cmp(&other.place())
    }
}

impl PartialOrd for MoneyKind {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Part of the equation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Charged,
    Sold,
    Adjusted,
    Forfeited,
    Between,
}

/// Rows of one kind and currency.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MoneyGroup {
    pub kind: MoneyKind,
    /// Code of the currency; `None` where no money moved.
    pub currency: Option<String>,
}

/// Sums of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MoneySums {
    pub n_entries: i64,
    /// Points that came into wallets; negative where points left.
    pub points: i64,
    /// Money that came to the house, in minor units; negative where it was sent back or lost.
    pub minor: i64,
    /// Part of it that the provider has not confirmed yet.
    pub under_way_minor: i64,
}

impl MoneySums {
    /// Adds the sums of another part.
    pub(crate) fn add(&mut self, other: &Self) {
        self.n_entries += other.n_entries;
        self.points += other.points;
        self.minor += other.minor;
        self.under_way_minor += other.under_way_minor;
    }
}

/// Sides of the equation, in points: `charged - sold + adjusted + forfeited + between = wallets`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct PointsEquation {
    /// Points that were charged, less those paid out to cards and those taken back.
    pub charged: i64,
    /// Points that the house earned: sold less refunded.
    pub sold: i64,
    /// Points that staff gave; negative where staff took points.
    pub adjusted: i64,
    /// Points given up with deleted accounts, negative.
    pub forfeited: i64,
    /// Points of a transfer of which one side is before the beginning or behind the end of the period; else zero.
    pub between: i64,
    /// Change of the points that people have.
    pub wallets: i64,
    /// Points of `sold` that the rows of the settlement do not have yet.
    pub unbooked: i64,
}

/// Money of a period.
#[derive(Clone, Debug, Default)]
pub(crate) struct PeriodMoney {
    pub rows: BTreeMap<MoneyGroup, MoneySums>,
    pub equation: PointsEquation,
}

impl PeriodMoney {
    /// Adds up the days; `booked` are the points that the settlement's rows have.
    pub(crate) fn of(by_day: MoneyByDay, booked: i64) -> Self {
        let mut money = Self::default();
        for ((_, group), sums) in by_day {
            money.rows.entry(group).or_default().add(&sums);
        }
        let of = |side| {
            let rows = money.rows.iter().filter(|(group, _)| group.kind.side() == side);
            rows.map(|(_, sums)| sums.points).sum::<i64>()
        };
        let sold = -of(Side::Sold);
        money.equation = PointsEquation {
            charged: of(Side::Charged),
            sold,
            adjusted: of(Side::Adjusted),
            forfeited: of(Side::Forfeited),
            between: of(Side::Between),
            wallets: money.rows.values().map(|sums| sums.points).sum(),
            unbooked: sold - booked,
        };
        money
    }

    /// Returns what came less what went back, by currency.
    pub(crate) fn by_currency(&self) -> BTreeMap<&str, i64> {
        let mut sums = BTreeMap::new();
        for (group, of) in &self.rows {
            if let Some(currency) = &group.currency {
                *sums.entry(currency.as_str()).or_default() += of.minor;
            }
        }
        sums
    }
}
