//! Wallets, their changes, and the rules of both.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::error::WalletError;
use crate::{accounts::AccountId, infra::ids::ids, points::Points, text::i18n::grouped};

pub use super::kind::Kind;

ids! {
    /// Id of a wallet. Two wallets are locked in the order of their ids.
    pub WalletId(Uuid),
}

/// Wallet as one statement read it.
#[derive(Clone, Debug, Deserialize)]
pub struct Wallet {
    /// Id of the wallet.
    pub wallet_id: WalletId,
    /// Account that owns the wallet.
    pub account_id: AccountId,
    /// All points, including withheld ones.
    pub balance: Points,
    /// Points withheld for open transfer requests.
    pub pending: Points,
    /// Points that were taken back after they had been spent: withheld as far as the wallet has
    /// points.
    pub debt: Points,
    /// Whether the account was deleted: nothing stays in the wallet any more.
    pub is_closed: bool,
    /// Number of changes so far; a write must name the version it read.
    pub version: i64,
}

impl Wallet {
    /// Returns the points that can be spent.
    pub fn usable(&self) -> Points {
        self.unpledged().checked_sub(self.debt).unwrap_or_default()
    }

    /// Returns the points that no transfer request withholds.
    pub(crate) fn unpledged(&self) -> Points {
        self.balance.checked_sub(self.pending).unwrap_or_default()
    }

    /// Returns the wallet after `movement`; refused if it would spend points that are not usable.
    /// Only a reversal, and giving the whole wallet up, takes points that are withheld for a debt.
    pub fn after(&self, movement: &Movement) -> Result<Self, WalletError> {
        let short = || WalletError::InsufficientPoints {
            balance: self.usable(),
            needed: Points::new(movement.pending_change.saturating_sub(movement.amount))
                .unwrap_or_default(),
        };
        let balance = self.balance.get().checked_add(movement.amount);
        let balance = Points::new(balance.ok_or(WalletError::TooManyPoints)?).ok_or_else(short)?;
        let pending = self.pending.get().checked_add(movement.pending_change);
        let pending = Points::new(pending.ok_or(WalletError::TooManyPoints)?);
        // Only a release of points that were not withheld can make it negative.
        let pending = pending.ok_or(WalletError::NothingWithheld)?;
        let unpledged = balance.checked_sub(pending).ok_or_else(short)?;
        // Withheld points leave only where the others cover the debt.
        if movement.amount < 0 && movement.pending_change < 0 && unpledged < self.debt {
            return Err(WalletError::Frozen);
        }
        let keeps_debt = !matches!(movement.kind, Kind::Reversal | Kind::Forfeit);
        if keeps_debt && unpledged < self.unpledged().min(self.debt) {
            return Err(short());
        }
        let debt = self.debt.get().checked_add(movement.debt_change).and_then(Points::new);
        let debt = debt.ok_or(WalletError::TooManyPoints)?;
        Ok(Self { balance, pending, debt, version: self.version + 1, ..self.clone() })
    }
}

/// What an account can pay with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Means {
    /// Points that can be spent.
    pub usable: Points,
    /// Points that are owed beyond those in the wallet: what is added covers them first.
    pub owed: Points,
}

impl Means {
    /// Returns the means of the owner of a wallet; none of an account without one.
    pub fn of(wallet: Option<&Wallet>) -> Self {
        let owed = |wallet: &Wallet| wallet.debt.checked_sub(wallet.unpledged());
        let owed = wallet.and_then(owed).unwrap_or_default();
        Self { usable: wallet.map(Wallet::usable).unwrap_or_default(), owed }
    }

    /// Returns the points that must be added before `amount` can be paid, to whose payment `given` are credited first.
    pub fn lacking(self, amount: Points, given: Points) -> Points {
        let needed = amount.checked_add(self.owed);
        let available = self.usable.checked_add(given);
        let lacking = needed.zip(available).and_then(|(all, own)| all.checked_sub(own));
        lacking.unwrap_or_default()
    }
}

/// Change of a wallet to be written.
#[derive(Clone, Copy, Debug)]
pub struct Movement {
    pub kind: Kind,
    /// Signed change of the balance.
    pub amount: i64,
    /// Signed change of the withheld points.
    pub pending_change: i64,
    /// Signed change of the points that are owed.
    pub(crate) debt_change: i64,
    /// Id of the charge, payment or transfer that moves the points.
    pub reference_id: Uuid,
}

impl Movement {
    /// Creates a movement into the balance.
    pub fn credit(kind: Kind, amount: Points, reference_id: Uuid) -> Self {
        Self { kind, amount: amount.get(), pending_change: 0, debt_change: 0, reference_id }
    }

    /// Creates a movement that withholds points; they stay in the balance.
    pub fn hold(kind: Kind, amount: Points, reference_id: Uuid) -> Self {
        let pending_change = amount.get();
        Self { kind, amount: 0, pending_change, debt_change: 0, reference_id }
    }

    /// Creates a movement that releases withheld points.
    pub fn release(kind: Kind, amount: Points, reference_id: Uuid) -> Self {
        let pending_change = -amount.get();
        Self { kind, amount: 0, pending_change, debt_change: 0, reference_id }
    }

    /// Creates a movement of withheld points out of the balance.
    pub fn out(kind: Kind, amount: Points, reference_id: Uuid) -> Self {
        let change = -amount.get();
        Self { kind, amount: change, pending_change: change, debt_change: 0, reference_id }
    }

    /// Creates a movement out of the balance.
    pub fn debit(kind: Kind, amount: Points, reference_id: Uuid) -> Self {
        Self { kind, amount: -amount.get(), pending_change: 0, debt_change: 0, reference_id }
    }
}

/// Entry of a wallet's history.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PointTransaction {
    /// Id of the point transaction.
    pub id: Uuid,
    /// Reason of the change.
    pub kind: Kind,
    /// Signed change of the balance.
    pub amount: i64,
    /// Balance after the change.
    pub balance_after: Points,
    /// Signed change of the withheld points.
    pub pending_change: i64,
    /// Id of the charge, payment or transfer that moved the points.
    #[serde(skip)]
    pub reference_id: Uuid,
    /// Name of the other person of a transfer; `None` for other changes.
    pub counterparty: Option<String>,
    /// Time of the change.
    pub created_at: DateTime<Utc>,
}

impl PointTransaction {
    /// Returns the amount as shown: the signed change of the balance, or in brackets the change of
    /// the usable points.
    pub(crate) fn shown(&self) -> String {
        let signed = |points: i64| match points {
            1.. => format!("+{}", grouped(points)),
            _ => grouped(points).replace('-', "\u{2212}"),
        };
        match self.amount {
            0 if self.pending_change != 0 => format!("({})", signed(-self.pending_change)),
            amount => signed(amount),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wallet(balance: i64, pending: i64) -> Wallet {
        Wallet {
            wallet_id: WalletId(Uuid::nil()),
            account_id: AccountId(Uuid::nil()),
            balance: Points::new(balance).unwrap(),
            pending: Points::new(pending).unwrap(),
            debt: Points::ZERO,
            is_closed: false,
            version: 7,
        }
    }

    #[test]
    fn withheld_points_cannot_be_spent() {
        let wallet = wallet(100, 40);
        let spend = |points| {
            wallet.after(&Movement::debit(Kind::Payment, Points::new(points).unwrap(), Uuid::nil()))
        };
        let left = spend(60).unwrap();
        assert_eq!((left.balance.get(), left.version), (40, 8));
        let refusal = spend(61).unwrap_err();
        let WalletError::InsufficientPoints { balance, needed } = refusal else {
            panic!("{refusal}")
        };
        assert_eq!((balance.get(), needed.get()), (60, 61));
    }

    #[test]
    fn a_request_withholds_what_is_usable_and_no_more() {
        let points = |points| Points::new(points).unwrap();
        let withhold = |n| Movement::hold(Kind::TransferHold, points(n), Uuid::nil());
        let out = |n| Movement::out(Kind::TransferOut, points(n), Uuid::nil());
        let release = |n| Movement::release(Kind::TransferRelease, points(n), Uuid::nil());
        let held = wallet(100, 40).after(&withhold(60)).unwrap();
        assert_eq!((held.balance, held.pending), (points(100), points(100)));
        assert!(held.after(&withhold(1)).is_err());
        let sent = held.after(&out(60)).unwrap();
        assert_eq!((sent.balance, sent.pending), (points(40), points(40)));
        let back = held.after(&release(60)).unwrap();
        assert_eq!(back.usable(), points(60));
        assert!(wallet(100, 0).after(&release(1)).is_err());
    }

    #[test]
    fn a_debt_withholds_what_the_wallet_has_and_what_comes() {
        let points = |points| Points::new(points).unwrap();
        let owing = Wallet { debt: points(30), ..wallet(100, 20) };
        assert_eq!(owing.usable(), points(50));
        let pay = |wallet: &Wallet, n| {
            wallet.after(&Movement::debit(Kind::Payment, points(n), Uuid::nil()))
        };
        assert!(pay(&owing, 51).is_err());
        assert_eq!(pay(&owing, 50).unwrap().usable(), Points::ZERO);
        // A wallet that has less than it owes is still credited, and sends nothing, not even what it
        // offered before.
        let poor = Wallet { debt: points(500), ..wallet(100, 20) };
        assert!(pay(&poor, 1).is_err());
        assert!(poor.after(&Movement::credit(Kind::Refund, points(1), Uuid::nil())).is_ok());
        let out = Movement::out(Kind::TransferOut, points(20), Uuid::nil());
        assert!(matches!(poor.after(&out), Err(WalletError::Frozen)));
        assert!(Wallet { debt: points(80), ..wallet(100, 20) }.after(&out).is_ok());
        assert!(poor.after(&Movement::debit(Kind::Reversal, points(80), Uuid::nil())).is_ok());
    }

    #[test]
    fn a_wallet_does_not_overflow() {
        let credit = Movement::credit(Kind::Charge, Points::new(1).unwrap(), Uuid::nil());
        let refusal = wallet(i64::MAX, 0).after(&credit).unwrap_err();
        assert!(matches!(refusal, WalletError::TooManyPoints), "{refusal}");
    }

    #[test]
    fn what_is_only_withheld_is_shown_in_brackets() {
        let shown = |amount, pending_change| {
            let entry = PointTransaction {
                id: Uuid::nil(),
                kind: Kind::Payment,
                amount,
                balance_after: Points::ZERO,
                pending_change,
                reference_id: Uuid::nil(),
                counterparty: None,
                created_at: DateTime::UNIX_EPOCH,
            };
            entry.shown()
        };
        assert_eq!([shown(5, 0), shown(-5, -5), shown(0, 0)], ["+5", "\u{2212}5", "0"]);
        assert_eq!([shown(0, 5), shown(0, -5)], ["(\u{2212}5)", "(+5)"]);
    }
}
