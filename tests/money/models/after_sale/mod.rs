//! What people bought goes where the model says, whatever they and the office do with it afterwards.
//!
//! One machine has every feature that takes an order apart or changes what it was made of: returns, refunds of single tickets, exchanges, shares,
//! price types, codes, hand-overs, wishes, check-ins, refunds, reversals, transfers, locked accounts, renames,
//! hidden sections and deletions. The model says who has which ticket and how many points, which requests must be carried out, and which must
//! be refused; `verify` says the rest after each case. `PROPTEST_CASES=200 make test ARGS=after_sale` tries
//! it for some ten minutes.

mod acts;
mod door;
mod exchanges;
mod hand_overs;
mod model;
mod office_acts;
mod rules;
mod steps;
mod transfers;

use std::sync::Arc;

use proptest::{sample::Index, strategy::Strategy};
use sqlx::PgPool;
use uuid::Uuid;

use self::{
    model::{
        BEGUN_WITH, EXCHANGE_FEE, Model, Order, PEOPLE, PLACES, Place, SEAT_PRICE, SEATS, STALLS,
        Standing, State, Ticket, ZONE_PRICE,
    },
    steps::{Choice, Step},
};
use super::{Machine, check_in, expire_holds, join, lapse};
use crate::support::{
    Concert, ConcertOptions, Office, Person, StripeStandIn, read_all_with, run_sql_with,
    stripe::order_points,
};

#[sqlx::test]
async fn after_a_sale_everybody_has_what_the_model_says(db: PgPool) {
    let stripe = Arc::new(StripeStandIn::start().await);
    let settings = stripe.settings();
    let mut settings: Vec<(&'static str, &str)> =
        settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    settings
        .extend([("TEST_EXPIRY_PERIOD_MS", "3600000"), ("TEST_ADMISSION_PERIOD_MS", "3600000")]);
    let office = Office::open_with(db.clone(), 1, &settings).await;
    // What is sold on while tickets are sold is scanned there.
    let early = [("DOOR_OPENS_BEFORE_MINS", "100000"), ("TEST_EXPIRY_PERIOD_MS", "3600000")];
    let early = Office::open_with(db, 1, &early).await;
    let door = early.employ("door", "STAFF").await;
    check_in(office, async move |office| AfterSale::begin_with(office, &stripe, &door).await).await;
    early.close_as_it_is().await;
}

struct AfterSale {
    stripe: Arc<StripeStandIn>,
    concert: Concert,
    admin: Person,
    /// At an instance whose door opens weeks before the start.
    door: Person,
    people: Vec<Person>,
    /// The payment of each person's points at the provider.
    payments: Vec<serde_json::Value>,
    /// Id of the terms of the child's ticket.
    child: Uuid,
    code: String,
    n_renamed: usize,
    model: Model,
}

impl AfterSale {
    async fn begin_with(office: &Office, stripe: &Arc<StripeStandIn>, door: &Person) -> Self {
        let options = ConcertOptions {
            seats: i32::try_from(SEATS).unwrap(),
            seat_price: SEAT_PRICE,
            zone_capacity: i32::try_from(PLACES).unwrap(),
            zone_price: ZONE_PRICE,
            places_per_account_max: 50,
            ..ConcertOptions::default()
        };
        let concert = Concert::with(&office.db, options).await;
        set_up(office, &concert).await;
        let people = office.crowd(PEOPLE, "Guest").await;
        let mut payments = Vec::new();
        for person in &people {
            let (_, id) = order_points(person, BEGUN_WITH).await;
            let session = stripe.change(&id, "paid").await;
            assert_eq!(stripe.completed(&session).await.deliver(person).await.status, 200);
            payments.push(session["payment_intent"].clone());
        }
        let admin = office.employ("admin", "ADMIN").await;
        let model = Model { points: [BEGUN_WITH; PEOPLE], ..Model::default() };
        let mut life = Self {
            stripe: Arc::clone(stripe),
            concert,
            admin,
            door: door.clone(),
            people,
            payments,
            child: Uuid::nil(),
            code: String::new(),
            n_renamed: 0,
            model,
        };
        life.make_terms().await;
        life
    }

    /// Index of a thing that the model has of a kind; `None` where there is none.
    fn pick(nth: Index, found: impl Iterator<Item = usize>) -> Option<usize> {
        let found: Vec<usize> = found.collect();
        (!found.is_empty()).then(|| *nth.get(&found))
    }

    fn held(&self, nth: Index, is: impl Fn(usize) -> bool) -> Option<usize> {
        let held = |order: &Order| order.state == State::Held && is(order.owner);
        let orders = self.model.orders.iter().enumerate();
        Self::pick(nth, orders.filter(|(_, order)| held(order)).map(|(idx, _)| idx))
    }

    /// Index of a hold whose owner can do something with it.
    fn held_by_one(&self, nth: Index) -> Option<usize> {
        self.held(nth, |owner| !self.model.is_out(owner))
    }

    /// Index of a valid ticket whose holder can do something with it.
    fn own_ticket(&self, nth: Index) -> Option<usize> {
        self.ticket(nth, |model, ticket| ticket.is_valid() && !model.is_out(ticket.holder))
    }

    fn ticket(&self, nth: Index, is: impl Fn(&Model, &Ticket) -> bool) -> Option<usize> {
        let tickets = self.model.tickets.iter().enumerate();
        Self::pick(nth, tickets.filter(|(_, t)| is(&self.model, t)).map(|(idx, _)| idx))
    }
}

/// Makes a balcony of the last seats, and has the program keep its share of what is sold on.
async fn set_up(office: &Office, concert: &Concert) {
    run_sql_with(
        &office.db,
        "update programs set return_fee_percent = 10 where id = $1",
        concert.program_id,
    )
    .await;
    run_sql_with(&office.db, "update programs set exchange_fee = $1", EXCHANGE_FEE).await;
    run_sql_with(
        &office.db,
        "update seats set section = 'Balcony' where id in
             (select seat_id from schedule_seats where id = any($1))",
        &concert.seat_ids[STALLS..],
    )
    .await;
}

impl Machine for AfterSale {
    type Step = Step;

    const STEPS_MAX: usize = 40;

    fn step() -> impl Strategy<Value = Step> {
        steps::any_step()
    }

    async fn begin(_: &Office) -> Self {
        unreachable!("the office sells points through a stand-in")
    }

    async fn take(&mut self, office: &Office, step: &Step) {
        match step {
            Step::Hold { who, .. } | Step::Wish { who } if self.model.is_out(*who) => {}
            Step::Hold { who, choice, is_child, has_code } => {
                join(&self.concert, std::slice::from_ref(&self.people[*who])).await;
                let places = match choice {
                    Choice::Seat(seat) => vec![Place::Seat(*seat)],
                    Choice::Pair(one, other) => vec![Place::Seat(*one), Place::Seat(*other)],
                    Choice::Standing => vec![Place::Standing],
                };
                self.hold(office, *who, &places, *is_child, *has_code).await;
            }
            Step::Pay { nth } => {
                let Some(nth) = self.held_by_one(*nth) else { return };
                self.pay(office, nth).await;
            }
            Step::PayTogether { nth, friend } => {
                let Some(nth) = self.held_by_one(*nth) else { return };
                self.pay_together(office, nth, *friend).await;
            }
            Step::Release { nth } => {
                let Some(nth) = self.held_by_one(*nth) else { return };
                self.release(nth).await;
            }
            Step::Lapse { nth } => {
                let Some(nth) = self.held(*nth, |_| true) else { return };
                lapse(office, self.model.orders[nth].id).await;
                expire_holds(office).await;
                self.model.release(nth);
            }
            Step::Return { nth } => {
                let Some(nth) = self.own_ticket(*nth) else { return };
                self.put_on_sale(nth).await;
            }
            Step::TakeBack { nth } => {
                let is_open = |m: &Model, t: &Ticket| t.on_return.is_some() && !m.is_out(t.holder);
                let Some(nth) = self.ticket(*nth, is_open) else { return };
                self.take_back(nth).await;
            }
            Step::HandOver { nth, to } => {
                let Some(nth) = self.own_ticket(*nth) else { return };
                self.hand_over(office, nth, *to).await;
            }
            Step::Answer { nth, accepts } => {
                let Some(nth) = self.ticket(*nth, |_, t| t.offer.is_some()) else { return };
                self.answer(nth, *accepts).await;
            }
            Step::GiveBack { nth } => {
                let Some(nth) = self.own_ticket(*nth) else { return };
                self.give_back(nth).await;
            }
            Step::Exchange { nth } => {
                let Some(nth) = self.own_ticket(*nth) else { return };
                self.begin_exchange(nth).await;
            }
            Step::EndExchange { nth } => {
                let exchanges = self.model.exchanges.iter().enumerate();
                let open = exchanges.filter(|(_, x)| x.is_open && !self.model.is_out(x.owner));
                let Some(nth) = Self::pick(*nth, open.map(|(idx, _)| idx)) else { return };
                self.end_exchange(nth).await;
            }
            Step::Refund { nth, by_office } => {
                let Some(nth) = self.ticket(*nth, Model::has_place) else { return };
                let order = self.model.tickets[nth].order;
                self.refund(order, *by_office).await;
            }
            Step::Admit { nth } => {
                let Some(nth) = self.ticket(*nth, |_, _| true) else { return };
                self.admit(nth).await;
            }
            Step::Undo { nth } => {
                let is_used = |t: &Ticket| matches!(t.standing, Standing::Used(_));
                let Some(nth) = self.ticket(*nth, |_, t| is_used(t)) else { return };
                self.undo(office, nth).await;
            }
            Step::Transfer { between, amount, is_planned } => {
                self.transfer(office, *between, *amount, *is_planned).await;
            }
            Step::Reply { nth, reply } => {
                let Some(nth) = Self::pick(*nth, 0..self.model.transfers.len()) else { return };
                self.reply(nth, *reply).await;
            }
            Step::LockOrUnlock { who } => self.lock_or_unlock(office, *who).await,
            Step::Wish { who } => self.wish(*who).await,
            Step::Reverse { who } => self.reverse(*who).await,
            Step::RenameZone => self.rename_zone().await,
            Step::HideOrShow => self.hide_or_show().await,
            Step::Delete { who } => self.delete(office, *who).await,
        }
        self.learn_offers(office).await;
        self.compare_points(office).await;
    }

    async fn compare(&self, office: &Office) {
        let seats: Vec<String> = read_all_with(
            &office.db,
            "select status from schedule_seats where schedule_id = $1 order by id",
            self.concert.schedule_id,
        )
        .await;
        for (seat, status) in seats.iter().enumerate() {
            let place = Place::Seat(seat);
            let is_hidden = self.model.is_balcony_hidden && seat >= STALLS;
            let expected: &[&str] = match self.model.is_taken(place) {
                true => &["HELD", "RESERVED"],
                false if is_hidden => &["HIDDEN"],
                false => &["AVAILABLE"],
            };
            assert!(expected.contains(&status.as_str()), "seat {seat} is {status}: {expected:?}");
        }
        for (who, person) in self.people.iter().enumerate() {
            if self.model.is_out(who) {
                continue;
            }
            let listed = person.get("/tickets").await.json();
            let mut codes: Vec<&str> = listed["tickets"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|ticket| ticket["status"] == "VALID")
                .map(|ticket| ticket["code"].as_str().unwrap())
                .collect();
            let his = self.model.tickets.iter().filter(|t| t.is_valid() && t.holder == who);
            let mut expected: Vec<&str> = his.map(|ticket| ticket.code.as_str()).collect();
            codes.sort_unstable();
            expected.sort_unstable();
            assert_eq!(codes, expected, "tickets of person {who}");
        }
    }
}
