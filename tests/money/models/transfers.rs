//! Points for others: requested, planned, accepted, rejected, cancelled, or left to lapse.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use proptest::{option, prelude::*, sample::Index};
use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::wallet::expire_transfers;
use uuid::Uuid;

use super::{Expected, Machine, assert_answer, charge, check, points_of, send};
use crate::support::{Office, Person, email_of, read_one_with};

const PEOPLE: usize = 3;
const KEYS: usize = 2;
/// Points that each has at first.
const BEGUN_WITH: i64 = 50;
/// Days until a planned request starts, and for which a request is open.
const PLANNED_DAYS: i32 = 1;
const OPEN_DAYS: i32 = 3;
const OPEN_MAX: usize = 20;

#[sqlx::test]
async fn whatever_people_do_with_transfers_the_points_are_where_the_model_has_them(db: PgPool) {
    check::<Transfers>(db).await;
}

#[derive(Clone, Debug)]
enum Step {
    Charge {
        who: usize,
        amount: i64,
    },
    Request {
        order: Order,
        key: Option<usize>,
    },
    /// Someone, perhaps one of the two, answers a request.
    Answer {
        nth: Index,
        who: usize,
        how: How,
    },
    /// A request gets older.
    Pass {
        nth: Index,
        days: i32,
    },
    /// The worker ends what has lapsed.
    Expire,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Order {
    from: usize,
    to: usize,
    amount: i64,
    is_planned: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Accept,
    Reject,
    Cancel,
}

#[derive(Clone, Debug)]
struct Transfer {
    id: Uuid,
    order: Order,
    status: &'static str,
    age_days: i32,
}

impl Transfer {
    fn start_days(&self) -> i32 {
        if self.order.is_planned { PLANNED_DAYS } else { 0 }
    }

    fn is_pending(&self) -> bool {
        self.status == "PENDING"
    }

    fn is_lapsed(&self) -> bool {
        self.is_pending() && self.age_days >= self.start_days() + OPEN_DAYS
    }
}

struct Transfers {
    people: Vec<Person>,
    addresses: Vec<String>,
    starts_at: DateTime<Utc>,
    keys: [Uuid; KEYS],
    /// Points of each, with the withheld ones; `None` until the wallet is opened.
    balances: [Option<i64>; PEOPLE],
    transfers: Vec<Transfer>,
    /// What was made under a sender's key.
    made: HashMap<(usize, usize), (Order, Uuid)>,
}

impl Transfers {
    fn pending(&self, who: usize) -> i64 {
        let own = self.transfers.iter().filter(|each| each.order.from == who && each.is_pending());
        own.map(|each| each.order.amount).sum()
    }

    fn lapsed(&self, who: usize) -> i64 {
        let own = self.transfers.iter().filter(|each| each.order.from == who && each.is_lapsed());
        own.map(|each| each.order.amount).sum()
    }

    fn expire(&mut self, is_due: impl Fn(&Transfer) -> bool) {
        for each in self.transfers.iter_mut().filter(|each| each.is_lapsed() && is_due(each)) {
            each.status = "EXPIRED";
        }
    }

    /// Predicts a request that no earlier one answers.
    fn request(&mut self, order: Order) -> Expected {
        let Order { from, to, amount, .. } = order;
        if from == to {
            return (422, "self-transfer");
        }
        self.expire(|each| each.order.from == from);
        let Some(balance) = self.balances[from] else { return (402, "insufficient-points") };
        let own = self.transfers.iter().filter(|each| each.order.from == from && each.is_pending());
        if own.count() >= OPEN_MAX {
            return (409, "transfer-limit");
        }
        match balance - self.pending(from) >= amount {
            true => (201, ""),
            false => (402, "insufficient-points"),
        }
    }

    fn answer(&mut self, nth: usize, who: usize, how: How) -> Expected {
        let transfer = &mut self.transfers[nth];
        let Order { from, to, amount, .. } = transfer.order;
        if who != if how == How::Cancel { from } else { to } {
            return (404, "not-found");
        }
        if transfer.is_lapsed() {
            transfer.status = "EXPIRED";
        }
        match transfer.status {
            "EXPIRED" => return (410, "expired"),
            "PENDING" => {}
            _ => return (409, "already-settled"),
        }
        if how == How::Accept && transfer.age_days < transfer.start_days() {
            return (409, "transfer-planned");
        }
        transfer.status = match how {
            How::Accept => "ACCEPTED",
            How::Reject => "REJECTED",
            How::Cancel => "CANCELLED",
        };
        if how == How::Accept {
            *self.balances[from].get_or_insert(0) -= amount;
            *self.balances[to].get_or_insert(0) += amount;
        }
        (200, "")
    }

    async fn send_request(&mut self, order: Order, key: Option<usize>) {
        let Order { from, to, amount, is_planned } = order;
        let starts_at = is_planned.then_some(self.starts_at);
        let form = json!({ "to": self.addresses[to], "amount": amount, "starts_at": starts_at,
            "request_key": key.map_or_else(Uuid::now_v7, |key| self.keys[key]) });
        let answer = send(&self.people[from], "/wallet/transfers", &form).await;
        let told = || answer.json()["transfer_id"].as_str().unwrap().parse::<Uuid>().unwrap();
        match key.and_then(|key| self.made.get(&(from, key))) {
            Some((first, id)) if *first == order => {
                assert_answer(&answer, (201, ""));
                assert_eq!(told(), *id, "the first answer again");
            }
            Some(_) => assert_answer(&answer, (422, "key-reused")),
            None => {
                let expected = self.request(order);
                assert_answer(&answer, expected);
                if expected.0 == 201 {
                    self.made.extend(key.map(|key| ((from, key), (order, told()))));
                    let transfer = Transfer { id: told(), order, status: "PENDING", age_days: 0 };
                    self.transfers.push(transfer);
                }
            }
        }
    }

    async fn send_answer(&mut self, nth: usize, who: usize, how: How) {
        let noun = match how {
            How::Accept => "acceptance",
            How::Reject => "rejection",
            How::Cancel => "cancellation",
        };
        let path = format!("/wallet/transfers/{}/{noun}", self.transfers[nth].id);
        let answer = send(&self.people[who], &path, &json!({})).await;
        let expected = self.answer(nth, who, how);
        assert_answer(&answer, expected);
        if expected.0 == 200 {
            assert_eq!(answer.json(), json!({ "status": self.transfers[nth].status }));
        }
    }
}

impl Machine for Transfers {
    type Step = Step;

    fn step() -> impl Strategy<Value = Step> {
        let who = || 0..PEOPLE;
        let how = prop_oneof![Just(How::Accept), Just(How::Reject), Just(How::Cancel)];
        let order = (who(), who(), 1..=BEGUN_WITH, prop::bool::weighted(0.3));
        let order =
            order.prop_map(|(from, to, amount, is_planned)| Order { from, to, amount, is_planned });
        prop_oneof![
            1 => (who(), 1..=BEGUN_WITH).prop_map(|(who, amount)| Step::Charge { who, amount }),
            6 => (order, option::of(0..KEYS)).prop_map(|(order, key)| Step::Request { order, key }),
            6 => (any::<Index>(), who(), how)
                .prop_map(|(nth, who, how)| Step::Answer { nth, who, how }),
            3 => (any::<Index>(), 1..=OPEN_DAYS + 1)
                .prop_map(|(nth, days)| Step::Pass { nth, days }),
            1 => Just(Step::Expire),
        ]
    }

    async fn begin(office: &Office) -> Self {
        let people = office.crowd(PEOPLE, "Sender").await;
        let mut addresses = Vec::new();
        for person in &people {
            addresses.push(email_of(&office.db, person.account_id).await);
        }
        // The last has no wallet at first.
        for person in &people[1..] {
            charge(person, BEGUN_WITH).await;
        }
        let now = DateTime::<Utc>::from(std::time::SystemTime::now());
        Self {
            people,
            addresses,
            starts_at: now + TimeDelta::days(i64::from(PLANNED_DAYS)),
            keys: [(); KEYS].map(|()| Uuid::now_v7()),
            balances: [None, Some(BEGUN_WITH), Some(BEGUN_WITH)],
            transfers: Vec::new(),
            made: HashMap::new(),
        }
    }

    async fn take(&mut self, office: &Office, step: &Step) {
        match *step {
            Step::Charge { who, amount } => {
                charge(&self.people[who], amount).await;
                *self.balances[who].get_or_insert(0) += amount;
            }
            Step::Request { order, key } => self.send_request(order, key).await,
            Step::Answer { nth, who, how } if !self.transfers.is_empty() => {
                self.send_answer(nth.index(self.transfers.len()), who, how).await;
            }
            Step::Pass { nth, days } if !self.transfers.is_empty() => {
                let nth = nth.index(self.transfers.len());
                self.transfers[nth].age_days += days;
                sqlx::query(
                    "update transfers set created_at = created_at - make_interval(days => $2),
                         starts_at = starts_at - make_interval(days => $2),
                         expires_at = expires_at - make_interval(days => $2) where id = $1",
                )
                .bind(self.transfers[nth].id)
                .bind(days)
                .execute(&office.db)
                .await
                .unwrap();
            }
            Step::Expire => {
                expire_transfers(&office.app).await.unwrap();
                self.expire(|_| true);
            }
            // Nothing was made yet.
            Step::Answer { .. } | Step::Pass { .. } => {}
        }
    }

    async fn compare(&self, office: &Office) {
        for (who, person) in self.people.iter().enumerate() {
            let (balance, pending) = (self.balances[who].unwrap_or(0), self.pending(who));
            assert_eq!(points_of(office, person).await, (balance, pending), "of person {who}");
            let shown = person.get("/wallet").await.json();
            // What has lapsed is shown as ended, before its row is.
            let pending = pending - self.lapsed(who);
            let shown = ["balance", "pending", "usable"].map(|field| shown[field].clone());
            assert_eq!(shown, [balance, pending, balance - pending].map(Value::from));
        }
        for transfer in &self.transfers {
            let sql = "select status from transfers where id = $1";
            let status: String = read_one_with(&office.db, sql, transfer.id).await;
            assert_eq!(status, transfer.status, "{transfer:?}");
        }
    }
}
