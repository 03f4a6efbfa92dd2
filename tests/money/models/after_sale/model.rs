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
/// What each ticket is worth less in an exchange than what was paid for it.
pub(super) const EXCHANGE_FEE: i64 = 70;
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
    /// Whether it was the place of a ticket on return when it was held.
    pub(super) was_on_return: bool,
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
    /// Index of the exchange in which it was held.
    pub(super) exchange: Option<usize>,
}

impl Order {
    pub(super) fn total(&self) -> i64 {
        self.items.iter().map(|item| item.price).sum::<i64>() - self.discount()
    }

    /// What the code takes off, which is nothing of a place that was on return.
    pub(super) fn discount(&self) -> i64 {
        let own = self.items.iter().filter(|item| !item.was_on_return).map(|item| item.price);
        if self.has_code { own.sum::<i64>() * DISCOUNT / 100 } else { 0 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Valid,
    /// Let in by this check-in.
    Used(Uuid),
    /// Sold on or refunded.
    Void,
    /// Void because its check-in was undone after the holder's account was deleted.
    Gone,
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
    pub(super) standing: Standing,
    /// Hand-over that waits, and to whom.
    pub(super) offer: Option<(Uuid, usize)>,
    /// Open return.
    pub(super) on_return: Option<Uuid>,
    /// Whether the return ends with the hold that runs.
    pub(super) is_wanted_back: bool,
}

impl Ticket {
    pub(super) fn is_valid(&self) -> bool {
        self.standing == Standing::Valid
    }
}

/// Ticket that is to pay for other places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    pub(super) id: Uuid,
    pub(super) owner: usize,
    pub(super) ticket: usize,
    pub(super) is_open: bool,
}

/// Points that wait for an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    pub(super) id: Uuid,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) amount: i64,
    /// Whether its start lies ahead.
    pub(super) is_planned: bool,
}

/// Everything that the people of a case have.
#[derive(Debug, Default)]
pub(super) struct Model {
    /// Points, less what is owed.
    pub(super) points: [i64; PEOPLE],
    /// What was returned to the card, of what each bought.
    pub(super) reversed: [i64; PEOPLE],
    pub(super) is_deleted: [bool; PEOPLE],
    pub(super) is_locked: [bool; PEOPLE],
    /// Open transfers, the newest last.
    pub(super) transfers: Vec<Transfer>,
    pub(super) orders: Vec<Order>,
    pub(super) tickets: Vec<Ticket>,
    pub(super) exchanges: Vec<Exchange>,
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

    /// Whether the place of a ticket is in its order still: it was neither refunded nor sold
    /// on.
    pub(super) fn has_place(&self, ticket: &Ticket) -> bool {
        let is_paid = self.orders[ticket.order].state == State::Paid;
        is_paid && ticket.standing != Standing::Void
    }

    /// Index of the ticket on return whose place a seat is; `None` where the office sells the seat.
    pub(super) fn on_return(&self, place: Place) -> Option<usize> {
        let is_his = |ticket: &Ticket| ticket.is_valid() && ticket.on_return.is_some();
        self.tickets.iter().position(|ticket| is_his(ticket) && ticket.place == place)
    }

    /// Whether an account holds the seat, or has its ticket and has not put it on sale.
    pub(super) fn is_taken(&self, place: Place) -> bool {
        let has = |ticket: &Ticket| self.has_place(ticket) && ticket.on_return.is_none();
        self.held().any(|item| item.place == place)
            || self.tickets.iter().any(|ticket| has(ticket) && ticket.place == place)
    }

    /// Places of the zone that the office sells.
    pub(super) fn places_left(&self) -> i64 {
        let held = self.held().filter(|item| item.place == Place::Standing && item.of.is_none());
        let sold = self.tickets.iter().filter(|t| self.has_place(t) && t.place == Place::Standing);
        PLACES - i64::try_from(held.count() + sold.count()).unwrap()
    }

    pub(super) fn is_hidden_for(&self, who: usize, place: Place) -> bool {
        let is_balcony = matches!(place, Place::Seat(seat) if seat >= STALLS);
        self.is_balcony_hidden && is_balcony && who != GUEST
    }

    /// Points that a person can spend.
    pub(super) fn usable(&self, who: usize) -> i64 {
        self.usable_with(who, 0)
    }

    /// Points that a person can spend once `worth` more have come.
    pub(super) fn usable_with(&self, who: usize, worth: i64) -> i64 {
        (self.points[who] + worth - self.pending(who)).max(0)
    }

    /// Points of a person that wait for the answer of another.
    pub(super) fn pending(&self, who: usize) -> i64 {
        let own = self.transfers.iter().filter(|transfer| transfer.from == who);
        own.map(|transfer| transfer.amount).sum()
    }

    /// Takes back points whose money was returned: what waits ends, the newest first, as far as points are
    /// missing.
    pub(super) fn reverse(&mut self, who: usize, points: i64) {
        while self.points[who] - self.pending(who) < points {
            let Some(newest) = self.transfers.iter().rposition(|t| t.from == who) else { break };
            self.transfers.remove(newest);
        }
        self.points[who] -= points;
    }

    /// Lets the holder of a valid ticket in: its return ends, and the hold of its place.
    pub(super) fn admit(&mut self, idx: usize, check_in: Uuid) {
        let is_its = |order: &Order| {
            order.state == State::Held && order.items.iter().any(|item| item.of == Some(idx))
        };
        if let Some(buyer) = self.orders.iter().position(is_its) {
            self.release(buyer);
        }
        let ticket = &mut self.tickets[idx];
        ticket.standing = Standing::Used(check_in);
        (ticket.offer, ticket.on_return, ticket.is_wanted_back) = (None, None, false);
    }

    /// Undoes a check-in: the ticket admits again, unless it was refunded or its holder is gone.
    pub(super) fn undo(&mut self, idx: usize) {
        let ticket = &mut self.tickets[idx];
        ticket.standing = match self.orders[ticket.order].state {
            State::Paid if self.is_deleted[ticket.holder] => Standing::Gone,
            State::Paid => Standing::Valid,
            _ => Standing::Void,
        };
    }

    /// Index of the open exchange of a person.
    pub(super) fn open_exchange(&self, who: usize) -> Option<usize> {
        self.exchanges.iter().position(|exchange| exchange.is_open && exchange.owner == who)
    }

    /// Index of the open exchange whose ticket a hold is to be paid with.
    pub(super) fn paying_exchange(&self, nth: usize) -> Option<usize> {
        self.orders[nth].exchange.filter(|exchange| self.exchanges[*exchange].is_open)
    }

    /// What a ticket is worth in an exchange.
    pub(super) fn worth(&self, ticket: usize) -> i64 {
        (self.tickets[ticket].paid - EXCHANGE_FEE).max(0)
    }

    /// Takes the ticket of an exchange for places that are paid next.
    pub(super) fn give(&mut self, exchange: usize) {
        let Exchange { ticket, owner, .. } = self.exchanges[exchange];
        self.points[owner] += self.worth(ticket);
        self.tickets[ticket].standing = Standing::Void;
        self.exchanges[exchange].is_open = false;
    }

    /// Pays a hold: `payers` has who pays each of its items. Its tickets have no code yet.
    pub(super) fn pay(&mut self, nth: usize, payers: &[usize]) {
        self.orders[nth].state = State::Paid;
        let order = self.orders[nth].clone();
        for (item, payer) in order.items.iter().zip(payers) {
            let off = if order.has_code && !item.was_on_return { DISCOUNT } else { 0 };
            let paid = item.price - item.price * off / 100;
            self.points[*payer] -= paid;
            if let Some(of) = item.of {
                let sold = &mut self.tickets[of];
                sold.standing = Standing::Void;
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
                standing: Standing::Valid,
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
        let left = self.tickets.iter().enumerate();
        let left = left.filter(|(_, t)| t.order == nth && self.has_place(t)).map(|(idx, _)| idx);
        let left: Vec<usize> = left.collect();
        self.orders[nth].state = State::Over;
        for idx in left {
            let ticket = &mut self.tickets[idx];
            if !matches!(ticket.standing, Standing::Used(_)) {
                ticket.standing = Standing::Void;
            }
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
}
