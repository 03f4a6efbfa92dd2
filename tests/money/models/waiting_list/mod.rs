//! What becomes free goes to the first wish that it fits, and on to the next when it is not taken.

mod model;

use std::collections::HashMap;

use proptest::{option, prelude::*, sample::Index};
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use self::model::{BEGUN_WITH, CAP, Model, SEAT_PRICE, WISHERS, Wish, ZONE_PRICE};
use super::{
    Expected, Machine, assert_answer, charge, check, expire_holds, join, lapse, points_of, send,
};
use crate::support::{Concert, ConcertOptions, Hold, Office, Person};

const KEYS: usize = 2;
const SEATS: usize = 3;
const PLACES: usize = 2;

#[sqlx::test]
async fn whoever_gives_back_and_whatever_is_wished_offers_go_to_whom_the_model_says(db: PgPool) {
    check::<WaitingList>(db).await;
}

#[derive(Clone, Debug)]
enum Step {
    Wish {
        who: usize,
        places: i32,
        key: Option<usize>,
    },
    /// Someone takes a wish back.
    Leave {
        who: usize,
        nth: Index,
    },
    /// Someone releases one of the places that were sold at first.
    Free {
        nth: usize,
    },
    Pay {
        who: usize,
        nth: Index,
    },
    /// Someone declines an offer, or has it refunded.
    Cancel {
        who: usize,
        nth: Index,
    },
    /// An offer reaches its end.
    Lapse {
        nth: Index,
    },
    /// The worker ends what has lapsed.
    Expire,
}

struct WaitingList {
    concert: Concert,
    /// People who have one place each at first, and their reservations: seats, then places.
    holders: Vec<(Person, Uuid)>,
    is_given_back: [bool; SEATS + PLACES],
    wishers: Vec<Person>,
    keys: [Uuid; KEYS],
    model: Model,
    /// Places and index of the wish that was made under an account's key.
    kept: HashMap<(usize, usize), (i32, usize)>,
}

impl WaitingList {
    fn path(&self) -> String {
        format!("/schedules/{}/waiting-list", self.concert.schedule_id)
    }

    async fn send_wish(&mut self, who: usize, places: i32, key: Option<usize>) {
        let uuid = key.map_or_else(Uuid::now_v7, |key| self.keys[key]);
        let form = json!({ "places": places, "request_key": uuid });
        let answer = send(&self.wishers[who], &self.path(), &form).await;
        let told = || answer.json()["wish_id"].as_str().unwrap().parse::<Uuid>().unwrap();
        match key.and_then(|key| self.kept.get(&(who, key))) {
            Some((first, nth)) if *first == places => {
                assert_answer(&answer, (201, ""));
                assert_eq!(told(), self.model.wishes[*nth].id, "the first answer again");
            }
            Some(_) => assert_answer(&answer, (422, "key-reused")),
            None => {
                let expected = self.model.wish(who, places);
                assert_answer(&answer, expected);
                if expected.0 == 201 {
                    assert_eq!(answer.json()["number"], self.model.wishes.len() + 1);
                    let nth = self.model.wishes.len();
                    self.kept.extend(key.map(|key| ((who, key), (places, nth))));
                    let (owner, status, offer) = (who, "WAITING", None);
                    self.model.wishes.push(Wish { id: told(), owner, places, status, offer });
                }
            }
        }
    }

    async fn act(&self, person: &Person, reservation_id: Uuid, act: &str, expected: Expected) {
        let path = format!("/reservations/{reservation_id}/{act}");
        let key = json!({ "request_key": Uuid::now_v7() });
        assert_answer(&send(person, &path, &key).await, expected);
    }

    /// Compares the newest wish of each with the model, which learns the offers' ids from it.
    async fn learn(&mut self) {
        for who in 0..WISHERS {
            let shown = self.wishers[who].get(&self.path()).await.json();
            let waiting = self.model.wishes.iter().filter(|wish| wish.status == "WAITING").count();
            assert_eq!(shown["waiting"], waiting, "{shown}");
            let shown = &shown["wish"];
            let Some(nth) = self.model.wishes.iter().rposition(|wish| wish.owner == who) else {
                assert_eq!(*shown, Value::Null);
                continue;
            };
            let before =
                self.model.wishes[..nth].iter().filter(|wish| wish.status == "WAITING").count();
            let wish = &mut self.model.wishes[nth];
            assert_eq!(shown["status"], wish.status, "{shown} {wish:?}");
            let ahead = (wish.status == "WAITING").then_some(before);
            assert_eq!(shown["ahead"], json!(ahead));
            let total = wish.total();
            let Some(offer) = &mut wish.offer else { continue };
            offer.id = shown["reservation_id"].as_str().unwrap().parse().unwrap();
            let path = format!("/reservations/{}", offer.id);
            let held = self.wishers[who].get(&path).await.json();
            let is_seats = held["items"][0]["seat_id"].is_number();
            assert_eq!((is_seats, &held["total"]), (offer.is_seats, &json!(total)));
            let status =
                if offer.is_lapsed && offer.status == "HELD" { "EXPIRED" } else { offer.status };
            assert_eq!(held["status"], status, "{held}");
        }
    }

    /// Returns the index of a wish that was offered something.
    fn offered(&self, nth: Index) -> Option<usize> {
        let offered = self.model.wishes.iter().enumerate().filter(|(_, wish)| wish.offer.is_some());
        let offered: Vec<usize> = offered.map(|(nth, _)| nth).collect();
        (!offered.is_empty()).then(|| *nth.get(&offered))
    }

    fn offer_id(&self, nth: usize) -> Uuid {
        self.model.wishes[nth].offer.as_ref().unwrap().id
    }
}

impl Machine for WaitingList {
    type Step = Step;

    fn step() -> impl Strategy<Value = Step> {
        let whose = || (0..WISHERS, any::<Index>());
        prop_oneof![
            6 => (0..WISHERS, 1..=3, option::weighted(0.3, 0..KEYS))
                .prop_map(|(who, places, key)| Step::Wish { who, places, key }),
            1 => whose().prop_map(|(who, nth)| Step::Leave { who, nth }),
            5 => (0..SEATS + PLACES).prop_map(|nth| Step::Free { nth }),
            3 => whose().prop_map(|(who, nth)| Step::Pay { who, nth }),
            4 => whose().prop_map(|(who, nth)| Step::Cancel { who, nth }),
            2 => any::<Index>().prop_map(|nth| Step::Lapse { nth }),
            2 => Just(Step::Expire),
        ]
    }

    async fn begin(office: &Office) -> Self {
        let options = ConcertOptions {
            seats: i32::try_from(SEATS).unwrap(),
            seat_price: SEAT_PRICE,
            zone_capacity: i32::try_from(PLACES).unwrap(),
            zone_price: ZONE_PRICE,
            places_per_account_max: CAP,
            ..ConcertOptions::default()
        };
        let concert = Concert::with(&office.db, options).await;
        let people = office.crowd(SEATS + PLACES, "Holder").await;
        join(&concert, &people).await;
        let mut holders = Vec::new();
        for (nth, person) in people.into_iter().enumerate() {
            let hold = match concert.seat_ids.get(nth..=nth) {
                Some(seat_ids) => Hold { seat_ids, ..Hold::default() },
                None => Hold { places: 1, ..Hold::default() },
            };
            let id = hold.write(&office.db, &concert, person.account_id).await;
            holders.push((person, id));
        }
        let wishers = office.crowd(WISHERS, "Wisher").await;
        for person in &wishers {
            charge(person, BEGUN_WITH).await;
        }
        Self {
            concert,
            holders,
            is_given_back: [false; SEATS + PLACES],
            wishers,
            keys: [(); KEYS].map(|()| Uuid::now_v7()),
            model: Model {
                balances: [BEGUN_WITH; WISHERS],
                wishes: Vec::new(),
                free_seats: 0,
                free_places: 0,
            },
            kept: HashMap::new(),
        }
    }

    async fn take(&mut self, office: &Office, step: &Step) {
        match *step {
            Step::Wish { who, places, key } => self.send_wish(who, places, key).await,
            Step::Free { nth } => {
                let (person, id) = self.holders[nth].clone();
                let is_again = std::mem::replace(&mut self.is_given_back[nth], true);
                let expected = if is_again { (409, "invalid-state") } else { (200, "") };
                self.act(&person, id, "cancellation", expected).await;
                if !is_again {
                    self.model.free(&[(nth < SEATS, 1)]);
                }
            }
            Step::Leave { who, nth } if !self.model.wishes.is_empty() => {
                let nth = nth.index(self.model.wishes.len());
                let path = format!("/wishes/{}/cancellation", self.model.wishes[nth].id);
                let answer = send(&self.wishers[who], &path, &json!({})).await;
                assert_answer(&answer, self.model.leave(who, nth));
            }
            Step::Leave { .. } => {}
            Step::Expire => {
                expire_holds(office).await;
                self.model.expire();
            }
            Step::Pay { who, nth } => {
                let Some(nth) = self.offered(nth) else { return };
                let expected = self.model.pay(who, nth);
                self.act(&self.wishers[who], self.offer_id(nth), "payment", expected).await;
            }
            Step::Cancel { who, nth } => {
                let Some(nth) = self.offered(nth) else { return };
                let id = self.offer_id(nth);
                let expected = self.model.cancel(who, nth);
                self.act(&self.wishers[who], id, "cancellation", expected).await;
            }
            Step::Lapse { nth } => {
                let Some(nth) = self.offered(nth) else { return };
                let Some(offer) = &mut self.model.wishes[nth].offer else { return };
                if offer.status == "HELD" && !offer.is_lapsed {
                    offer.is_lapsed = true;
                    lapse(office, offer.id).await;
                }
            }
        }
        self.learn().await;
    }

    async fn compare(&self, office: &Office) {
        for (who, person) in self.wishers.iter().enumerate() {
            assert_eq!(
                points_of(office, person).await,
                (self.model.balances[who], 0),
                "of person {who}"
            );
        }
        let free: (i64, i32) = sqlx::query_as(
            "select (select count(*) from schedule_seats
                     where schedule_id = $1 and status = 'AVAILABLE'),
                 (select remaining from zones where schedule_id = $1)",
        )
        .bind(self.concert.schedule_id)
        .fetch_one(&office.db)
        .await
        .unwrap();
        assert_eq!(free, (i64::from(self.model.free_seats), self.model.free_places));
    }
}
