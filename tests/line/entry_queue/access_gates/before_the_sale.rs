//! What those do whom an access gate let in before the sale opens.

use super::*;
use crate::support::{PrivateRedis, email_of, eventually, run_sql_with};

/// The sale opens in an hour; its people came by the gate.
async fn early(db: &PgPool, settings: &[(&str, &str)], n_people: usize) -> Early {
    let office = Office::open_with(db.clone(), 2, settings).await;
    let options = ConcertOptions { opens_in_secs: 3_600, ..crowded() };
    let concert = Concert::with(db, options).await;
    assert_eq!(make_gate(&office, &concert, "EARLY", (-60, 2)).await.status, 201);
    let people = office.crowd(n_people, "Early").await;
    for (nth, person) in people.iter().enumerate() {
        redeem(person, &concert, "EARLY").await;
        assert_eq!(join(person, &concert).await.status, 201);
        if nth < 2 {
            until_status(person, &concert, "ACTIVE").await;
        }
    }
    Early { office, concert, people }
}

struct Early {
    office: Office,
    concert: Concert,
    people: Vec<Person>,
}

impl Early {
    async fn ask(&self, person: &Person, mut order: Value) -> Answer {
        order["request_key"] = json!(uuid::Uuid::now_v7());
        let path = format!("/schedules/{}/reservations", self.concert.schedule_id);
        person.post_json(&path, &order).await
    }
}

fn reservation_path(held: &Answer) -> String {
    assert_eq!(held.status, 201, "{}", held.body);
    format!("/reservations/{}", held.json()["reservation_id"].as_str().unwrap())
}

#[sqlx::test]
async fn places_and_the_best_seats_are_held_renewed_shared_and_sold_on(db: PgPool) {
    let Early { office, concert, people } = early(&db, &[], 2).await;
    let early = Early { office, concert, people };
    let Early { office, concert, people } = &early;
    let [ada, bob] = people.as_slice() else { unreachable!() };
    let places = early.ask(ada, json!({ "zone_id": concert.zone_id, "quantity": 2 })).await;
    let places = reservation_path(&places);
    let best = early.ask(ada, json!({ "best": 2 })).await;
    let best = reservation_path(&best);
    let renewed = ada.post(&format!("{places}/renewal"), &()).await;
    assert_eq!(renewed.status, 200, "{}", renewed.body);
    // A friend without a place in line pays a part.
    let friend = office.sign_in("Friend").await;
    for person in [ada, bob, &friend] {
        assert_eq!(person.post("/wallet/charges", &[("amount", 200_000)]).await.status, 201);
    }
    let left = ada.get(&format!("{best}/shares")).await.json()["left"].clone();
    let share =
        ada.post_json(&format!("{best}/shares"), &json!({ "places": [left[0]["place"]] })).await;
    assert_eq!(share.status, 201, "{}", share.body);
    let url = share.json()["url"].as_str().unwrap().to_owned();
    let link = url[url.find("/shares/").unwrap()..].to_owned();
    let paid = friend.post(&format!("{link}/payment"), &()).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    let rest = ada.post(&format!("{best}/rest/payment"), &()).await;
    assert_eq!((rest.status, &rest.json()["status"]), (201, &json!("PAID")), "{}", rest.body);
    let paid = ada.post(&format!("{places}/payment"), &()).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    office.verify().await;

    // What was bought early is sold on early, to others whom the gate let in.
    let code: String = read_one(
        &db,
        "select t.code from tickets t join reservation_items i on i.id = t.reservation_item_id
         where i.zone_id is not null limit 1",
    )
    .await;
    let on_sale = ada
        .post_json(
            &format!("/tickets/{code}/returns"),
            &json!({ "request_key": uuid::Uuid::now_v7() }),
        )
        .await;
    assert_eq!(on_sale.status, 201, "{}", on_sale.body);

    // A wish for what is not on sale yet gets a clear answer, and no page fails.
    let path = format!("/schedules/{}/waiting-list", concert.schedule_id);
    let wish = bob.post_json(&path, &json!({ "places": 1 })).await;
    assert_eq!((wish.status, wish.code().as_str()), (409, "waiting-list-not-open"));
    assert_eq!(bob.visit(&path).await.status, 200);
    let ticket = friend.get("/tickets").await;
    assert_eq!(ticket.status, 200, "{}", ticket.body);
    office.verify().await;
    early.office.close().await;
}

#[sqlx::test]
async fn a_flushed_redis_lets_nobody_in_twice_and_the_next_one_in_by_itself(db: PgPool) {
    let redis = PrivateRedis::start().await;
    let url = redis.url();
    let Early { office, concert, people } = early(&db, &[("REDIS_URL", url.as_str())], 4).await;
    redis.run::<()>(&["FLUSHALL"]).await;
    assert_eq!(people[0].delete(&queue_path_of(&concert)).await.status, 204);
    until_status(&people[2], &concert, "ACTIVE").await;
    assert_eq!(state_of(&people[3], &concert).await["status"], "WAITING");
    assert_eq!(state_of(&people[1], &concert).await["status"], "ACTIVE");
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn staff_hear_that_the_sale_is_not_open_and_see_the_line(db: PgPool) {
    let Early { office, concert, people } = early(&db, &[], 3).await;
    let admin = office.employ("admin", "ADMIN").await;
    let queue = format!("/admin/programs/{}/queue", concert.program_id);
    let page = admin.visit(&queue).await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(!page.body.contains("Announce a draw"), "it would be refused: {}", page.body);
    let figures = admin.get(&queue).await.json()["figures"].clone();
    assert_eq!((&figures["inside"], &figures["inside_by_gates"]), (&json!(0), &json!(2)));
    let who = email_of(&db, people[2].account_id).await;
    let form = [("who", who.as_str()), ("reason", "came by the side door")];
    let refused = admin.post(&format!("{queue}/admissions"), &form).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "sale-not-open"));
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn the_waiting_page_tells_of_the_own_entrance_and_data_of_who_used_it(db: PgPool) {
    let Early { office, concert, people } = early(&db, &[], 3).await;
    let page = people[2].visit(&queue_path_of(&concert)).await;
    assert!(page.has("[data-own-entrance]"), "{}", page.body);
    let data = people[0].get("/account/data.json").await.json();
    assert_eq!(data["queue_tokens"]["rows"][0]["by_access_gate"], true, "{data}");
    assert!(data["code_redemptions"]["rows"][0]["gate_id"].is_string(), "{data}");
    run_sql(&db, "update programs set on_sale_at = clock_timestamp() - interval '1 second'").await;
    let eve = office.sign_in("Eve").await;
    let joined = eventually("a join", async || {
        let joined = join(&eve, &concert).await;
        if joined.status == 201 { Ok(joined) } else { Err(joined.body) }
    });
    assert_eq!(joined.await.json()["queue_number"], 4);
    let page = eve.visit(&queue_path_of(&concert)).await;
    assert!(!page.has("[data-own-entrance]"), "{}", page.body);
    office.close().await;
}

/// A person who asked for the mail and went away hears of it, whichever gate comes to them first.
#[sqlx::test]
async fn a_turn_at_the_own_gate_is_mailed_to_whoever_asked_for_it(db: PgPool) {
    let settings = [
        ("SMTP_URL", "smtp://127.0.0.1:9"),
        ("MAIL_FROM", "tickets@office.example"),
        ("PUBLIC_URL", "http://tickets.localhost"),
    ];
    let Early { office, concert, people } = early(&db, &settings, 3).await;
    let ada = &people[2];
    run_sql_with(
        &db,
        "insert into turn_notices (token_id, program_id, queue_number)
         select id, program_id, queue_number from queue_tokens where account_id = $1",
        ada.account_id,
    )
    .await;
    let told = eventually("a mail", async || {
        let n: i64 =
            read_one(&db, "select count(*) from outbox where order_key like 'turn:%'").await;
        if n == 1 { Ok(()) } else { Err(n) }
    });
    told.await;
    let admin = office.employ("admin", "ADMIN").await;
    let id: uuid::Uuid = read_one(&db, "select id from outbox where order_key like 'turn:%'").await;
    let letter = admin.get(&format!("/admin/mails/{id}")).await.json();
    assert_eq!(letter["subject"], "Your turn for A concert is near", "{letter}");
    assert_eq!(state_of(ada, &concert).await["status"], "WAITING");
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_cancelled_program_gives_back_what_was_paid_early_and_lets_nobody_else_in(db: PgPool) {
    let Early { office, concert, people } = early(&db, &[], 4).await;
    let [ada, bob, cas, dan] = people.as_slice() else { unreachable!() };
    assert_eq!(ada.post("/wallet/charges", &[("amount", 100_000)]).await.status, 201);
    let held = order(ada, &concert, 0).await;
    let paid = ada.post(&format!("{}/payment", reservation_path(&held)), &()).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    until_status(cas, &concert, "ACTIVE").await;
    let deleted = dan.post("/account/deletion", &[("points", 0)]).await;
    assert_eq!(deleted.status, 200, "{}", deleted.body);
    let held = order(bob, &concert, 1).await;
    assert_eq!(held.status, 201, "{}", held.body);
    let admin = office.employ("admin", "ADMIN").await;
    let cancelled = admin
        .post(
            &format!("/admin/programs/{}/cancellation", concert.program_id),
            &[("version", "0"), ("reason", "Flood")],
        )
        .await;
    assert!(cancelled.status < 500, "{}", cancelled.body);
    let page = bob.visit(&queue_path_of(&concert)).await;
    assert!(page.status < 500, "{}", page.body);
    office.verify().await;
    office.close().await;
}
