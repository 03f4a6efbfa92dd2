//! Paying together: each friend pays some places of a hold, and all of it is paid or nothing.

mod discounts;
mod endings;
mod pages;
mod people;
mod races;
mod refunds;
mod refusals;
mod storms;

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{PRICE, cancel, charge, pay, status_of};
use crate::support::{
    Answer, Concert, Hold, Office, Person,
    ledger::{balance, entries},
    read_all, read_one_with, run_sql_with, until,
};

/// A holder of some seats, and friends with points.
struct Party {
    office: Office,
    concert: Concert,
    ada: Person,
    friends: Vec<Person>,
    id: Uuid,
}

impl Party {
    /// Opens an office where ada holds `n_seats` seats, and she and each friend have `points`.
    async fn with(db: &PgPool, hold: Hold<'_>, n_seats: usize, n_friends: usize) -> Self {
        let office = Office::open(db.clone()).await;
        let concert = Concert::usual(db).await;
        let ada = office.sign_in("ada").await;
        charge(&ada, 1_000_000).await;
        let friends = office.crowd(n_friends, "friend").await;
        for friend in &friends {
            charge(friend, 100_000).await;
        }
        let hold = Hold { seat_ids: &concert.seat_ids[..n_seats], ..hold };
        let id = hold.write(db, &concert, ada.account_id).await;
        Self { office, concert, ada, friends, id }
    }

    async fn new(db: &PgPool, n_seats: usize, n_friends: usize) -> Self {
        Self::with(db, Hold::default(), n_seats, n_friends).await
    }

    /// Returns the holder's document about the shares.
    async fn shown(&self) -> Value {
        let answer = self.ada.get(&format!("/reservations/{}/shares", self.id)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    }

    async fn left(&self) -> Vec<String> {
        places_of(&self.shown().await["left"])
    }

    async fn ask_for(&self, places: &[String]) -> Answer {
        let form = json!({ "places": places });
        self.ada.post_json(&format!("/reservations/{}/shares", self.id), &form).await
    }

    /// Makes a share of `places`, and returns the path of its link.
    async fn share(&self, places: &[String]) -> String {
        let answer = self.ask_for(places).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        path_of(&answer.json())
    }

    /// Makes a share of each of the first `n` places that are left, and returns the paths of their links.
    async fn share_each(&self, n: usize) -> Vec<String> {
        let mut paths = Vec::new();
        for place in self.left().await.into_iter().take(n) {
            paths.push(self.share(&[place]).await);
        }
        paths
    }

    async fn pay_rest(&self) -> Answer {
        self.ada.post(&format!("/reservations/{}/rest/payment", self.id), &()).await
    }

    async fn take_back(&self, share_id: &Value) -> Answer {
        let share_id = share_id.as_str().unwrap();
        let path = format!("/reservations/{}/shares/{share_id}/cancellation", self.id);
        self.ada.post(&path, &()).await
    }
}

fn path_of(share: &Value) -> String {
    let url = share["url"].as_str().unwrap();
    url[url.find("/shares/").unwrap()..].to_owned()
}

fn places_of(list: &Value) -> Vec<String> {
    let places = list.as_array().unwrap().iter();
    places.map(|place| place["place"].as_str().unwrap().to_owned()).collect()
}

async fn pay_share(person: &Person, path: &str) -> Answer {
    person.post(&format!("{path}/payment"), &()).await
}

async fn withdraw(person: &Person, path: &str) -> Answer {
    person.post(&format!("{path}/withdrawal"), &()).await
}

fn refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (status, code), "{}", answer.body);
}

/// Points that are withheld in the wallet of an account.
async fn withheld(db: &PgPool, account_id: Uuid) -> i64 {
    let sql = "select coalesce(sum(pending), 0)::bigint from wallets where account_id = $1";
    read_one_with(db, sql, account_id).await
}

async fn tickets_of(db: &PgPool, account_id: Uuid) -> i64 {
    let sql = "select count(*) from tickets where account_id = $1 and status = 'VALID'";
    read_one_with(db, sql, account_id).await
}

/// Hold that was made a while ago, so that [`LAPSE`] can end it.
const OLD: Hold<'static> = Hold {
    seat_ids: &[],
    places: 0,
    ends_in_secs: 200,
    refund_ends_in_secs: 86_400,
    refund_percent: 100,
};
/// Lets a hold of a minute and a half ago be one of a second.
const LAPSE: &str = "update reservations
    set hold_ttl_secs = 1, expires_at = created_at + interval '1 second' where id = $1";

#[sqlx::test]
async fn when_all_have_paid_each_has_the_own_ticket_and_paid_the_own_price(db: PgPool) {
    let party = Party::new(&db, 3, 2).await;
    let Party { office, ada, friends, id, .. } = &party;
    let paths = party.share_each(2).await;
    for (friend, path) in friends.iter().zip(&paths) {
        let paid = pay_share(friend, path).await;
        assert_eq!((paid.status, &paid.json()["status"]), (201, &json!("WITHHELD")));
        assert_eq!(withheld(&db, friend.account_id).await, PRICE);
        assert_eq!(balance(&db, friend.account_id).await, 100_000);
    }
    assert_eq!(status_of(&db, *id).await, "HELD");
    let shown = party.shown().await;
    assert_eq!((&shown["covered"], &shown["rest"]), (&json!(2 * PRICE), &json!(PRICE)));
    office.verify().await;

    let last = party.pay_rest().await;
    assert_eq!((last.status, &last.json()["status"]), (201, &json!("PAID")), "{}", last.body);
    assert_eq!(last.json()["tickets"].as_array().unwrap().len(), 1);
    assert_eq!(status_of(&db, *id).await, "CONFIRMED");
    assert_eq!(balance(&db, ada.account_id).await, 1_000_000 - PRICE);
    for friend in friends {
        assert_eq!(balance(&db, friend.account_id).await, 100_000 - PRICE);
        assert_eq!(withheld(&db, friend.account_id).await, 0);
        assert_eq!(entries(&db, friend.account_id, "PAYMENT").await, 1);
        assert_eq!(tickets_of(&db, friend.account_id).await, 1);
    }
    assert_eq!(tickets_of(&db, ada.account_id).await, 1);
    let told = read_all::<String>(&db, "select kind from outbox order by kind").await;
    assert_eq!(told, ["reservation-paid", "share-paid", "share-paid"]);
    party.office.close().await;
}

#[sqlx::test]
async fn the_last_one_to_pay_may_be_a_friend_and_the_holder_may_pay_nothing(db: PgPool) {
    let party = Party::new(&db, 2, 2).await;
    let paths = party.share_each(2).await;
    refused(&party.pay_rest().await, 409, "share-nothing-left");
    assert_eq!(pay_share(&party.friends[1], &paths[1]).await.status, 201);
    let last = pay_share(&party.friends[0], &paths[0]).await;
    assert_eq!((last.status, &last.json()["status"]), (201, &json!("PAID")), "{}", last.body);
    assert_eq!(last.json()["tickets"].as_array().unwrap().len(), 1);
    assert_eq!(balance(&db, party.ada.account_id).await, 1_000_000);
    assert_eq!(tickets_of(&db, party.ada.account_id).await, 0);
    party.office.close().await;
}

#[sqlx::test]
async fn one_friend_pays_for_several_places_of_seats_and_zones(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 1_000_000).await;
    charge(&bob, 1_000_000).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], places: 3, ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    let party = Party { office, concert, ada, friends: vec![bob], id };
    let left = party.shown().await["left"].as_array().unwrap().clone();
    let standing: Vec<String> = left
        .iter()
        .filter(|place| place["name"].as_str().unwrap().contains("place"))
        .map(|place| place["place"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(standing.len(), 3, "{left:?}");
    let path = party.share(&standing[1..]).await;
    let seen = party.friends[0].get(&path).await.json();
    assert_eq!((&seen["from"], &seen["is_yours"]), (&json!("ada"), &json!(false)), "{seen}");
    assert_eq!(seen["places"].as_array().unwrap().len(), 2);
    let share = seen["amount"].as_i64().unwrap();
    assert_eq!(pay_share(&party.friends[0], &path).await.status, 201);
    let paid = party.pay_rest().await;
    assert_eq!((paid.status, &paid.json()["status"]), (201, &json!("PAID")), "{}", paid.body);
    assert_eq!(tickets_of(&db, party.friends[0].account_id).await, 2);
    assert_eq!(tickets_of(&db, party.ada.account_id).await, 2);
    assert_eq!(balance(&db, party.friends[0].account_id).await, 1_000_000 - share);
    party.office.close().await;
}

#[sqlx::test]
async fn a_request_that_is_sent_twice_makes_and_pays_one_share(db: PgPool) {
    let party = Party::new(&db, 2, 1).await;
    let place = party.left().await.remove(0);
    let form = json!({ "places": [place], "request_key": Uuid::now_v7().to_string() });
    let path = format!("/reservations/{}/shares", party.id);
    let first = party.ada.post_json(&path, &form).await;
    let second = party.ada.post_json(&path, &form).await;
    assert_eq!((first.status, first.json()), (201, second.json()));
    let link = path_of(&first.json());
    let key = [("request_key", Uuid::now_v7().to_string())];
    let bob = &party.friends[0];
    let paid = bob.post(&format!("{link}/payment"), &key).await;
    let again = bob.post(&format!("{link}/payment"), &key).await;
    assert_eq!((paid.status, paid.json()), (201, again.json()), "{}", again.body);
    assert_eq!(entries(&db, bob.account_id, "SHARE_HOLD").await, 1);
    let key = [("request_key", Uuid::now_v7().to_string())];
    let rest = format!("/reservations/{}/rest/payment", party.id);
    let paid = party.ada.post(&rest, &key).await;
    let again = party.ada.post(&rest, &key).await;
    assert_eq!((paid.status, paid.json()), (201, again.json()), "{}", again.body);
    assert_eq!(balance(&db, party.ada.account_id).await, 1_000_000 - PRICE);
    party.office.close().await;
}

#[sqlx::test]
async fn the_link_is_the_same_whenever_it_is_read_and_the_database_does_not_have_it(db: PgPool) {
    let party = Party::new(&db, 2, 0).await;
    let path = party.share_each(1).await.remove(0);
    assert_eq!(path_of(&party.shown().await["shares"][0]), path);
    let code = path.strip_prefix("/shares/").unwrap();
    let kept = read_all::<String>(
        &db,
        "select s::text from shares s
         union all select k::text from idempotency_keys k
         union all select o::text from outbox o",
    )
    .await;
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(code).unwrap();
    let hex = hex::encode(bytes);
    let is_told = |row: &String| row.contains(code) || row.contains(&hex);
    assert!(!kept.is_empty() && !kept.iter().any(is_told), "{kept:?}");
    party.office.close().await;
}
