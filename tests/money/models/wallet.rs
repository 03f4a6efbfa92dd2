//! Points that are charged, paid and refunded, each request once, whatever its key was used for.

use std::collections::HashMap;

use proptest::{option, prelude::*, sample::Index};
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{Expected, Machine, assert_answer, check, join, lapse, points_of, send};
use crate::support::{Answer, Concert, ConcertOptions, Hold, Office, Person};

const PEOPLE: usize = 2;
const KEYS: usize = 3;
const PRICE: i64 = 10;

#[sqlx::test]
async fn whatever_people_charge_and_pay_the_history_is_that_of_the_model(db: PgPool) {
    check::<Wallets>(db).await;
}

#[derive(Clone, Debug)]
enum Step {
    Send {
        who: usize,
        request: Request,
        key: Option<usize>,
    },
    Hold {
        who: usize,
        places: i32,
        refund_percent: i32,
        has_refund: bool,
    },
    /// A hold reaches its end.
    Lapse {
        nth: Index,
    },
}

#[derive(Clone, Debug)]
enum Request {
    Charge { amount: i64 },
    Pay { nth: Index },
    Cancel { nth: Index },
}

/// Request of which a key is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Charge(i64),
    Pay(usize),
    Cancel(usize),
}

#[derive(Clone, Debug)]
struct Reservation {
    id: Uuid,
    owner: usize,
    total: i64,
    refund_percent: i64,
    has_refund: bool,
    is_lapsed: bool,
    status: &'static str,
}

#[derive(Clone, Debug, Default)]
struct Wallet {
    balance: i64,
    /// Kind, amount and the balance after it of each entry.
    entries: Vec<(&'static str, i64, i64)>,
}

impl Wallet {
    fn add(&mut self, kind: &'static str, amount: i64) {
        self.balance += amount;
        self.entries.push((kind, amount, self.balance));
    }
}

struct Wallets {
    people: Vec<Person>,
    concert: Concert,
    /// The same for each of the people: a key is its owner's.
    keys: [Uuid; KEYS],
    wallets: [Wallet; PEOPLE],
    reservations: Vec<Reservation>,
    kept: HashMap<(usize, usize), (Asked, Value)>,
}

impl Wallets {
    fn pay(&mut self, who: usize, nth: usize) -> Expected {
        let reservation = &mut self.reservations[nth];
        match reservation.status {
            _ if reservation.owner != who => return (404, "not-found"),
            "HELD" if reservation.is_lapsed => return (410, "hold-expired"),
            "HELD" => {}
            "CONFIRMED" => return (409, "already-paid"),
            _ => return (409, "invalid-state"),
        }
        if self.wallets[who].balance < reservation.total {
            return (402, "insufficient-points");
        }
        reservation.status = "CONFIRMED";
        self.wallets[who].add("PAYMENT", -reservation.total);
        (201, "")
    }

    fn cancel(&mut self, who: usize, nth: usize) -> Expected {
        let reservation = &mut self.reservations[nth];
        match reservation.status {
            _ if reservation.owner != who => (404, "not-found"),
            "HELD" if !reservation.is_lapsed => {
                reservation.status = "CANCELLED";
                (200, "")
            }
            "CONFIRMED" if !reservation.has_refund => (409, "refund-over"),
            "CONFIRMED" => {
                reservation.status = "REFUNDED";
                let refund = reservation.total * reservation.refund_percent / 100;
                self.wallets[who].add("REFUND", refund);
                (200, "")
            }
            _ => (409, "invalid-state"),
        }
    }

    fn predict(&mut self, who: usize, asked: Asked) -> Expected {
        match asked {
            Asked::Charge(amount) => {
                self.wallets[who].add("CHARGE", amount);
                (201, "")
            }
            Asked::Pay(nth) => self.pay(who, nth),
            Asked::Cancel(nth) => self.cancel(who, nth),
        }
    }

    async fn carry_out(&self, who: usize, asked: Asked, key: Uuid) -> Answer {
        let path = |nth: usize, act| format!("/reservations/{}/{act}", self.reservations[nth].id);
        let (path, amount) = match asked {
            Asked::Charge(amount) => ("/wallet/charges".to_owned(), Some(amount)),
            Asked::Pay(nth) => (path(nth, "payment"), None),
            Asked::Cancel(nth) => (path(nth, "cancellation"), None),
        };
        let form = match amount {
            Some(amount) => json!({ "amount": amount, "request_key": key }),
            None => json!({ "request_key": key }),
        };
        send(&self.people[who], &path, &form).await
    }

    async fn send(&mut self, who: usize, asked: Asked, key: Option<usize>) {
        let uuid = key.map_or_else(Uuid::now_v7, |key| self.keys[key]);
        let answer = self.carry_out(who, asked, uuid).await;
        match key.and_then(|key| self.kept.get(&(who, key))) {
            Some((first, told)) if *first == asked => {
                assert_eq!(answer.json(), *told, "the first answer again: {}", answer.status);
            }
            Some(_) => assert_answer(&answer, (422, "key-reused")),
            None => {
                let expected = self.predict(who, asked);
                assert_answer(&answer, expected);
                let told = answer.json();
                if told["balance"].is_number() {
                    let balance = told["balance"].as_i64().unwrap();
                    assert_eq!(balance, self.wallets[who].balance, "{told}");
                }
                if expected.1.is_empty() {
                    self.kept.extend(key.map(|key| ((who, key), (asked, told))));
                }
            }
        }
    }
}

impl Machine for Wallets {
    type Step = Step;

    fn step() -> impl Strategy<Value = Step> {
        let who = || 0..PEOPLE;
        let request = prop_oneof![
            (1..=5 * PRICE).prop_map(|amount| Request::Charge { amount }),
            any::<Index>().prop_map(|nth| Request::Pay { nth }),
            any::<Index>().prop_map(|nth| Request::Cancel { nth }),
        ];
        let refund = (prop_oneof![Just(100), Just(75), Just(0)], prop::bool::weighted(0.8));
        prop_oneof![
            8 => (who(), request, option::of(0..KEYS))
                .prop_map(|(who, request, key)| Step::Send { who, request, key }),
            4 => (who(), 1..=3, refund).prop_map(|(who, places, (refund_percent, has_refund))| {
                Step::Hold { who, places, refund_percent, has_refund }
            }),
            1 => any::<Index>().prop_map(|nth| Step::Lapse { nth }),
        ]
    }

    async fn begin(office: &Office) -> Self {
        let options = ConcertOptions {
            seats: 1,
            zone_price: PRICE,
            places_per_account_max: 100,
            ..ConcertOptions::default()
        };
        let concert = Concert::with(&office.db, options).await;
        let people = office.crowd(PEOPLE, "Payer").await;
        join(&concert, &people).await;
        Self {
            people,
            concert,
            keys: [(); KEYS].map(|()| Uuid::now_v7()),
            wallets: Default::default(),
            reservations: Vec::new(),
            kept: HashMap::new(),
        }
    }

    async fn take(&mut self, office: &Office, step: &Step) {
        let n_made = self.reservations.len();
        match *step {
            Step::Hold { who, places, refund_percent, has_refund } => {
                let refund_ends_in_secs = if has_refund { 86_400 } else { -1 };
                let hold = Hold { places, refund_ends_in_secs, refund_percent, ..Hold::default() };
                let owner = self.people[who].account_id;
                self.reservations.push(Reservation {
                    id: hold.write(&office.db, &self.concert, owner).await,
                    owner: who,
                    total: i64::from(places) * PRICE,
                    refund_percent: i64::from(refund_percent),
                    has_refund,
                    is_lapsed: false,
                    status: "HELD",
                });
            }
            Step::Send { who, ref request, key } => {
                let asked = match request {
                    Request::Charge { amount } => Asked::Charge(*amount),
                    Request::Pay { .. } | Request::Cancel { .. } if n_made == 0 => return,
                    Request::Pay { nth } => Asked::Pay(nth.index(n_made)),
                    Request::Cancel { nth } => Asked::Cancel(nth.index(n_made)),
                };
                self.send(who, asked, key).await;
            }
            Step::Lapse { nth } if n_made > 0 => {
                let reservation = &mut self.reservations[nth.index(n_made)];
                if reservation.status == "HELD" && !reservation.is_lapsed {
                    reservation.is_lapsed = true;
                    lapse(office, reservation.id).await;
                }
            }
            Step::Lapse { .. } => {}
        }
    }

    async fn compare(&self, office: &Office) {
        for (who, person) in self.people.iter().enumerate() {
            let wallet = &self.wallets[who];
            assert_eq!(points_of(office, person).await, (wallet.balance, 0), "of person {who}");
            let entries: Vec<(String, i64, i64)> = sqlx::query_as(
                "select t.kind, t.amount, t.balance_after from point_transactions t
                 join wallets w on w.id = t.wallet_id where w.account_id = $1 order by t.wallet_version",
            )
            .bind(person.account_id)
            .fetch_all(&office.db)
            .await
            .unwrap();
            let entries: Vec<_> = entries
                .iter()
                .map(|(kind, amount, after)| (kind.as_str(), *amount, *after))
                .collect();
            assert_eq!(entries, wallet.entries, "of person {who}");
        }
        for reservation in &self.reservations {
            let shown = &self.people[reservation.owner];
            let path = format!("/reservations/{}", reservation.id);
            let status = shown.get(&path).await.json()["status"].clone();
            let is_right = status == reservation.status
                || (reservation.is_lapsed && reservation.status == "HELD" && status == "EXPIRED");
            assert!(is_right, "{status} {reservation:?}");
        }
    }
}
