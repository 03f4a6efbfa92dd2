//! What steps give, compared with a plain table and with exact fractions.

use chrono::TimeDelta;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn points(points: i64) -> Points {
    Points::new(points).unwrap()
}

fn moment(secs: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(secs)
}

fn step(until: i64, percent: i32, fee: i64) -> RefundStep {
    let (within_hours, latest) = (None, None);
    RefundStep { until: moment(until), percent, fee: points(fee), within_hours, latest }
}

fn steps(steps: &[RefundStep]) -> RefundSteps {
    RefundSteps(Json(steps.to_vec()))
}

fn share(percent: i32, fee: i64) -> RefundShare {
    RefundShare { percent, fee: points(fee) }
}

#[test]
fn each_step_holds_until_its_deadline_and_not_at_it() {
    let terms = steps(&[step(100, 100, 0), step(200, 90, 0), step(300, 70, 500)]);
    let at = |secs| terms.share_at(moment(secs), None);
    assert_eq!(at(99), Some(share(100, 0)));
    assert_eq!(at(100), Some(share(90, 0)));
    assert_eq!(at(299), Some(share(70, 500)));
    assert_eq!(at(300), None);
    assert_eq!(terms.share_at(moment(299), Some(moment(300))), Some(RefundShare::ALL));
    assert_eq!(terms.share_at(moment(400), Some(moment(401))), Some(RefundShare::ALL));
    assert_eq!(terms.share_at(moment(200), Some(moment(200))), Some(share(70, 500)));
    assert_eq!(terms.line(moment(150), moment(0)), (moment(200), 90));
    assert_eq!(terms.line(moment(400), moment(0)), (moment(300), 70));
    assert_eq!(terms.ends(moment(150)), Some(moment(300)));
    assert_eq!(steps(&[]).line(moment(9), moment(5)), (moment(5), 0));
    assert_eq!(steps(&[step(100, 0, 0)]).ends(moment(0)), None);
}

#[test]
fn a_fee_is_kept_once_by_an_order_and_never_more_than_it_gives() {
    let of =
        |share: RefundShare, amount, total| share.of(points(amount), points(total)).unwrap().get();
    assert_eq!(of(share(70, 500), 10_000, 10_000), 6_500);
    assert_eq!(of(share(10, 1_000), 5_000, 5_000), 0);
    // Three who paid together bear a third each: 23,333.1 - 33.3 for each.
    assert_eq!(of(share(70, 100), 33_333, 99_999), 23_299);
    assert_eq!(of(share(100, 7), 0, 0), 0);
    assert_eq!(of(share(100, 0), i64::MAX, i64::MAX), i64::MAX);
    assert_eq!(of(share(99, i64::MAX), i64::MAX, i64::MAX), 0);
    assert_eq!(share(101, 0).of(points(1), points(1)), None);
    assert_eq!(share(100, 0).of(points(2), points(1)), None);
}

#[test]
fn the_document_has_until_percent_and_fee() {
    let frozen = json!([{
        "until": "1970-01-01T09:00:10+09:00", "percent": 90, "fee": 5, "within_hours": 24,
        "latest": "1970-01-01T00:00:20Z",
    }]);
    let terms: RefundSteps = serde_json::from_value(frozen).unwrap();
    assert_eq!(terms.only(), None, "a sentence does not say the hours");
    let document = json!([{ "until": "1970-01-01T00:00:10Z", "percent": 90, "fee": 5 }]);
    assert_eq!(json!(terms), document);
}

proptest! {
    #[test]
    fn terms_give_what_a_plain_table_says(
        mut table in prop::collection::vec((0..1_000_i64, 0..=100_i32, 0..1_000_i64), 0..=6),
        now in 0..1_100_i64, paid in 0..1_000_000_i64,
    ) {
        table.sort_by_key(|(until, ..)| *until);
        let terms: Vec<_> = table.iter().map(|(until, percent, fee)| step(*until, *percent, *fee)).collect();
        let mut expected = None;
        for (until, percent, fee) in table.iter().rev() {
            if now < *until {
                expected = Some((paid * i64::from(*percent) / 100 - fee).max(0));
            }
        }
        let given = steps(&terms).share_at(moment(now), None);
        let given = given.map(|share| share.of(points(paid), points(paid)).unwrap().get());
        prop_assert_eq!(given, expected);
    }

    #[test]
    fn parts_are_the_exact_part_rounded_down_and_less_for_each_later_step(
        amounts in prop::collection::vec(0..=i64::MAX / 8, 1..8), percent in 0..=100_i32,
        fee in 0..=1_000_000_000_i64, later in (0..=100_i32, 0..=1_000_i64),
    ) {
        let total: i64 = amounts.iter().sum();
        let earlier = share(percent, fee);
        let later = share(percent * later.0 / 100, fee + later.1);
        let mut sum = 0;
        for amount in amounts {
            let part = |share: RefundShare| share.of(points(amount), points(total)).unwrap().get();
            let part_of_earlier = part(earlier);
            prop_assert!((0..=amount).contains(&part_of_earlier));
            prop_assert!(part(later) <= part_of_earlier);
            if fee == 0 {
                prop_assert_eq!(Some(points(part_of_earlier)), points(amount).share(percent));
            }
            sum += part_of_earlier;
        }
        // No rounding gives more than the whole order has.
        prop_assert!(sum <= earlier.of(points(total), points(total)).unwrap().get());
    }

    #[test]
    fn small_amounts_are_what_fractions_say(
        amount in 0..10_000_i64, others in 0..10_000_i64, percent in 0..=100_i32, fee in 0..10_000_i64,
    ) {
        let total = amount + others;
        prop_assume!(total > 0);
        let exact = (amount * (i64::from(percent) * total - 100 * fee)).div_euclid(100 * total).max(0);
        let given = share(percent, fee).of(points(amount), points(total)).unwrap().get();
        prop_assert_eq!(given, exact);
    }
}
