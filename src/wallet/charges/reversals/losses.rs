//! Money that left purchases, or came back to them, by what the provider told: refunds that staff made there, and disputes.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{
    model::{PaidPurchase, Reversal},
    store,
};
use crate::{
    infra::postgres::Pool,
    wallet::charges::purchases::model::{PurchaseId, PurchaseStatus},
};

/// Money that one reversal says has left, or has come back.
#[derive(Clone, Debug)]
pub struct Loss {
    /// When it was booked.
    pub at: DateTime<Utc>,
    /// Code of the currency, in upper case.
    pub currency: String,
    /// Minor units that left; negative if they came back.
    pub minor: i64,
    /// Whether no points were given for the money, because the account was deleted before it came.
    pub is_unclaimed: bool,
}

/// Lists what reversals that were booked from `from` until before `until` say of money. Of one purchase all of them
/// together are what is lost of it at the end: a later total of the provider has earlier refunds in it.
pub async fn list_losses(
    db: &Pool,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<Vec<Loss>, sqlx::Error> {
    let ids = store::list_reversed(db, from, until).await?;
    let mut losses = Vec::new();
    for (purchase, rows) in list(db, &ids).await? {
        let of_purchase = purchase.losses(&rows).into_iter();
        losses.extend(of_purchase.filter(|loss| (from..until).contains(&loss.at)));
    }
    Ok(losses)
}

/// Returns the minor units of each purchase that refunds of staff have taken, as far as they are booked.
pub async fn returned_by_staff(db: &Pool, ids: &[Uuid]) -> Result<HashMap<Uuid, i64>, sqlx::Error> {
    let ids: Vec<PurchaseId> = ids.iter().copied().map(PurchaseId).collect();
    let read = list(db, &ids).await?.into_iter();
    Ok(read.map(|(purchase, rows)| (purchase.id.0, purchase.returned_by_staff(&rows))).collect())
}

/// Lists purchases with their reversals, in the order in which these were written.
async fn list(
    db: &Pool,
    ids: &[PurchaseId],
) -> Result<Vec<(PaidPurchase, Vec<Reversal>)>, sqlx::Error> {
    let mut rows: HashMap<PurchaseId, Vec<Reversal>> = HashMap::new();
    for (id, reversal) in store::list_all_reversals(db, ids).await? {
        rows.entry(id).or_default().push(reversal);
    }
    let purchases = store::list_paid(db, ids).await?.into_iter();
    let with_rows = purchases.map(|purchase| {
        let own = rows.remove(&purchase.id).unwrap_or_default();
        (purchase, own)
    });
    Ok(with_rows.collect())
}

impl PaidPurchase {
    /// Returns what each of its reversals `rows` says of its money, where it says something.
    fn losses(&self, rows: &[Reversal]) -> Vec<Loss> {
        // The status of today says nothing about the time of a row.
        let then = Self { status: PurchaseStatus::Settled, ..self.clone() };
        let after = |n_rows| then.lost_minor(rows.get(..n_rows).unwrap_or_default());
        let losses = (1..=rows.len()).zip(rows).filter_map(|(n_rows, row)| {
            let (minor, currency) = (after(n_rows) - after(n_rows - 1), self.currency.clone());
            let is_unclaimed = self.is_unclaimed;
            let loss = Loss { at: row.created_at?, currency, minor, is_unclaimed };
            (minor != 0).then_some(loss)
        });
        losses.collect()
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::{
        accounts::AccountId,
        points::Points,
        wallet::charges::reversals::model::{Cause, OwnPayout},
    };

    fn at(secs: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(secs)
    }

    /// Purchase of 1,000 points for 3,000, of which 500 were paid out after 100 seconds.
    fn purchase(status: PurchaseStatus) -> PaidPurchase {
        let id = PurchaseId(Uuid::nil());
        let own = OwnPayout {
            charge_id: id,
            minor: 500,
            sent_at: Some(at(100)),
            failed_at: None,
            is_known: true,
            is_settled: true,
        };
        PaidPurchase {
            id,
            account_id: AccountId(Uuid::nil()),
            points: Points::new(1_000).unwrap(),
            amount_minor: 3_000,
            currency: "EUR".to_owned(),
            status,
            reversed: 0,
            paid_out: 0,
            own: vec![own],
            is_unclaimed: false,
        }
    }

    fn row(cause: Cause, cause_ref: &str, minor: i64, secs: i64) -> Reversal {
        let (happened_at, created_at) = (Some(at(secs)), Some(at(secs)));
        let cause_ref = cause_ref.to_owned();
        Reversal { cause, cause_ref, amount_minor: Some(minor), happened_at, created_at, points: 0 }
    }

    #[test]
    fn each_reversal_says_what_it_adds_and_all_of_them_what_is_lost() {
        let rows = [
            row(Cause::Refund, "700", 700, 50),
            // The total has the own payout in it.
            row(Cause::Refund, "1500", 1_500, 200),
            row(Cause::RefundFailed, "re_1", 300, 300),
            row(Cause::Dispute, "dp_1", 2_000, 400),
            row(Cause::DisputeWon, "dp_1", 2_000, 500),
            row(Cause::PayoutFailed, "po_1", 500, 600),
        ];
        for status in [PurchaseStatus::Settled, PurchaseStatus::Refunded, PurchaseStatus::Disputed]
        {
            let losses = purchase(status).losses(&rows);
            let told: Vec<_> = losses.iter().map(|loss| (loss.at, loss.minor)).collect();
            let expected = [(50, 700), (200, 300), (300, -300), (400, 2_000), (500, -2_000)]
                .map(|(s, m)| (at(s), m));
            assert_eq!(told, expected, "{status:?}");
        }
        assert_eq!(purchase(PurchaseStatus::Settled).returned_by_staff(&rows), 700);
    }

    #[test]
    fn no_more_is_lost_than_was_paid() {
        let rows = [row(Cause::Refund, "2600", 2_600, 50), row(Cause::Dispute, "dp_1", 3_000, 60)];
        let losses = purchase(PurchaseStatus::Disputed).losses(&rows);
        assert_eq!(losses.iter().map(|loss| loss.minor).sum::<i64>(), 3_000);
        let unknown =
            Reversal { amount_minor: None, points: 100, ..row(Cause::Dispute, "dp_2", 0, 70) };
        let losses = purchase(PurchaseStatus::Disputed).losses(&[unknown]);
        assert_eq!(losses[0].minor, 300, "at the price of its points");
    }
}
