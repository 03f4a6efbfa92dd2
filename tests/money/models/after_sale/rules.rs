//! What people may do with what they have.

use super::model::{Model, Order, Standing, State, Ticket};

impl Model {
    /// Whether a person can do nothing: the account is deleted or locked.
    pub(super) fn is_out(&self, who: usize) -> bool {
        self.is_deleted[who] || self.is_locked[who]
    }

    /// Tickets of an order whose places are in it and not on return.
    pub(super) fn kept(&self, order: usize) -> impl Iterator<Item = &Ticket> {
        let of_order = self.tickets.iter().filter(move |ticket| ticket.order == order);
        of_order.filter(|ticket| self.has_place(ticket) && ticket.on_return.is_none())
    }

    /// Whether the owner has a refund of a paid order: none of its tickets was used, and none is with a
    /// friend.
    pub(super) fn may_refund(&self, order: usize) -> bool {
        let owner = self.orders[order].owner;
        let mut left = self.tickets.iter().filter(|t| t.order == order && self.has_place(t));
        left.all(|t| {
            t.standing == Standing::Gone || t.is_valid() && t.holder == owner && t.offer.is_none()
        })
    }

    /// Whether a ticket is free to leave its order: its payer has it, it is not on sale, and its order does not
    /// need it.
    fn may_leave(&self, ticket: &Ticket) -> bool {
        let (children, adults): (Vec<_>, Vec<_>) =
            self.kept(ticket.order).partition(|kept| kept.is_child);
        ticket.is_valid()
            && ticket.on_return.is_none()
            && ticket.offer.is_none()
            && ticket.holder == ticket.payer
            && (ticket.is_child || children.len() < adults.len())
    }

    /// Whether a ticket may go on sale: at the ordinary price, in an order without a code.
    pub(super) fn may_return(&self, idx: usize) -> bool {
        let ticket = &self.tickets[idx];
        self.may_leave(ticket)
            && ticket.paid == ticket.price
            && !self.orders[ticket.order].has_code
            && !ticket.is_child
    }

    /// Whether a ticket is refunded by itself.
    pub(super) fn may_give_back(&self, idx: usize) -> bool {
        self.may_leave(&self.tickets[idx])
    }

    /// Whether a ticket may pay for other places: its holder ordered it, and gives it back as one that is refunded.
    pub(super) fn may_exchange(&self, idx: usize) -> bool {
        let ticket = &self.tickets[idx];
        self.may_give_back(idx) && self.orders[ticket.order].owner == ticket.holder
    }

    /// Whether an account holds places that are to be paid with the ticket of an exchange.
    pub(super) fn is_held_for(&self, exchange: usize) -> bool {
        let holds = |order: &Order| order.state == State::Held && order.exchange == Some(exchange);
        self.orders.iter().any(holds)
    }

    /// Whether a ticket may be offered to another person.
    pub(super) fn may_offer(&self, idx: usize, to: usize) -> bool {
        let ticket = &self.tickets[idx];
        let is_free = ticket.offer.is_none() && ticket.on_return.is_none();
        ticket.is_valid() && is_free && ticket.holder != to && !self.is_deleted[to]
    }

    /// Whether an account has something that keeps it: a hold, an order of its own, a ticket of another
    /// order, or what waits.
    pub(super) fn keeps_account(&self, who: usize) -> bool {
        let has = |t: &Ticket| {
            t.is_valid() && t.holder == who
                || self.has_place(t) && self.orders[t.order].owner == who
                || t.offer.is_some_and(|(_, to)| to == who)
        };
        let holds = |o: &Order| o.state == State::Held && o.owner == who;
        self.tickets.iter().any(has)
            || self.orders.iter().any(holds)
            || self.transfers.iter().any(|t| t.from == who || t.to == who)
            || self.wishing.contains(&who)
    }
}
