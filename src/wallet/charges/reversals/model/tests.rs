//! Tests of the effect of messages about a purchase, in every order.

use chrono::DateTime;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;

fn purchase(points: i64, amount_minor: i64) -> PaidPurchase {
    PaidPurchase {
        id: PurchaseId(Uuid::nil()),
        account_id: AccountId(Uuid::nil()),
        points: Points::new(points).unwrap(),
        amount_minor,
        currency: "KRW".to_owned(),
        status: PurchaseStatus::Settled,
        reversed: 0,
        paid_out: 0,
        own: Vec::new(),
        is_unclaimed: false,
    }
}

fn told(fact: MoneyFact, secs: Option<i64>) -> MoneyNews {
    MoneyNews {
        payment_ref: "pi_1".to_owned(),
        currency: "krw".to_owned(),
        happened_at: secs.map(|secs| DateTime::from_timestamp(secs, 0).unwrap()),
        fact,
    }
}

fn refund(minor: i64) -> MoneyFact {
    MoneyFact::Refunded { minor, trend: Trend::Rises }
}

fn falls_to(minor: i64) -> MoneyFact {
    MoneyFact::Refunded { minor, trend: Trend::Falls }
}

fn asked(minor: i64) -> MoneyFact {
    MoneyFact::Refunded { minor, trend: Trend::Asked }
}

fn failed(refund_ref: &str, minor: i64) -> MoneyFact {
    MoneyFact::RefundFailed { refund_ref: refund_ref.to_owned(), minor }
}

fn dispute(dispute_ref: &str, minor: i64) -> MoneyFact {
    MoneyFact::Disputed { dispute_ref: dispute_ref.to_owned(), minor }
}

fn won(dispute_ref: &str, minor: i64) -> MoneyFact {
    MoneyFact::DisputeWon { dispute_ref: dispute_ref.to_owned(), minor }
}

/// Books the messages `all`, in this order, and returns the purchase after them.
fn after<'a>(
    mut purchase: PaidPurchase,
    all: impl IntoIterator<Item = &'a MoneyNews>,
) -> PaidPurchase {
    let mut rows = Vec::new();
    for news in all {
        let Some(reversal) = purchase.reversal_of(news, &rows) else { continue };
        purchase.reversed += reversal.points;
        rows.push(reversal);
        purchase.status = purchase.status_after(&rows);
        assert!((0..=purchase.points.get()).contains(&purchase.reversed), "{rows:?}");
    }
    purchase
}

proptest! {
    /// Any parts refunded, reported in any order: in the end the points of all refunds are gone, rounded
    /// up, and never more than were bought.
    #[test]
    fn refunds_in_parts_take_what_one_refund_would(
        points in 1..1_000_000_i64, price in 1..1_000_i64,
        shares in prop::collection::vec(0..=1_000_i64, 1..8),
    ) {
        let amount_of = |share: &i64| points * price * share / 1_000;
        let all: Vec<_> = shares.iter().map(|share| told(refund(amount_of(share)), None)).collect();
        let refunded_max = shares.iter().map(amount_of).max().unwrap();
        let purchase = after(purchase(points, points * price), &all);
        prop_assert_eq!(purchase.reversed, (refunded_max + price - 1) / price);
    }

    /// Refunds, some of which fail later, each reported by the total at its moment and by its failure,
    /// in any order and more than once: the points of the others are taken, and no more.
    #[test]
    fn what_failed_comes_back_in_any_order(
        amounts in prop::collection::vec((1..100_i64, any::<bool>()), 1..5),
        order in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        seed in prop::collection::vec(any::<u32>(), 20),
        falls in any::<bool>(),
    ) {
        // Each refund is made after the failure of the one before.
        let (mut total, mut secs, mut all) = (0, 0, Vec::new());
        for (idx, (amount, fails)) in amounts.iter().enumerate() {
            (total, secs) = (total + amount, secs + 10);
            all.push(told(refund(total), Some(secs)));
            if *fails {
                (total, secs) = (total - amount, secs + 10);
                all.push(told(failed(&format!("re_{idx}"), *amount), Some(secs)));
                if falls {
                    all.push(told(falls_to(total), Some(secs)));
                }
            }
        }
        let mut told: Vec<_> = order.iter().map(|idx| idx.get(&all).clone()).collect();
        let mut rest: Vec<_> = all.iter().zip(&seed).collect();
        rest.sort_by_key(|(_, key)| **key);
        told.extend(rest.into_iter().map(|(news, _)| news.clone()));
        prop_assert_eq!(after(purchase(500, 500), &told).reversed, total);
    }
}

/// The messages lack the times of their facts, as far as that is allowed.
#[test]
fn a_refund_that_fails_takes_nothing_in_any_order() {
    let facts = [refund(300), failed("re_1", 300), failed("re_1", 300), refund(300)];
    for order in [[0, 1, 2, 3], [1, 0, 2, 3], [1, 2, 0, 3], [0, 3, 1, 2]] {
        let all: Vec<_> = order.iter().map(|idx| told(facts[*idx].clone(), None)).collect();
        let purchase = after(purchase(1_000, 1_000), &all);
        assert_eq!((purchase.reversed, purchase.status), (0, PurchaseStatus::Settled), "{order:?}");
    }
    let unknown = |minor| MoneyFact::Refunded { minor, trend: Trend::Unknown };
    for fact in [failed("re_1", 200), falls_to(300), unknown(300)] {
        let facts = [refund(200), refund(500), fact.clone(), refund(500), fact, refund(200)];
        let all = facts.map(|fact| told(fact, None));
        assert_eq!(after(purchase(1_000, 1_000), &all).reversed, 300);
    }
}

#[test]
fn a_second_refund_of_the_same_amount_is_taken_after_the_first_has_failed() {
    let all = [
        told(refund(300), Some(10)),
        told(failed("re_1", 300), Some(20)),
        told(refund(300), Some(30)),
        told(refund(300), Some(10)),
    ];
    assert_eq!(after(purchase(500, 500), &all).reversed, 300);
}

#[test]
fn a_whole_refund_that_fails_takes_the_purchase_back_to_what_it_was() {
    let all = [told(refund(500), None), told(failed("re_1", 500), None)];
    let disputed = [told(dispute("dp_1", 500), None), told(won("dp_1", 500), None)];
    assert_eq!(after(purchase(500, 500), &all[..1]).status, PurchaseStatus::Refunded);
    assert_eq!(after(purchase(500, 500), &all).status, PurchaseStatus::Settled);
    for (before, status) in [(1, PurchaseStatus::Disputed), (2, PurchaseStatus::Reinstated)] {
        let told = disputed[..before].iter().chain(&all);
        assert_eq!(after(purchase(500, 500), told).status, status);
    }
    let unclaimed = PaidPurchase { is_unclaimed: true, ..purchase(500, 500) };
    let refunded = after(unclaimed.clone(), &all[..1]);
    assert_eq!((refunded.reversed, refunded.status), (0, PurchaseStatus::Refunded));
    assert_eq!(after(unclaimed, &all).status, PurchaseStatus::Settled);
    // For a refund of unclaimed money older versions stored no row.
    assert_eq!(after(refunded, &all[1..]).status, PurchaseStatus::Settled);
}

#[test]
fn a_dispute_counts_once_in_any_order() {
    let (taken, given) = (told(dispute("dp_1", 500), None), told(won("dp_1", 500), None));
    let ends = |all: &[&MoneyNews]| {
        let purchase = after(purchase(500, 500), all.iter().copied());
        (purchase.reversed, purchase.status)
    };
    assert_eq!(ends(&[&taken, &taken]), (500, PurchaseStatus::Disputed));
    assert_eq!(ends(&[&taken, &given, &given]), (0, PurchaseStatus::Reinstated));
    assert_eq!(ends(&[&taken, &given, &taken]), (0, PurchaseStatus::Reinstated));
    assert_eq!(ends(&[&given, &taken]), (0, PurchaseStatus::Settled));
}

/// Refunded points stay taken when a dispute is won, with both reported in any order and about any part
/// of the money.
#[test]
fn a_won_dispute_gives_back_what_was_not_refunded() {
    for (disputed, refunded) in [(500, 500), (500, 200), (300, 200), (300, 500), (200, 0)] {
        let whole = [dispute("dp_1", disputed), refund(refunded), won("dp_1", disputed)];
        for order in [[0, 1, 2], [1, 0, 2], [0, 2, 1]] {
            let all = order.map(|idx: usize| told(whole[idx].clone(), None));
            let purchase = after(purchase(500, 500), &all);
            assert_eq!(purchase.reversed, refunded, "{disputed} {refunded} {order:?}");
        }
    }
}

#[test]
fn what_other_disputes_took_stays_taken_when_one_is_won() {
    let facts = [dispute("dp_1", 300), dispute("dp_2", 100), refund(200), won("dp_1", 300)];
    let mut all = facts.map(|fact| told(fact, None)).to_vec();
    assert_eq!(after(purchase(500, 500), &all).reversed, 300);
    all.insert(3, told(won("dp_2", 100), None));
    assert_eq!(after(purchase(500, 500), &all).reversed, 200);
}

/// Rows of versions that kept no amounts say them by their names and points.
#[test]
fn older_rows_count_as_they_did() {
    let purchase = PaidPurchase { reversed: 500, ..purchase(500, 1_000) };
    let row = |cause, cause_ref: &str, points| Reversal {
        cause,
        cause_ref: cause_ref.to_owned(),
        amount_minor: None,
        happened_at: None,
        created_at: None,
        points,
    };
    let before = [row(Cause::Refund, "600", 300), row(Cause::Dispute, "dp_1", 200)];
    assert!(purchase.reversal_of(&told(refund(600), None), &before).is_none());
    let points = |fact| purchase.reversal_of(&told(fact, Some(5)), &before).map(|row| row.points);
    assert_eq!(points(won("dp_1", 400)), Some(-200));
    assert_eq!(points(failed("re_1", 200)), Some(-100));
}

#[test]
fn an_answer_counts_where_it_differs_and_not_for_what_happens_at_its_moment() {
    let reversed = |all: &[(MoneyFact, i64)]| {
        let all: Vec<_> = all.iter().map(|(fact, secs)| told(fact.clone(), Some(*secs))).collect();
        after(purchase(500, 500), &all).reversed
    };
    assert_eq!(reversed(&[(asked(200), 100)]), 200);
    assert_eq!(reversed(&[(asked(200), 100), (refund(200), 90), (failed("re_1", 200), 95)]), 200);
    assert_eq!(reversed(&[(asked(200), 100), (failed("re_1", 200), 101)]), 0);
    assert_eq!(reversed(&[(asked(200), 100), (asked(0), 101), (asked(300), 102)]), 300);
    assert_eq!(reversed(&[(refund(200), 100), (asked(0), 110)]), 200, "it may not know the refund");
    assert_eq!(reversed(&[(refund(200), 100), (asked(0), 111)]), 0);
    let rows = [told(asked(200), Some(100)), told(asked(200), Some(9_000))];
    let first = purchase(500, 500).reversal_of(&rows[0], &[]).unwrap();
    assert!(purchase(500, 500).reversal_of(&rows[1], &[first]).is_none(), "nothing new");
}

/// A payout of 200 that was asked for at second 500.
fn own(minor: i64, sent: i64, failed: Option<i64>) -> OwnPayout {
    let at = |secs| DateTime::from_timestamp(secs, 0).unwrap();
    OwnPayout {
        charge_id: PurchaseId(Uuid::nil()),
        minor,
        sent_at: Some(at(sent)),
        failed_at: failed.map(at),
        is_known: true,
        is_settled: failed.is_none(),
    }
}

fn paying_out(own: &[OwnPayout]) -> PaidPurchase {
    let live = own.iter().filter(|payout| payout.failed_at.is_none()).map(|payout| payout.minor);
    PaidPurchase { paid_out: live.sum(), own: own.to_vec(), ..purchase(500, 500) }
}

#[test]
fn what_the_office_pays_out_itself_is_no_reversal() {
    let paying = paying_out(&[own(200, 500, None)]);
    let reversed = |all: &[MoneyNews]| after(paying.clone(), all).reversed;
    assert_eq!(reversed(&[told(refund(200), Some(501))]), 0);
    assert_eq!(reversed(&[told(refund(200), None)]), 0);
    assert_eq!(reversed(&[told(asked(200), Some(9_000))]), 0);
    // Before it was asked for, staff had returned as much at the provider.
    assert_eq!(reversed(&[told(refund(200), Some(400))]), 200);
    // Beside it, staff return 100.
    assert_eq!(reversed(&[told(refund(300), Some(600))]), 100);
    assert_eq!(reversed(&[told(refund(100), Some(400)), told(refund(300), Some(600))]), 100);
    assert_eq!(reversed(&[told(refund(300), Some(600)), told(asked(300), Some(9_000))]), 100);
    // No more than is left is taken, whatever is in dispute.
    assert_eq!(reversed(&[told(dispute("dp_1", 500), Some(600))]), 300);
    // An answer of the moment in which it is asked for may have it or not.
    assert_eq!(reversed(&[told(refund(100), Some(400)), told(asked(100), Some(505))]), 100);
}

#[test]
fn a_payout_that_failed_leaves_what_others_returned() {
    let failed = paying_out(&[own(200, 500, Some(700))]);
    let reversed = |all: &[MoneyNews]| after(failed.clone(), all).reversed;
    assert_eq!(reversed(&[told(refund(200), Some(600))]), 0);
    assert_eq!(reversed(&[told(refund(300), Some(600)), told(falls_to(100), Some(700))]), 100);
    assert_eq!(reversed(&[told(refund(200), Some(800))]), 200);
    // It was refused, so the provider never counted it.
    let refused = OwnPayout { is_known: false, ..own(200, 500, Some(501)) };
    assert_eq!(after(paying_out(&[refused]), &[told(refund(200), Some(600))]).reversed, 200);
    // Its points are due again where all of the money is in dispute.
    let mut disputed = after(failed.clone(), &[told(dispute("dp_1", 500), Some(600))]);
    assert_eq!(disputed.reversed, 500);
    disputed.reversed = 300;
    let dispute = Reversal {
        cause: Cause::Dispute,
        cause_ref: "dp_1".to_owned(),
        amount_minor: Some(500),
        happened_at: None,
        created_at: None,
        points: 300,
    };
    let again = disputed.reversal_of_failure("p".to_owned(), 200, &[dispute]).unwrap();
    assert_eq!((again.cause, again.points), (Cause::PayoutFailed, 200));
    assert!(failed.reversal_of_failure("p".to_owned(), 200, &[]).is_none());
}

#[test]
fn a_purchase_that_was_paid_out_is_refunded_and_one_whose_payout_failed_is_not() {
    let paid = paying_out(&[own(500, 500, None)]);
    assert_eq!(paid.status_after(&[]), PurchaseStatus::Refunded);
    assert_eq!(
        (paid.left_minor(&[]), paying_out(&[own(200, 500, None)]).left_minor(&[])),
        (0, 300)
    );
    let failed = PaidPurchase {
        status: PurchaseStatus::Refunded,
        ..paying_out(&[own(500, 500, Some(900))])
    };
    assert_eq!(failed.status_after(&[]), PurchaseStatus::Settled);
    assert_eq!(failed.left_minor(&[]), 500);
    assert!(failed.reversal_of_failure("p".to_owned(), 500, &[]).is_none());
}
