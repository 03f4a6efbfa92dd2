//! Wishes of one performance and what is free of it, were there one thread and no clock.

use uuid::Uuid;

use crate::models::Expected;

pub(super) const WISHERS: usize = 3;
/// Places of an account, held or paid.
pub(super) const CAP: i32 = 4;
pub(super) const SEAT_PRICE: i64 = 50;
pub(super) const ZONE_PRICE: i64 = 30;
pub(super) const BEGUN_WITH: i64 = 1_000;

#[derive(Clone, Debug)]
pub(super) struct Wish {
    pub(super) id: Uuid,
    pub(super) owner: usize,
    pub(super) places: i32,
    pub(super) status: &'static str,
    pub(super) offer: Option<Offer>,
}

#[derive(Clone, Debug)]
pub(super) struct Offer {
    pub(super) id: Uuid,
    /// Whether it is of seats, not of places in the zone.
    pub(super) is_seats: bool,
    pub(super) is_lapsed: bool,
    pub(super) status: &'static str,
}

impl Wish {
    /// Whether its places count under its account's cap.
    pub(super) fn is_live(&self) -> bool {
        self.offer.as_ref().is_some_and(|offer| match offer.status {
            "HELD" => !offer.is_lapsed,
            status => status == "CONFIRMED",
        })
    }

    pub(super) fn total(&self) -> i64 {
        let is_seats = self.offer.as_ref().is_some_and(|offer| offer.is_seats);
        i64::from(self.places) * if is_seats { SEAT_PRICE } else { ZONE_PRICE }
    }
}

/// The list, what is free, and how many points are left to each who wishes.
pub(super) struct Model {
    pub(super) balances: [i64; WISHERS],
    /// In the order of their numbers.
    pub(super) wishes: Vec<Wish>,
    pub(super) free_seats: i32,
    pub(super) free_places: i32,
}

impl Model {
    pub(super) fn has_room(&self, who: usize, places: i32) -> bool {
        let live = self.wishes.iter().filter(|wish| wish.owner == who && wish.is_live());
        live.map(|wish| wish.places).sum::<i32>() + places <= CAP
    }

    /// Predicts a wish that no earlier one answers.
    pub(super) fn wish(&self, who: usize, places: i32) -> Expected {
        if self.wishes.iter().any(|wish| wish.owner == who && wish.status == "WAITING") {
            (409, "wished-already")
        } else if !self.has_room(who, places) {
            (409, "account-limit")
        } else if self.free_seats.max(self.free_places) >= places {
            (409, "places-free")
        } else {
            (201, "")
        }
    }

    /// Makes places free, all of them before any is offered.
    pub(super) fn free(&mut self, freed: &[(bool, i32)]) {
        for (is_seats, places) in freed {
            *(if *is_seats { &mut self.free_seats } else { &mut self.free_places }) += places;
        }
        for nth in 0..self.wishes.len() {
            let Wish { owner, places, status, .. } = self.wishes[nth];
            let is_seats = self.free_seats >= places;
            let fits = is_seats || self.free_places >= places;
            if status != "WAITING" || !fits || !self.has_room(owner, places) {
                continue;
            }
            *(if is_seats { &mut self.free_seats } else { &mut self.free_places }) -= places;
            let offer = Offer { id: Uuid::nil(), is_seats, is_lapsed: false, status: "HELD" };
            self.wishes[nth].status = "OFFERED";
            self.wishes[nth].offer = Some(offer);
        }
    }

    pub(super) fn leave(&mut self, who: usize, nth: usize) -> Expected {
        let wish = &mut self.wishes[nth];
        match (wish.status, &wish.offer) {
            _ if wish.owner != who => (404, "not-found"),
            ("WAITING" | "LEFT", _) => {
                wish.status = "LEFT";
                (200, "")
            }
            (_, Some(offer)) if offer.status == "HELD" && !offer.is_lapsed => (409, "wish-offered"),
            _ => (409, "wish-ended"),
        }
    }

    pub(super) fn pay(&mut self, who: usize, nth: usize) -> Expected {
        let total = self.wishes[nth].total();
        let wish = &mut self.wishes[nth];
        let Some(offer) = &mut wish.offer else { unreachable!("only offers are paid") };
        match offer.status {
            _ if wish.owner != who => (404, "not-found"),
            "HELD" if !offer.is_lapsed => {
                offer.status = "CONFIRMED";
                self.balances[who] -= total;
                (201, "")
            }
            "HELD" | "EXPIRED" => (410, "hold-expired"),
            "CONFIRMED" => (409, "already-paid"),
            _ => (409, "invalid-state"),
        }
    }

    pub(super) fn cancel(&mut self, who: usize, nth: usize) -> Expected {
        let total = self.wishes[nth].total();
        let wish = &mut self.wishes[nth];
        let Some(offer) = &mut wish.offer else { unreachable!("only offers are cancelled") };
        match offer.status {
            _ if wish.owner != who => return (404, "not-found"),
            "HELD" if !offer.is_lapsed => offer.status = "CANCELLED",
            "CONFIRMED" => {
                offer.status = "REFUNDED";
                self.balances[who] += total;
            }
            _ => return (409, "invalid-state"),
        }
        let freed = (offer.is_seats, wish.places);
        self.free(&[freed]);
        (200, "")
    }

    pub(super) fn expire(&mut self) {
        let mut freed = Vec::new();
        for wish in &mut self.wishes {
            if let Some(offer) = &mut wish.offer
                && offer.status == "HELD"
                && offer.is_lapsed
            {
                offer.status = "EXPIRED";
                freed.push((offer.is_seats, wish.places));
            }
        }
        self.free(&freed);
    }
}
