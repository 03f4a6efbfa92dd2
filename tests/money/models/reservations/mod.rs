//! Seats and places: held, released, paid, renewed, refunded, or left to expire.

mod model;

use std::collections::HashMap;

use proptest::{option, prelude::*, sample::Index, sample::subsequence};
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use self::model::{
    BEGUN_WITH, CAP, Choice, Model, PEOPLE, PLACES, Reservation, SEAT_PRICE, SEATS, ZONE_PRICE,
};
use super::{
    Expected, Machine, assert_answer, charge, check, expire_holds, join, lapse, points_of, send,
};
use crate::support::{Concert, ConcertOptions, Office, Person, read_all_with, read_one_with};

const KEYS: usize = 2;

#[sqlx::test]
async fn whatever_people_hold_and_give_back_each_place_is_whose_the_model_says(db: PgPool) {
    check::<Reservations>(db).await;
}

#[derive(Clone, Debug)]
enum Step {
    Hold {
        who: usize,
        choice: Choice,
        key: Option<usize>,
    },
    Pay {
        who: usize,
        nth: Index,
    },
    Cancel {
        who: usize,
        nth: Index,
    },
    Renew {
        who: usize,
        nth: Index,
    },
    /// Someone whose stay ended with a payment is admitted again.
    Return {
        who: usize,
    },
    /// A hold reaches its end.
    Lapse {
        nth: Index,
    },
    /// The worker ends what has lapsed.
    Expire,
}

struct Reservations {
    people: Vec<Person>,
    concert: Concert,
    keys: [Uuid; KEYS],
    model: Model,
    /// What was held under an owner's key.
    kept: HashMap<(usize, usize), (Choice, Uuid)>,
}

impl Reservations {
    async fn send_hold(
        &mut self,
        office: &Office,
        who: usize,
        choice: &Choice,
        key: Option<usize>,
    ) {
        let path = format!("/schedules/{}/reservations", self.concert.schedule_id);
        let uuid = key.map_or_else(Uuid::now_v7, |key| self.keys[key]);
        let form = match choice {
            Choice::Seats(seats) => {
                let ids: Vec<i64> = seats.iter().map(|seat| self.concert.seat_ids[*seat]).collect();
                json!({ "seat_ids": ids, "request_key": uuid })
            }
            Choice::Places(places) => json!({
                "zone_id": self.concert.zone_id, "quantity": places, "request_key": uuid,
            }),
        };
        let answer = send(&self.people[who], &path, &form).await;
        // A refused person may have a lease of other seats for some seconds: it ends here.
        office.app.redis.forget_keys("lease:").await.unwrap();
        let told = || answer.json()["reservation_id"].as_str().unwrap().parse::<Uuid>().unwrap();
        if let Some((first, id)) = key.and_then(|key| self.kept.get(&(who, key))) {
            if first == choice {
                assert_answer(&answer, (201, ""));
                assert_eq!(told(), *id, "the first answer again");
            } else {
                assert_answer(&answer, (422, "key-reused"));
            }
            self.expire_all(office).await;
            return;
        }
        let is_full = self.model.is_full_for(choice);
        let mut expected = self.model.hold(who, choice);
        // Of two reasons for a refusal either is right: a full zone is found full before it
        // is waited for.
        if is_full && expected.0 != 201 && answer.code() == "sold-out" {
            expected = (409, "sold-out");
        }
        assert_answer(&answer, expected);
        if ["account-limit", "not-admitted"].contains(&expected.1) {
            self.expire_all(office).await;
        }
        if expected.0 == 201 {
            assert_eq!(answer.json()["total"], choice.total(), "{}", answer.body);
            self.kept.extend(key.map(|key| ((who, key), (choice.clone(), told()))));
            self.model.reservations.push(Reservation {
                id: told(),
                owner: who,
                choice: choice.clone(),
                is_lapsed: false,
                is_renewed: false,
                status: "HELD",
            });
        }
    }

    /// Ends what has lapsed, after an answer before which a zone may have given back its lapsed places or not: that
    /// depends on what is remembered of the zone.
    async fn expire_all(&mut self, office: &Office) {
        expire_holds(office).await;
        self.model.expire(|_| true);
    }

    async fn act(&self, who: usize, nth: usize, act: &str, expected: Expected) {
        let path = format!("/reservations/{}/{act}", self.model.reservations[nth].id);
        let key = json!({ "request_key": Uuid::now_v7() });
        assert_answer(&send(&self.people[who], &path, &key).await, expected);
    }
}

impl Machine for Reservations {
    type Step = Step;

    fn step() -> impl Strategy<Value = Step> {
        let whose = || (0..PEOPLE, any::<Index>());
        let choice = prop_oneof![
            3 => subsequence((0..SEATS).collect::<Vec<_>>(), 1..=3).prop_map(Choice::Seats),
            1 => (1..=PLACES).prop_map(Choice::Places),
        ];
        prop_oneof![
            6 => (0..PEOPLE, choice, option::weighted(0.3, 0..KEYS))
                .prop_map(|(who, choice, key)| Step::Hold { who, choice, key }),
            3 => whose().prop_map(|(who, nth)| Step::Pay { who, nth }),
            4 => whose().prop_map(|(who, nth)| Step::Cancel { who, nth }),
            2 => whose().prop_map(|(who, nth)| Step::Renew { who, nth }),
            2 => any::<Index>().prop_map(|nth| Step::Lapse { nth }),
            2 => (0..PEOPLE).prop_map(|who| Step::Return { who }),
            1 => Just(Step::Expire),
        ]
    }

    async fn begin(office: &Office) -> Self {
        let options = ConcertOptions {
            seats: i32::try_from(SEATS).unwrap(),
            seat_price: SEAT_PRICE,
            zone_capacity: i32::try_from(PLACES).unwrap(),
            zone_price: ZONE_PRICE,
            places_per_account_max: i32::try_from(CAP).unwrap(),
            ..ConcertOptions::default()
        };
        let concert = Concert::with(&office.db, options).await;
        let people = office.crowd(PEOPLE, "Holder").await;
        join(&concert, &people).await;
        for person in &people {
            charge(person, BEGUN_WITH).await;
        }
        Self {
            people,
            concert,
            keys: [(); KEYS].map(|()| Uuid::now_v7()),
            model: Model {
                balances: [BEGUN_WITH; PEOPLE],
                is_inside: [true; PEOPLE],
                reservations: Vec::new(),
            },
            kept: HashMap::new(),
        }
    }

    async fn take(&mut self, office: &Office, step: &Step) {
        let n_made = self.model.reservations.len();
        match step {
            Step::Hold { who, choice, key } => self.send_hold(office, *who, choice, *key).await,
            Step::Expire => {
                expire_holds(office).await;
                self.model.expire(|_| true);
            }
            Step::Return { who } => {
                if !std::mem::replace(&mut self.model.is_inside[*who], true) {
                    let person = std::slice::from_ref(&self.people[*who]);
                    join(&self.concert, person).await;
                }
            }
            // Nothing was held yet.
            _ if n_made == 0 => {}
            Step::Pay { who, nth } => {
                let nth = nth.index(n_made);
                let expected = self.model.pay(*who, nth);
                self.act(*who, nth, "payment", expected).await;
            }
            Step::Cancel { who, nth } => {
                let nth = nth.index(n_made);
                let expected = self.model.cancel(*who, nth);
                self.act(*who, nth, "cancellation", expected).await;
            }
            Step::Renew { who, nth } => {
                let nth = nth.index(n_made);
                let expected = self.model.renew(*who, nth);
                self.act(*who, nth, "renewal", expected).await;
            }
            Step::Lapse { nth } => {
                let reservation = &mut self.model.reservations[nth.index(n_made)];
                if reservation.status == "HELD" && !reservation.is_lapsed {
                    reservation.is_lapsed = true;
                    lapse(office, reservation.id).await;
                }
            }
        }
    }

    async fn compare(&self, office: &Office) {
        for (who, person) in self.people.iter().enumerate() {
            assert_eq!(
                points_of(office, person).await,
                (self.model.balances[who], 0),
                "of person {who}"
            );
        }
        for each in &self.model.reservations {
            let sql = "select status from reservations where id = $1";
            assert_eq!(read_one_with::<String>(&office.db, sql, each.id).await, each.status);
        }
        let sql = "select status from schedule_seats where schedule_id = $1 order by id";
        let seats: Vec<String> = read_all_with(&office.db, sql, self.concert.schedule_id).await;
        let expected: Vec<&str> = (0..SEATS)
            .map(|seat| self.model.reservations.iter().find(|each| each.has_seat(seat)))
            .map(|holding| match holding.map(|each| each.status) {
                Some("CONFIRMED") => "RESERVED",
                Some(_) => "HELD",
                None => "AVAILABLE",
            })
            .collect();
        assert_eq!(seats, expected);
        let sql = "select remaining::bigint from zones where schedule_id = $1";
        let remaining: i64 = read_one_with(&office.db, sql, self.concert.schedule_id).await;
        assert_eq!(remaining, self.model.remaining());
    }
}
