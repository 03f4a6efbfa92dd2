//! Lines of sale entries: which places a payment is for, and what of it comes back.

use super::model::{SaleLine, SaleTerms};
use crate::{payment::shares::prices_less, points::Points, reservation::ReservationItemId};

/// Item of an order that was paid.
#[derive(Clone, Debug)]
pub(super) struct PaidItem {
    pub id: ReservationItemId,
    pub section: String,
    /// Name of the price type; `None` at the ordinary price.
    pub price_type: Option<String>,
    pub quantity: i32,
    pub unit_price: Points,
    /// Whether no code takes anything off it, because it was on return.
    pub was_on_return: bool,
}

/// What is left of an item within one payment.
#[derive(Clone, Debug)]
pub(super) struct LeftItem {
    pub item_id: ReservationItemId,
    pub section: String,
    pub price_type: Option<String>,
    pub places: i32,
    /// Points that were paid for the places that are left.
    pub price: i64,
    /// Points that the house has of all of its places, also of what came back.
    pub points: i64,
}

/// Returns the lines of a payment for places of `items`, which are all items of the order, by their
/// ids. `is_paid` says whether the payment is for a place, by its item and its number from 1.
pub(super) fn of_payment(
    items: &[PaidItem],
    discount: Points,
    terms: SaleTerms,
    is_paid: impl Fn(ReservationItemId, i32) -> bool,
) -> Vec<SaleLine> {
    let prices = items
        .iter()
        .flat_map(|item| (0..item.quantity).map(|_| (item.unit_price, item.was_on_return)));
    let mut reduced = prices_less(prices, discount).into_iter();
    let mut lines = Vec::new();
    for item in items {
        let (mut places, mut price, mut whole) = (0, 0, 0);
        for number in 1..=item.quantity {
            let cost = reduced.next().unwrap_or_default();
            if is_paid(item.id, number) {
                places += 1;
                price += cost.get();
                whole += item.unit_price.get();
            }
        }
        if places > 0 {
            lines.push(SaleLine {
                item_id: item.id,
                section: item.section.clone(),
                price_type: item.price_type.clone(),
                places,
                price,
                discount: whole - price,
                fee: 0,
                tax_minor: terms.tax_in(price),
            });
        }
    }
    lines
}

/// Takes one place that was paid with `price` out of `left`, of which `payout` comes back; returns its line.
pub(super) fn of_place(
    left: &mut LeftItem,
    price: Points,
    payout: Points,
    terms: SaleTerms,
) -> SaleLine {
    take(left, 1, price.get(), payout.get(), terms)
}

/// Takes all that is `left` of a payment, of which `refunded` comes back; returns its lines. The points are divided by
/// the prices: the first lines together have the part of them that their prices have of the sum, rounded down.
pub(super) fn of_rest(left: &mut [LeftItem], refunded: Points, terms: SaleTerms) -> Vec<SaleLine> {
    let prices: Vec<i128> = left.iter().map(|item| i128::from(item.price.max(0))).collect();
    let sum: i128 = prices.iter().sum();
    let (mut so_far, mut given) = (0, 0);
    let last = left.len();
    let parts = (1..).zip(left).zip(prices).filter_map(|((nth, item), price)| {
        so_far += price;
        let due = (i128::from(refunded.get()) * so_far).checked_div(sum);
        // Whatever the prices are, all of the points are in the lines.
        let due = if nth == last { i128::from(refunded.get()) } else { due.unwrap_or(0) };
        let part = i64::try_from(due - given).unwrap_or_default();
        given = due;
        let is_any = item.places != 0 || part != 0;
        is_any.then(|| take(item, item.places, item.price, part, terms))
    });
    parts.collect()
}

/// Takes `places` that were paid with `price` out of an item.
fn take(left: &mut LeftItem, places: i32, price: i64, back: i64, terms: SaleTerms) -> SaleLine {
    let before = terms.tax_in(left.points);
    left.places -= places;
    left.price -= price;
    left.points -= back;
    SaleLine {
        item_id: left.item_id,
        section: left.section.clone(),
        price_type: left.price_type.clone(),
        places: -places,
        price: -price,
        discount: 0,
        fee: price - back,
        tax_minor: terms.tax_in(left.points).zip(before).map(|(after, before)| after - before),
    }
}

impl LeftItem {
    /// Returns what is left of a line of a payment before anything came back.
    pub(super) fn of(line: &SaleLine) -> Self {
        Self {
            item_id: line.item_id,
            section: line.section.clone(),
            price_type: line.price_type.clone(),
            places: line.places,
            price: line.price,
            points: line.points(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn points(points: i64) -> Points {
        Points::new(points).unwrap()
    }

    fn item(nth: u128, quantity: i32, unit_price: i64) -> PaidItem {
        PaidItem {
            id: ReservationItemId(Uuid::from_u128(nth)),
            section: format!("Section {nth}"),
            price_type: None,
            quantity,
            unit_price: points(unit_price),
            was_on_return: false,
        }
    }

    fn euros(rate: i32) -> SaleTerms {
        SaleTerms::of(Some("EUR"), Some(1), Some(rate))
    }

    #[test]
    fn a_payment_is_for_its_own_places_less_their_part_of_the_discount() {
        let items = [item(1, 1, 100), item(2, 2, 100)];
        let lines = of_payment(&items, points(100), euros(1_900), |_, _| true);
        let told: Vec<_> =
            lines.iter().map(|line| (line.places, line.price, line.discount)).collect();
        assert_eq!(told, [(1, 67, 33), (2, 133, 67)]);
        let friend =
            of_payment(&items, points(100), euros(1_900), |id, nth| id == items[1].id && nth == 2);
        assert_eq!(friend.len(), 1);
        assert_eq!((friend[0].places, friend[0].price, friend[0].tax_minor), (1, 66, Some(11)));
    }

    #[test]
    fn what_the_house_keeps_of_a_refund_is_a_fee_and_stays_taxed() {
        let lines = of_payment(&[item(1, 2, 5_000)], Points::ZERO, euros(1_900), |_, _| true);
        let mut left: Vec<LeftItem> = lines.iter().map(LeftItem::of).collect();
        let one = of_place(&mut left[0], points(5_000), points(4_450), euros(1_900));
        assert_eq!((one.places, one.price, one.fee, one.points()), (-1, -5_000, 550, -4_450));
        let rest = of_rest(&mut left, points(5_000), euros(1_900));
        assert_eq!((rest[0].places, rest[0].price, rest[0].fee), (-1, -5_000, 0));
        let taxes = [&lines[0], &one, &rest[0]].map(|line| line.tax_minor.unwrap());
        assert_eq!(taxes.iter().sum::<i64>(), euros(1_900).tax_in(550).unwrap());
    }

    #[test]
    fn a_refund_of_what_cost_nothing_still_has_all_of_its_points() {
        let lines = of_payment(&[item(1, 2, 0)], Points::ZERO, euros(1_000), |_, _| true);
        let mut left: Vec<LeftItem> = lines.iter().map(LeftItem::of).collect();
        let rest = of_rest(&mut left, points(3), euros(1_000));
        assert_eq!((rest.len(), rest[0].points()), (1, -3));
        assert_eq!(of_rest(&mut [], points(3), euros(1_000)), []);
    }

    proptest! {
        #[test]
        fn what_comes_back_in_parts_adds_up_to_what_was_paid_and_to_its_tax(
            prices in prop::collection::vec((1_i32..4, 0_i64..100_000), 1..6),
            off in 0_i64..50_000, rate in 0_i32..3_000, percent in 0_i32..=100, n_single in 0_usize..4,
        ) {
            let items: Vec<PaidItem> = (1_u128..).zip(&prices)
                .map(|(nth, (quantity, price))| item(nth, *quantity, *price)).collect();
            let sum: i64 = prices.iter().map(|(quantity, price)| i64::from(*quantity) * price).sum();
            let discount = points(off.min(sum));
            let terms = euros(rate);
            let mut lines = of_payment(&items, discount, terms, |_, _| true);
            let paid: i64 = lines.iter().map(SaleLine::points).sum();
            prop_assert_eq!(paid, if sum == 0 { 0 } else { sum - discount.get() });
            let mut left: Vec<LeftItem> = lines.iter().map(LeftItem::of).collect();
            for item in left.iter_mut().take(n_single) {
                let price = points(item.price / i64::from(item.places));
                lines.push(of_place(item, price, price.share(percent).unwrap(), terms));
            }
            let rest: i64 = left.iter().map(|item| item.price).sum();
            lines.extend(of_rest(&mut left, points(rest).share(percent).unwrap(), terms));
            prop_assert!(left.iter().all(|item| item.places == 0 && item.price == 0));
            prop_assert!(lines.iter().all(|line| line.fee >= 0 && line.discount >= 0));
            prop_assert_eq!(lines.iter().map(|line| line.places).sum::<i32>(), 0);
            for item in &left {
                let own = lines.iter().filter(|line| line.item_id == item.item_id);
                let (kept, tax) = own.fold((0, 0), |(kept, tax), line| {
                    (kept + line.points(), tax + line.tax_minor.unwrap())
                });
                prop_assert_eq!(kept, item.points);
                prop_assert_eq!(tax, terms.tax_in(kept).unwrap());
            }
        }
    }
}
