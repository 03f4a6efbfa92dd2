//! Allocation: which charges money goes back to, and how much of each. Pure, in whole points and minor units.

use crate::wallet::charges::purchases::model::PurchaseId;

/// Charge that money can go back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    pub charge_id: PurchaseId,
    /// Points of the charge that were neither paid out nor taken back.
    pub points: i64,
    /// Minor units of the charge that were not returned.
    pub minor: i64,
    /// Number of minor units that the provider sends multiples of only.
    pub step: i64,
}

/// Part of a payment that goes back to one charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocatedPart {
    pub charge_id: PurchaseId,
    pub points: i64,
    pub minor: i64,
}

impl Source {
    /// Returns the part for at most `wanted` points: their share of the money that is left, rounded down to
    /// what the provider sends, and with the last points all of it. `None` where that is nothing.
    fn part(&self, wanted: i64) -> Option<AllocatedPart> {
        let points = wanted.min(self.points);
        if points <= 0 || self.minor <= 0 {
            return None;
        }
        let share = i128::from(self.minor) * i128::from(points) / i128::from(self.points);
        let minor = i64::try_from(share).unwrap_or(0);
        let minor = minor - minor.rem_euclid(self.step.max(1));
        (minor > 0).then_some(AllocatedPart { charge_id: self.charge_id, points, minor })
    }
}

/// Divides at most `wanted` points among `sources`, in their order.
pub fn allocate(sources: &[Source], wanted: i64) -> Vec<AllocatedPart> {
    let mut left = wanted;
    let mut parts = Vec::new();
    for source in sources {
        if let Some(part) = source.part(left) {
            left -= part.points;
            parts.push(part);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn source(id: u128, points: i64, minor: i64, step: i64) -> Source {
        Source { charge_id: PurchaseId(Uuid::from_u128(id)), points, minor, step }
    }

    fn divided(sources: &[Source], wanted: i64) -> Vec<(u128, i64, i64)> {
        let parts = allocate(sources, wanted);
        parts.iter().map(|part| (part.charge_id.0.as_u128(), part.points, part.minor)).collect()
    }

    #[test]
    fn money_goes_to_the_charges_in_their_order_and_to_none_more_than_is_left() {
        let sources = [source(3, 100, 100, 1), source(2, 50, 5_000, 1), source(1, 70, 70, 1)];
        assert_eq!(divided(&sources, 0), []);
        assert_eq!(divided(&sources, -5), []);
        assert_eq!(divided(&sources, 40), [(3, 40, 40)]);
        assert_eq!(divided(&sources, 120), [(3, 100, 100), (2, 20, 2_000)]);
        assert_eq!(divided(&sources, 1_000), [(3, 100, 100), (2, 50, 5_000), (1, 70, 70)]);
        assert_eq!(divided(&[], 10), []);
    }

    /// Ten points of 1,000 won, of which staff returned 150 won: eight points, and 850 won.
    #[test]
    fn what_does_not_divide_is_rounded_down_and_the_last_points_take_what_remains() {
        assert_eq!(divided(&[source(1, 8, 850, 1)], 3), [(1, 3, 318)]);
        assert_eq!(divided(&[source(1, 5, 532, 1)], 5), [(1, 5, 532)]);
        for (points, minor) in [(7, 1_000), (3, 10), (999, 1_000_001)] {
            let (mut left, mut sum) = (source(1, points, minor, 1), 0);
            while left.points > 0 {
                let part = allocate(&[left], 1).pop().unwrap();
                left = source(1, left.points - part.points, left.minor - part.minor, 1);
                sum += part.minor;
            }
            assert_eq!(sum, minor);
        }
    }

    /// The provider sends whole krónur and shillings, and dinars in tens of fils.
    #[test]
    fn an_amount_is_a_multiple_of_what_the_provider_sends() {
        assert_eq!(divided(&[source(1, 8, 1_550, 100)], 3), [(1, 3, 500)]);
        assert_eq!(divided(&[source(1, 8, 1_550, 100)], 8), [(1, 8, 1_500)]);
        assert_eq!(divided(&[source(1, 4, 1_015, 10)], 4), [(1, 4, 1_010)]);
        // Too little to be sent at all: the points stay.
        assert_eq!(
            divided(&[source(2, 10, 500, 100), source(1, 5, 5_000, 100)], 1),
            [(1, 1, 1_000)]
        );
    }

    #[test]
    fn the_largest_amounts_do_not_overflow() {
        let whole = source(1, 1_000_000, 4_294_967_295_000_000, 1);
        assert_eq!(divided(&[whole], 999_999), [(1, 999_999, 4_294_963_000_032_705)]);
        assert_eq!(divided(&[whole], i64::MAX), [(1, 1_000_000, 4_294_967_295_000_000)]);
    }
}
