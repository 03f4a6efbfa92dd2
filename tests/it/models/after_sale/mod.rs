//! What people bought goes where the model says, whatever they and the office do with it afterwards.
//!
//! One machine has every feature that takes an order apart or changes what it was made of: returns, shares,
//! price types, codes, hand-overs, wishes, refunds, reversals, renames, hidden sections and deletions. The
//! model says who has which ticket and how many points, which requests must be carried out, and which must
//! be refused; `verify` says the rest after each case. `PROPTEST_CASES=2000 make test ARGS=after_sale` tries
//! it for some ten minutes.

mod acts;
mod model;
mod office_acts;

use std::sync::Arc;

use proptest::{prelude::*, sample::Index};
use sqlx::PgPool;
use uuid::Uuid;

use self::model::{
    BEGUN_WITH, GUEST, Model, PEOPLE, PLACES, Place, SEAT_PRICE, SEATS, STALLS, State, ZONE_PRICE,
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
    settings.extend([("EXPIRY_PERIOD_MS", "3600000"), ("ADMISSION_PERIOD_MS", "3600000")]);
    let office = Office::open_with(db, 1, &settings).await;
    check_in(office, async move |office| AfterSale::begin_with(office, &stripe).await).await;
}

/// What is ordered at once.
#[derive(Clone, Debug)]
enum Choice {
    Seat(usize),
    Pair(usize, usize),
    Standing,
}

#[derive(Clone, Debug)]
enum Step {
    Hold {
        who: usize,
        choice: Choice,
        is_child: bool,
        has_code: bool,
    },
    Pay {
        nth: Index,
    },
    /// A friend pays one place of a hold of two, its owner the other.
    PayTogether {
        nth: Index,
        friend: usize,
    },
    Release {
        nth: Index,
    },
    /// A hold reaches its end, and the worker ends it.
    Lapse {
        nth: Index,
    },
    Return {
        nth: Index,
    },
    TakeBack {
        nth: Index,
    },
    HandOver {
        nth: Index,
        to: usize,
    },
    Answer {
        nth: Index,
        accepts: bool,
    },
    Refund {
        nth: Index,
        by_office: bool,
    },
    Wish {
        who: usize,
    },
    Reverse {
        who: usize,
    },
    RenameZone,
    HideOrShow,
    Delete {
        who: usize,
    },
}

struct AfterSale {
    stripe: Arc<StripeStandIn>,
    concert: Concert,
    admin: Person,
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
    async fn begin_with(office: &Office, stripe: &Arc<StripeStandIn>) -> Self {
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

    fn held(&self, nth: Index) -> Option<usize> {
        let orders = self.model.orders.iter().enumerate();
        Self::pick(nth, orders.filter(|(_, o)| o.state == State::Held).map(|(idx, _)| idx))
    }

    fn ticket(&self, nth: Index, is: impl Fn(&model::Ticket) -> bool) -> Option<usize> {
        let tickets = self.model.tickets.iter().enumerate();
        Self::pick(nth, tickets.filter(|(_, ticket)| is(ticket)).map(|(idx, _)| idx))
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
        let nth = any::<Index>;
        let choice = prop_oneof![
            3 => (0..SEATS).prop_map(Choice::Seat),
            3 => (0..SEATS, 1..SEATS).prop_map(|(one, by)| Choice::Pair(one, (one + by) % SEATS)),
            2 => Just(Choice::Standing),
        ];
        let flag = || proptest::bool::weighted(0.25);
        prop_oneof![
            8 => (0..PEOPLE, choice, flag(), flag()).prop_map(|(who, choice, is_child, has_code)| {
                Step::Hold { who, choice, is_child, has_code }
            }),
            7 => nth().prop_map(|nth| Step::Pay { nth }),
            2 => (nth(), 0..PEOPLE).prop_map(|(nth, friend)| Step::PayTogether { nth, friend }),
            1 => nth().prop_map(|nth| Step::Release { nth }),
            1 => nth().prop_map(|nth| Step::Lapse { nth }),
            5 => nth().prop_map(|nth| Step::Return { nth }),
            2 => nth().prop_map(|nth| Step::TakeBack { nth }),
            3 => (nth(), 0..PEOPLE).prop_map(|(nth, to)| Step::HandOver { nth, to }),
            3 => (nth(), any::<bool>()).prop_map(|(nth, accepts)| Step::Answer { nth, accepts }),
            3 => (nth(), any::<bool>()).prop_map(|(nth, by_office)| Step::Refund { nth, by_office }),
            2 => (0..PEOPLE).prop_map(|who| Step::Wish { who }),
            1 => (0..PEOPLE).prop_map(|who| Step::Reverse { who }),
            1 => Just(Step::RenameZone),
            1 => Just(Step::HideOrShow),
            1 => (GUEST + 1..PEOPLE).prop_map(|who| Step::Delete { who }),
        ]
    }

    async fn begin(_: &Office) -> Self {
        unreachable!("the office sells points through a stand-in")
    }

    async fn take(&mut self, office: &Office, step: &Step) {
        match step {
            Step::Hold { who, .. } | Step::Wish { who } if self.model.is_deleted[*who] => {}
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
                let Some(nth) = self.held(*nth) else { return };
                self.pay(office, nth).await;
            }
            Step::PayTogether { nth, friend } => {
                let Some(nth) = self.held(*nth) else { return };
                self.pay_together(office, nth, *friend).await;
            }
            Step::Release { nth } => {
                let Some(nth) = self.held(*nth) else { return };
                self.release(nth).await;
            }
            Step::Lapse { nth } => {
                let Some(nth) = self.held(*nth) else { return };
                lapse(office, self.model.orders[nth].id).await;
                expire_holds(office).await;
                self.model.release(nth);
            }
            Step::Return { nth } => {
                let Some(nth) = self.ticket(*nth, |ticket| ticket.is_valid) else { return };
                self.put_on_sale(nth).await;
            }
            Step::TakeBack { nth } => {
                let is_open = |ticket: &model::Ticket| ticket.on_return.is_some();
                let Some(nth) = self.ticket(*nth, is_open) else { return };
                self.take_back(nth).await;
            }
            Step::HandOver { nth, to } => {
                let Some(nth) = self.ticket(*nth, |ticket| ticket.is_valid) else { return };
                self.hand_over(office, nth, *to).await;
            }
            Step::Answer { nth, accepts } => {
                let Some(nth) = self.ticket(*nth, |ticket| ticket.offer.is_some()) else { return };
                self.answer(nth, *accepts).await;
            }
            Step::Refund { nth, by_office } => {
                let Some(nth) = self.ticket(*nth, |ticket| ticket.is_valid) else { return };
                let order = self.model.tickets[nth].order;
                self.refund(order, *by_office).await;
            }
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
            if self.model.is_deleted[who] {
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
            let his = self.model.tickets.iter().filter(|t| t.is_valid && t.holder == who);
            let mut expected: Vec<&str> = his.map(|ticket| ticket.code.as_str()).collect();
            codes.sort_unstable();
            expected.sort_unstable();
            assert_eq!(codes, expected, "tickets of person {who}");
        }
    }
}
