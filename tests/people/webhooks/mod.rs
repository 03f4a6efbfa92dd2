//! Webhooks: events that reach the systems of others, signed and in order, whatever those do.

mod pages;
mod targets;

use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::webhooks;
use uuid::Uuid;

use crate::support::{
    Concert, Hold, HookAnswer, HookReceiver, Office, Person, eventually, read_one, run_sql, until,
};

const PRIVATE: (&str, &str) = ("WEBHOOK_PRIVATE_TARGETS", "true");
const RESERVATIONS: [&str; 5] = [
    "reservation.held",
    "reservation.paid",
    "reservation.expired",
    "reservation.released",
    "reservation.refunded",
];

/// An office with an endpoint that asks for what happens to reservations.
struct Hooked {
    office: Office,
    admin: Person,
    receiver: HookReceiver,
    concert: Concert,
    id: String,
    secret: String,
}

impl Hooked {
    async fn open(db: &PgPool) -> Self {
        let office = Office::open_with(db.clone(), 2, &[PRIVATE]).await;
        let admin = office.employ("admin", "ADMIN").await;
        let receiver = HookReceiver::start().await;
        let (id, secret) = register(&admin, &receiver.href()).await;
        let concert = Concert::usual(db).await;
        Self { office, admin, receiver, concert, id, secret }
    }

    fn path(&self) -> String {
        format!("/admin/webhooks/{}", self.id)
    }

    /// Person with points and a hold of the nth seat, which tells of it.
    async fn hold(&self, nth: usize) -> (Person, Uuid) {
        let person = self.office.sign_in("ada").await;
        let joined = person.post(&format!("/programs/{}/queue", self.concert.slug), &()).await;
        assert_eq!(joined.status, 201, "{}", joined.body);
        let charged = person.post("/wallet/charges", &[("amount", 100_000)]).await;
        assert_eq!(charged.status, 201, "{}", charged.body);
        let path = format!("/schedules/{}/reservations", self.concert.schedule_id);
        let held = person.post(&path, &[("seat_ids", self.concert.seat_ids[nth])]).await;
        assert_eq!(held.status, 201, "{}", held.body);
        let id = held.json()["reservation_id"].as_str().unwrap().parse().unwrap();
        (person, id)
    }

    async fn deliveries(&self) -> Vec<Value> {
        let page = self.admin.get(&self.path()).await.json();
        page["deliveries"].as_array().unwrap().clone()
    }

    /// Waits until `count` requests were answered with 204.
    async fn until_accepted(&self, count: usize) -> Vec<String> {
        eventually("events that are accepted", async || {
            let accepted = self.receiver.accepted();
            if accepted.len() == count { Ok(accepted) } else { Err(accepted) }
        })
        .await
    }

    /// Waits until no delivery is under way: each has been noted.
    async fn until_noted(&self) {
        until("deliveries that are noted", async || {
            let sql = "select count(*) from webhook_deliveries
                where delivered_at is null and failed_at is null";
            read_one::<i64>(&self.office.db, sql).await == 0
        })
        .await;
    }

    async fn close(self) {
        self.office.close().await;
    }
}

async fn register(admin: &Person, url: &str) -> (String, String) {
    let document = json!({ "url": url, "description": "Accounting", "kinds": RESERVATIONS });
    let made = admin.post_json("/admin/webhooks", &document).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let text = |name: &str| made.json()[name].as_str().unwrap().to_owned();
    (text("id"), text("secret"))
}

async fn act(person: &Person, reservation_id: Uuid, what: &str) {
    let done = person.post(&format!("/reservations/{reservation_id}/{what}"), &()).await;
    assert!([200, 201].contains(&done.status), "{}", done.body);
}

/// Makes due what was put off.
async fn shift(db: &PgPool) {
    let sql = "update webhook_deliveries set next_attempt_at = now()
        where delivered_at is null and failed_at is null and attempts > 0";
    run_sql(db, sql).await;
}

#[sqlx::test]
async fn an_event_is_delivered_signed_with_the_secret_that_was_shown(db: PgPool) {
    let hooked = Hooked::open(&db).await;
    let (_, reservation_id) = hooked.hold(0).await;
    hooked.until_accepted(1).await;
    let hook = hooked.receiver.received().remove(0);
    assert!(hook.is_signed_with(&hooked.secret), "{hook:?}");
    let now: i64 = read_one(&db, "select extract(epoch from now())::bigint").await;
    assert!(hook.timestamp.parse::<i64>().unwrap().abs_diff(now) < 300, "{hook:?}");
    let told = hook.json();
    assert_eq!((&told["type"], &told["id"]), (&"reservation.held".into(), &hook.id.into()));
    assert_eq!(told["subject_id"], reservation_id.to_string());
    assert_eq!(told["data"]["reservation_id"], reservation_id.to_string());
    assert_eq!(told["data"]["places"], 1);
    hooked.until_noted().await;
    let listed = hooked.deliveries().await;
    assert_eq!(
        (&listed[0]["state"], &listed[0]["last_status"]),
        (&"delivered".into(), &204.into())
    );
    assert_eq!(listed[0]["attempts"], 1);
    let kept: Vec<u8> = read_one(&db, "select sealed_secret from webhook_endpoints").await;
    assert!(!String::from_utf8_lossy(&kept).contains(&hooked.secret[6..]), "sealed");
    hooked.close().await;
}

#[sqlx::test]
async fn the_order_of_a_subject_is_kept_while_its_first_event_fails(db: PgPool) {
    let hooked = Hooked::open(&db).await;
    hooked.receiver.answer(|hook| {
        HookAnswer::Status(match hook.kind().as_str() {
            "reservation.held" => 500,
            _ => 204,
        })
    });
    let (ada, hers) = hooked.hold(0).await;
    act(&ada, hers, "payment").await;
    act(&ada, hers, "cancellation").await;
    // Bob's hold was made before an endpoint listened for it: there is an event of its end alone.
    let bob = hooked.office.sign_in("bob").await;
    let hold = Hold { seat_ids: &hooked.concert.seat_ids[5..6], ..Hold::default() };
    let his = hold.write(&db, &hooked.concert, bob.account_id).await;
    act(&bob, his, "cancellation").await;
    assert_eq!(hooked.until_accepted(1).await, ["reservation.released"], "nobody waits for ada's");
    until("a second attempt", async || {
        shift(&db).await;
        hooked.receiver.received().len() >= 4
    })
    .await;
    assert_eq!(hooked.receiver.accepted().len(), 1);
    hooked.receiver.answer(|_| HookAnswer::Status(204));
    shift(&db).await;
    let accepted = hooked.until_accepted(4).await;
    assert_eq!(accepted[1..], ["reservation.held", "reservation.paid", "reservation.refunded"]);
    hooked.until_noted().await;
    hooked.close().await;
}

#[sqlx::test]
async fn an_endpoint_that_fails_for_a_day_gets_all_of_it_afterwards(db: PgPool) {
    let hooked = Hooked::open(&db).await;
    hooked.receiver.answer(|_| HookAnswer::Status(500));
    let (ada, id) = hooked.hold(0).await;
    act(&ada, id, "payment").await;
    until("many attempts", async || {
        shift(&db).await;
        hooked.receiver.received().len() > 5
    })
    .await;
    let day = "update webhook_deliveries set expires_at = expires_at - interval '1 day'";
    run_sql(&db, day).await;
    webhooks::end_old(&hooked.office.app.db).await.unwrap();
    let waiting = hooked.deliveries().await.remove(1);
    assert_eq!((&waiting["state"], &waiting["last_status"]), (&"waiting".into(), &500.into()));
    assert!(waiting["last_error"].as_str().unwrap().contains("500"), "{waiting}");
    hooked.receiver.answer(|_| HookAnswer::Status(204));
    shift(&db).await;
    assert_eq!(hooked.until_accepted(2).await, ["reservation.held", "reservation.paid"]);
    let ids: Vec<String> = hooked.receiver.received().into_iter().map(|hook| hook.id).collect();
    assert!(ids[..ids.len() - 1].iter().all(|id| *id == ids[0]), "always the same id: {ids:?}");
    hooked.until_noted().await;
    hooked.close().await;
}

#[sqlx::test]
async fn what_is_given_up_is_shown_and_replayed(db: PgPool) {
    let hooked = Hooked::open(&db).await;
    hooked.receiver.answer(|_| HookAnswer::Status(503));
    let (ada, id) = hooked.hold(0).await;
    act(&ada, id, "cancellation").await;
    until("an attempt", async || hooked.deliveries().await[1]["attempts"] == 1).await;
    run_sql(&db, "update webhook_deliveries set expires_at = now() - interval '1 second'").await;
    webhooks::end_old(&hooked.office.app.db).await.unwrap();
    let failed = hooked.admin.get(&format!("{}?state=failed", hooked.path())).await.json();
    assert_eq!(failed["deliveries"].as_array().unwrap().len(), 2);
    let why = failed["deliveries"][1]["last_error"].as_str().unwrap();
    assert!(why.starts_with("given up; last: answered 503"), "{why}");
    assert_eq!(failed["webhook"]["failed"], 2);
    let page = hooked.admin.visit(&hooked.path()).await;
    assert!(page.body.contains("Given up") && page.body.contains("answered 503"), "{}", page.body);

    hooked.receiver.answer(|_| HookAnswer::Status(204));
    let replays = format!("{}/replays", hooked.path());
    for hours in ["0", "721", "many"] {
        assert_eq!(hooked.admin.post(&replays, &[("hours", hours)]).await.status, 422, "{hours}");
    }
    let replayed = hooked.admin.post(&replays, &[("hours", "24")]).await;
    assert_eq!((replayed.status, &replayed.json()["replayed"]), (200, &2.into()));
    let accepted = hooked.until_accepted(2).await;
    assert_eq!(accepted, ["reservation.held", "reservation.released"]);
    hooked.until_noted().await;

    // One that was delivered comes once more, with the same id.
    let event_id = hooked.receiver.received().last().unwrap().id.clone();
    let replay = format!("{}/deliveries/{event_id}/replay", hooked.path());
    assert_eq!(hooked.admin.submit(&replay, &()).await.status, 303);
    hooked.until_accepted(3).await;
    assert_eq!(hooked.receiver.received().last().unwrap().id, event_id);
    hooked.until_noted().await;
    let unknown = format!("{}/deliveries/{}/replay", hooked.path(), Uuid::now_v7());
    let refused = hooked.admin.post(&unknown, &()).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "delivery-not-ended"));
    hooked.close().await;
}

#[sqlx::test]
async fn what_a_killed_process_had_sent_is_sent_again_with_the_same_id(db: PgPool) {
    let hooked = Hooked::open(&db).await;
    hooked.hold(0).await;
    hooked.until_accepted(1).await;
    hooked.until_noted().await;
    // As it is left: claimed, sent, and nothing noted before the claim ended.
    let left = "update webhook_deliveries
        set delivered_at = null, attempts = 0, next_attempt_at = now(), last_status = null";
    run_sql(&db, left).await;
    hooked.until_accepted(2).await;
    let received = hooked.receiver.received();
    assert_eq!((&received[0].id, &received[0].body), (&received[1].id, &received[1].body));
    assert!(received[1].is_signed_with(&hooked.secret));
    hooked.until_noted().await;
    hooked.close().await;
}

#[sqlx::test]
async fn a_receiver_that_never_answers_keeps_no_other_from_its_events(db: PgPool) {
    let hooked = Hooked::open(&db).await;
    let silent = HookReceiver::start().await;
    silent.answer(|_| HookAnswer::Silence);
    register(&hooked.admin, &silent.href()).await;
    for nth in 0..3 {
        hooked.hold(nth).await;
        hooked.until_accepted(nth + 1).await;
    }
    let sql = "select coalesce(max(last_error), '') from webhook_deliveries";
    until("an attempt that is cut off", async || {
        read_one::<String>(&db, sql).await == "no answer within 10 seconds"
    })
    .await;
    silent.answer(|_| HookAnswer::Status(204));
    shift(&db).await;
    hooked.until_noted().await;
    assert_eq!(silent.accepted().len(), 3);
    hooked.close().await;
}
