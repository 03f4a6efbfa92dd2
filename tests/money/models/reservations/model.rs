//! Seats and places of one performance, were there one thread and no clock.

use uuid::Uuid;

use crate::models::Expected;

pub(super) const PEOPLE: usize = 3;
pub(super) const SEATS: usize = 4;
pub(super) const PLACES: i64 = 3;
/// Places of an account, held or paid.
pub(super) const CAP: i64 = 4;
pub(super) const SEAT_PRICE: i64 = 50;
pub(super) const ZONE_PRICE: i64 = 30;
/// Points that each has at first: enough for some of what the cap allows.
pub(super) const BEGUN_WITH: i64 = 170;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Seats(Vec<usize>),
    Places(i64),
}

impl Choice {
    pub(super) fn quantity(&self) -> i64 {
        match self {
            Self::Seats(seats) => i64::try_from(seats.len()).unwrap(),
            Self::Places(places) => *places,
        }
    }

    pub(super) fn total(&self) -> i64 {
        self.quantity() * if matches!(self, Self::Seats(_)) { SEAT_PRICE } else { ZONE_PRICE }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Reservation {
    pub(super) id: Uuid,
    pub(super) owner: usize,
    pub(super) choice: Choice,
    pub(super) is_lapsed: bool,
    pub(super) is_renewed: bool,
    pub(super) status: &'static str,
}

impl Reservation {
    pub(super) fn is_live(&self) -> bool {
        matches!(self.status, "HELD" | "CONFIRMED")
    }

    pub(super) fn is_late(&self) -> bool {
        self.status == "HELD" && self.is_lapsed
    }

    pub(super) fn has_seat(&self, seat: usize) -> bool {
        self.is_live() && matches!(&self.choice, Choice::Seats(seats) if seats.contains(&seat))
    }
}

/// Who has what, and how many points are left to each.
pub(super) struct Model {
    pub(super) balances: [i64; PEOPLE],
    /// Whether each is admitted.
    pub(super) is_inside: [bool; PEOPLE],
    pub(super) reservations: Vec<Reservation>,
}

impl Model {
    pub(super) fn remaining(&self) -> i64 {
        let live = self.reservations.iter().filter(|each| each.is_live());
        let taken = live.filter(|each| matches!(each.choice, Choice::Places(_)));
        PLACES - taken.map(|each| each.choice.quantity()).sum::<i64>()
    }

    /// Whether the zone has fewer places than are wanted of it, places of lapsed holds included.
    pub(super) fn is_full_for(&self, choice: &Choice) -> bool {
        let late = self.reservations.iter().filter(|each| each.is_late());
        let late = late.filter(|each| matches!(each.choice, Choice::Places(_)));
        let free = self.remaining() + late.map(|each| each.choice.quantity()).sum::<i64>();
        matches!(choice, Choice::Places(places) if free < *places)
    }

    /// Predicts a hold that no earlier one answers. What has lapsed makes way for it.
    pub(super) fn hold(&mut self, who: usize, choice: &Choice) -> Expected {
        if !self.is_inside[who] {
            return (403, "not-admitted");
        }
        let own = self.reservations.iter().filter(|each| each.owner == who);
        let live = own.filter(|each| each.is_live() && !each.is_late());
        if live.map(|each| each.choice.quantity()).sum::<i64>() + choice.quantity() > CAP {
            return (409, "account-limit");
        }
        match choice {
            Choice::Seats(seats) => {
                let is_in_the_way =
                    |each: &Reservation| seats.iter().any(|seat| each.has_seat(*seat));
                self.expire(is_in_the_way);
                match self.reservations.iter().any(is_in_the_way) {
                    true => (409, "seat-unavailable"),
                    false => (201, ""),
                }
            }
            Choice::Places(places) => {
                if self.remaining() < *places {
                    self.expire(|each| matches!(each.choice, Choice::Places(_)));
                }
                if self.remaining() < *places { (409, "sold-out") } else { (201, "") }
            }
        }
    }

    pub(super) fn expire(&mut self, is_due: impl Fn(&Reservation) -> bool) {
        for each in self.reservations.iter_mut().filter(|each| each.is_late() && is_due(each)) {
            each.status = "EXPIRED";
        }
    }

    /// Predicts what needs a hold: its payment or renewal.
    pub(super) fn require_held(&self, who: usize, nth: usize) -> Expected {
        let reservation = &self.reservations[nth];
        match reservation.status {
            _ if reservation.owner != who => (404, "not-found"),
            "HELD" if !reservation.is_lapsed => (200, ""),
            "HELD" | "EXPIRED" => (410, "hold-expired"),
            "CONFIRMED" => (409, "already-paid"),
            _ => (409, "invalid-state"),
        }
    }

    pub(super) fn pay(&mut self, who: usize, nth: usize) -> Expected {
        let expected = self.require_held(who, nth);
        if expected.0 != 200 {
            return expected;
        }
        let total = self.reservations[nth].choice.total();
        if self.balances[who] < total {
            return (402, "insufficient-points");
        }
        self.balances[who] -= total;
        self.reservations[nth].status = "CONFIRMED";
        // A person without a further hold to pay has left.
        let is_held = |each: &Reservation| each.owner == who && each.status == "HELD";
        self.is_inside[who] &=
            self.reservations.iter().any(|each| is_held(each) && !each.is_lapsed);
        (201, "")
    }

    pub(super) fn renew(&mut self, who: usize, nth: usize) -> Expected {
        match self.require_held(who, nth) {
            (200, _) if self.reservations[nth].is_renewed => (409, "not-renewable"),
            expected => {
                self.reservations[nth].is_renewed |= expected.0 == 200;
                expected
            }
        }
    }

    pub(super) fn cancel(&mut self, who: usize, nth: usize) -> Expected {
        let reservation = &mut self.reservations[nth];
        match reservation.status {
            _ if reservation.owner != who => return (404, "not-found"),
            "HELD" if !reservation.is_lapsed => reservation.status = "CANCELLED",
            "CONFIRMED" => {
                self.balances[who] += reservation.choice.total();
                reservation.status = "REFUNDED";
            }
            _ => return (409, "invalid-state"),
        }
        (200, "")
    }
}
