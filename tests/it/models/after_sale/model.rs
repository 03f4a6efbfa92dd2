//! Who has which ticket and how many points after a sale, were there one thread and no clock.

use std::collections::BTreeSet;

use uuid::Uuid;

pub(super) const PEOPLE: usize = 4;
/// The first seats are in the stalls, the others in the balcony, which may be hidden.
pub(super) const STALLS: usize = 3;
pub(super) const SEATS: usize = 5;
pub(super) const PLACES: i64 = 2;
pub(super) const BEGUN_WITH: i64 = 6_000;
pub(super) const SEAT_PRICE: i64 = 1_000;
pub(super) const ZONE_PRICE: i64 = 500;
/// Share of a resale that the program keeps, what a child pays, and what the code takes off, in percent.
pub(super) const RETURN_FEE: i64 = 10;
pub(super) const CHILD: i64 = 50;
pub(super) const DISCOUNT: i64 = 30;
/// Who has redeemed the code that opens the balcony.
pub(super) const GUEST: usize = 0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Seat(usize),
    Standing,
}

impl Place {
    pub(super) fn price(self) -> i64 {
        if self == Self::Standing { ZONE_PRICE } else { SEAT_PRICE }
    }
}

/// Place of an order, and what it costs without the code.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) place: Place,
    pub(super) price: i64,
    pub(super) is_child: bool,
    /// Index of the ticket whose place it is, while that ticket is on return.
    pub(super) of: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Held,
    Paid,
    Over,
}

#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) id: Uuid,
    pub(super) owner: usize,
    pub(super) items: Vec<Item>,
    pub(super) has_code: bool,
    pub(super) state: State,
}

impl Order {
    pub(super) fn total(&self) -> i64 {
        self.items.iter().map(|item| item.price).sum::<i64>() - self.discount()
    }

    /// What the code takes off, which is nothing of a place on return.
    fn discount(&self) -> i64 {
        let own = self.items.iter().filter(|item| item.of.is_none()).map(|item| item.price);
        if self.has_code { own.sum::<i64>() * DISCOUNT / 100 } else { 0 }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Ticket {
    pub(super) code: String,
    pub(super) order: usize,
    pub(super) place: Place,
    /// Price of the place, and what was paid of it.
    pub(super) price: i64,
    pub(super) paid: i64,
    pub(super) is_child: bool,
    pub(super) payer: usize,
    pub(super) holder: usize,
    pub(super) is_valid: bool,
    /// Hand-over that waits, and to whom.
    pub(super) offer: Option<(Uuid, usize)>,
    /// Open return.
    pub(super) on_return: Option<Uuid>,
    /// Whether the return ends with the hold that runs.
    pub(super) is_wanted_back: bool,
}

/// Everything that the people of a case have.
#[derive(Debug, Default)]
pub(super) struct Model {
    /// Points, less what is owed.
    pub(super) points: [i64; PEOPLE],
    /// What was returned to the card, of what each bought.
    pub(super) reversed: [i64; PEOPLE],
    pub(super) is_deleted: [bool; PEOPLE],
    pub(super) orders: Vec<Order>,
    pub(super) tickets: Vec<Ticket>,
    /// People whose wish waits.
    pub(super) wishing: BTreeSet<usize>,
    pub(super) is_balcony_hidden: bool,
}

impl Model {
    fn held(&self) -> impl Iterator<Item = &Item> {
        self.orders.iter().filter(|order| order.state == State::Held).flat_map(|o| &o.items)
    }

    /// Whether a hold that runs has the place of a ticket on return.
    pub(super) fn is_being_bought(&self, ticket: usize) -> bool {
        self.held().any(|item| item.of == Some(ticket))
    }

    /// Index of the ticket on return whose place a seat is; `None` where the office sells the seat.
    pub(super) fn on_return(&self, place: Place) -> Option<usize> {
        let is_his = |ticket: &Ticket| ticket.is_valid && ticket.on_return.is_some();
        self.tickets.iter().position(|ticket| is_his(ticket) && ticket.place == place)
    }

    /// Whether an account holds the seat, or has its ticket and has not put it on sale.
    pub(super) fn is_taken(&self, place: Place) -> bool {
        let has = |ticket: &Ticket| ticket.is_valid && ticket.on_return.is_none();
        self.held().any(|item| item.place == place)
            || self.tickets.iter().any(|ticket| has(ticket) && ticket.place == place)
    }

    /// Places of the zone that the office sells.
    pub(super) fn places_left(&self) -> i64 {
        let held = self.held().filter(|item| item.place == Place::Standing && item.of.is_none());
        let sold = self.tickets.iter().filter(|t| t.is_valid && t.place == Place::Standing);
        PLACES - i64::try_from(held.count() + sold.count()).unwrap()
    }

    pub(super) fn is_hidden_for(&self, who: usize, place: Place) -> bool {
        let is_balcony = matches!(place, Place::Seat(seat) if seat >= STALLS);
        self.is_balcony_hidden && is_balcony && who != GUEST
    }

    /// Points that a person can spend.
    pub(super) fn usable(&self, who: usize) -> i64 {
        self.points[who].max(0)
    }

    /// Pays a hold: `payers` has who pays each of its items. Its tickets have no code yet.
    pub(super) fn pay(&mut self, nth: usize, payers: &[usize]) {
        self.orders[nth].state = State::Paid;
        let order = self.orders[nth].clone();
        for (item, payer) in order.items.iter().zip(payers) {
            let off = if order.has_code && item.of.is_none() { DISCOUNT } else { 0 };
            let paid = item.price - item.price * off / 100;
            self.points[*payer] -= paid;
            if let Some(of) = item.of {
                let sold = &mut self.tickets[of];
                sold.is_valid = false;
                sold.on_return = None;
                self.points[sold.payer] += sold.price - sold.price * RETURN_FEE / 100;
            }
            self.tickets.push(Ticket {
                code: String::new(),
                order: nth,
                place: item.place,
                price: item.price,
                paid,
                is_child: item.is_child,
                payer: *payer,
                holder: *payer,
                is_valid: true,
                offer: None,
                on_return: None,
                is_wanted_back: false,
            });
        }
    }

    /// Ends a hold that is not paid.
    pub(super) fn release(&mut self, nth: usize) {
        self.orders[nth].state = State::Over;
        for item in self.orders[nth].items.clone() {
            let Some(of) = item.of else { continue };
            if self.tickets[of].is_wanted_back {
                self.tickets[of].on_return = None;
                self.tickets[of].is_wanted_back = false;
            }
        }
    }

    /// Gives back what is left of a paid order: a buyer who holds the place of one of its tickets
    /// keeps it.
    pub(super) fn refund(&mut self, nth: usize) {
        self.orders[nth].state = State::Over;
        for idx in 0..self.tickets.len() {
            let ticket = &mut self.tickets[idx];
            if ticket.order != nth || !ticket.is_valid {
                continue;
            }
            ticket.is_valid = false;
            ticket.offer = None;
            ticket.on_return = None;
            let (payer, paid) = (ticket.payer, ticket.paid);
            if !self.is_deleted[payer] {
                self.points[payer] += paid;
            }
            for item in self.orders.iter_mut().flat_map(|order| &mut order.items) {
                if item.of == Some(idx) {
                    item.of = None;
                }
            }
        }
    }

    /// Valid tickets of an order that are not on return.
    pub(super) fn kept(&self, order: usize) -> impl Iterator<Item = &Ticket> {
        let is_kept = move |t: &&Ticket| t.order == order && t.is_valid && t.on_return.is_none();
        self.tickets.iter().filter(is_kept)
    }

    /// Whether the owner has a refund of a paid order: nothing of it is with a friend.
    pub(super) fn may_refund(&self, order: usize) -> bool {
        let mut valid = self.tickets.iter().filter(|t| t.order == order && t.is_valid).peekable();
        valid.peek().is_some() && valid.all(|t| t.holder == t.payer && t.offer.is_none())
    }

    /// Whether a ticket may go on sale: its payer has it, at the ordinary price, and its order does
    /// not need it.
    pub(super) fn may_return(&self, idx: usize) -> bool {
        let ticket = &self.tickets[idx];
        let (children, adults): (Vec<_>, Vec<_>) =
            self.kept(ticket.order).partition(|kept| kept.is_child);
        ticket.is_valid
            && ticket.on_return.is_none()
            && ticket.offer.is_none()
            && ticket.holder == ticket.payer
            && ticket.paid == ticket.price
            && !ticket.is_child
            && children.len() < adults.len()
    }

    /// Whether a ticket may be offered to another person.
    pub(super) fn may_offer(&self, idx: usize, to: usize) -> bool {
        let ticket = &self.tickets[idx];
        let is_free = ticket.offer.is_none() && ticket.on_return.is_none();
        ticket.is_valid && is_free && ticket.holder != to && !self.is_deleted[to]
    }

    /// Whether an account has something that keeps it.
    pub(super) fn keeps_account(&self, who: usize) -> bool {
        let has =
            |t: &Ticket| t.is_valid && (t.holder == who || t.payer == who && t.on_return.is_some());
        let holds = |o: &Order| o.state == State::Held && o.owner == who;
        self.tickets.iter().any(has) || self.orders.iter().any(holds)
    }
}
