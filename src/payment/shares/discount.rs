//! Division of a reservation's discount among its places, so that shares add up to its total.

use crate::points::Points;

/// Returns the prices of places, each less its part of `discount`, in their order. A place that was on
/// return when it was held, as its price comes with, has no part.
///
/// The parts are in proportion to the prices, in whole points: the first places together have the
/// share of the discount that their prices have of the sum, rounded down. So the parts add up to
/// the discount, and no part is more than its price if the discount is not more than the sum. If
/// the sum is zero, no part is taken off. `wrong_shares.sql` of `verify` divides in the same way.
pub(crate) fn prices_less(
    prices: impl Iterator<Item = (Points, bool)> + Clone,
    discount: Points,
) -> Vec<Points> {
    let reduced = |(price, was_on_return): (Points, bool)| match was_on_return {
        true => 0,
        false => i128::from(price.get()),
    };
    let sum: i128 = prices.clone().map(reduced).sum();
    let (mut so_far, mut given) = (0, 0);
    let less = prices.map(|place| {
        let price = i128::from(place.0.get());
        so_far += reduced(place);
        let due = (i128::from(discount.get()) * so_far).checked_div(sum).unwrap_or(0);
        let part = due - given;
        given = due;
        i64::try_from(price - part).ok().and_then(Points::new).unwrap_or_default()
    });
    less.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn points(prices: &[i64]) -> Vec<Points> {
        prices.iter().map(|price| Points::new(*price).unwrap()).collect()
    }

    fn less(prices: &[i64], discount: i64) -> Vec<i64> {
        let prices = points(prices);
        let prices = prices.iter().map(|price| (*price, false));
        let less = prices_less(prices, Points::new(discount).unwrap());
        less.into_iter().map(Points::get).collect()
    }

    #[test]
    fn a_discount_is_divided_by_the_prices() {
        assert_eq!(less(&[100, 100, 100], 100), [67, 67, 66]);
        assert_eq!(less(&[90, 10], 10), [81, 9]);
        assert_eq!(less(&[50, 0, 50], 100), [0, 0, 0]);
        assert_eq!(less(&[0, 0], 0), [0, 0]);
        assert_eq!(less(&[], 0), [0; 0]);
    }

    #[test]
    fn a_place_that_was_on_return_has_no_part_of_a_discount() {
        let prices = points(&[100, 60, 100]);
        let prices = prices.into_iter().zip([false, true, false]);
        let less = prices_less(prices, Points::new(100).unwrap());
        assert_eq!(less, points(&[50, 60, 50]));
    }

    proptest! {
        #[test]
        fn the_prices_less_the_discount_add_up_and_none_is_negative(
            prices in prop::collection::vec(0..=i64::MAX / 64, 1..64), part in 0..=1_000_i128,
        ) {
            let sum: i128 = prices.iter().map(|price| i128::from(*price)).sum();
            let discount = i64::try_from(sum * part / 1_000).unwrap();
            let less = less(&prices, discount);
            prop_assert_eq!(
                less.iter().map(|price| i128::from(*price)).sum::<i128>(),
                sum - i128::from(discount)
            );
            for (less, price) in less.iter().zip(&prices) {
                prop_assert!((0..=*price).contains(less));
            }
        }
    }
}
