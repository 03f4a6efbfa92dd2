//! Rows that keep performances and venues from being deleted.

/// Kind of rows that keep another row from being deleted; its locale key is `hanging-` and its
/// name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Hanging {
    /// Performances at a venue.
    Performances,
    /// Seats with a price.
    Seats,
    /// Zones.
    Zones,
    /// Reservations, ended ones too.
    Reservations,
    /// Wishes of a waiting list.
    Wishes,
    /// Codes.
    Codes,
    /// Rows of any other kind.
    Others,
}

impl Hanging {
    /// Returns the kind of rows that the foreign key `constraint` guards.
    pub(super) fn of(constraint: &str) -> Self {
        let tables = [
            ("reservations_", Self::Reservations),
            ("schedules_", Self::Performances),
            ("schedule_seats_", Self::Seats),
            ("zones_", Self::Zones),
            ("wishes_", Self::Wishes),
            ("sale_codes_", Self::Codes),
        ];
        let found = tables.iter().find(|(start, _)| constraint.starts_with(start));
        found.map_or(Self::Others, |(_, hanging)| *hanging)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_key_says_what_hangs() {
        for (constraint, hanging) in [
            ("reservations_schedule_of_program", Hanging::Reservations),
            ("schedules_venue_id_fkey", Hanging::Performances),
            ("schedule_seats_schedule_id_fkey", Hanging::Seats),
            ("something_new_fkey", Hanging::Others),
        ] {
            assert_eq!(Hanging::of(constraint), hanging, "{constraint}");
        }
    }
}
