//! Access gates: people with a code come in by a way of their own, also before the sale opens.

mod before_the_sale;
mod early;
mod several;
mod storms;

use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::entry_queue::{WINDOW, list_incomplete};

use super::{crowded, join, long_queue, queue_path_of, until_status};
use crate::support::{
    Answer, Concert, ConcertOptions, Office, Person, read_one, read_one_with, run_sql, until,
};

/// Makes an access code with a gate of this capacity that opens `opens_in_secs` from now.
async fn make_gate(
    office: &Office,
    concert: &Concert,
    code: &str,
    (opens_in_secs, capacity): (i64, i32),
) -> Answer {
    let admin = office.employ("admin", "ADMIN").await;
    let opens_at = office.app.now() + chrono::TimeDelta::seconds(opens_in_secs);
    let form = json!({
        "code": code, "access": true, "gate_opens_at": opens_at.to_rfc3339(),
        "gate_capacity": capacity,
    });
    admin.post_json(&format!("/admin/programs/{}/codes", concert.program_id), &form).await
}

async fn redeem(person: &Person, concert: &Concert, code: &str) {
    let path = format!("/programs/{}/code-redemptions", concert.slug);
    let redeemed = person.post(&path, &[("code", code)]).await;
    assert_eq!(redeemed.status, 201, "{}", redeemed.body);
}

async fn state_of(person: &Person, concert: &Concert) -> Value {
    person.get(&queue_path_of(concert)).await.json()
}

async fn order(person: &Person, concert: &Concert, seat: usize) -> Answer {
    let order = json!({
        "request_key": uuid::Uuid::now_v7(), "seat_ids": [concert.seat_ids[seat]],
    });
    person.post_json(&format!("/schedules/{}/reservations", concert.schedule_id), &order).await
}

#[sqlx::test]
async fn whoever_has_a_code_is_let_in_past_the_line_and_takes_nobodys_place(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    assert_eq!(make_gate(&office, &concert, "FRIENDS", (-60, 1)).await.status, 201);
    let people = office.crowd(5, "Line").await;
    let [inside, next, first, second, late] = people.as_slice() else { unreachable!() };
    for person in [inside, next] {
        join(person, &concert).await;
    }
    until_status(inside, &concert, "ACTIVE").await;
    for person in [first, second] {
        redeem(person, &concert, "friends").await;
        assert_eq!(join(person, &concert).await.status, 201);
    }
    until_status(first, &concert, "ACTIVE").await;
    let state = state_of(second, &concert).await;
    assert_eq!((&state["status"], &state["queue_number"]), (&json!("WAITING"), &json!(4)));
    assert_eq!(
        state_of(next, &concert).await["status"],
        "WAITING",
        "the gate's is not a free place"
    );

    // Who is in line already may redeem one too, and waits behind the others with one.
    join(late, &concert).await;
    redeem(late, &concert, "FRIENDS").await;
    assert_eq!(first.delete(&queue_path_of(&concert)).await.status, 204);
    until_status(second, &concert, "ACTIVE").await;
    assert_eq!(state_of(late, &concert).await["status"], "WAITING");
    assert_eq!(inside.delete(&queue_path_of(&concert)).await.status, 204);
    until_status(next, &concert, "ACTIVE").await;
    assert_eq!(second.delete(&queue_path_of(&concert)).await.status, 204);
    until_status(late, &concert, "ACTIVE").await;

    let admitted: String = read_one(
        &db,
        "select string_agg(queue_number || ':' || through_gate, ' ' order by queue_number)
         from queue_tokens",
    )
    .await;
    assert_eq!(admitted, "1:false 2:false 3:true 4:true 5:true");
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_code_that_is_withdrawn_lets_nobody_else_in(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    // Two codes that are made together share a gate.
    let form = json!({
        "count": 2, "access": true, "gate_opens_at": "2026-01-01T00:00:00Z", "gate_capacity": 1,
    });
    let admin = office.employ("admin", "ADMIN").await;
    let path = format!("/admin/programs/{}/codes", concert.program_id);
    let made = admin.post_json(&path, &form).await;
    let words = made.json()["codes"].clone();
    let [withdrawn, kept] = [0, 1].map(|nth| words[nth].as_str().unwrap().to_owned());

    let people = office.crowd(4, "Line").await;
    let [inside, first, second, third] = people.as_slice() else { unreachable!() };
    join(inside, &concert).await;
    until_status(inside, &concert, "ACTIVE").await;
    for (person, code) in [(first, &withdrawn), (second, &withdrawn), (third, &kept)] {
        redeem(person, &concert, code).await;
        join(person, &concert).await;
    }
    until_status(first, &concert, "ACTIVE").await;
    let id: uuid::Uuid =
        read_one_with(&db, "select id from sale_codes where word = $1", withdrawn).await;
    assert_eq!(admin.post(&format!("{path}/{id}/withdrawal"), &()).await.status, 200);
    assert_eq!(first.delete(&queue_path_of(&concert)).await.status, 204);
    until_status(third, &concert, "ACTIVE").await;
    assert_eq!(state_of(second, &concert).await["status"], "WAITING");
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn an_account_far_back_in_a_long_line_is_let_in_by_its_gate(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    assert_eq!(make_gate(&office, &concert, "FRIENDS", (-60, 1)).await.status, 201);
    let people = office.crowd(3, "Line").await;
    let [inside, away, here] = people.as_slice() else { unreachable!() };
    join(inside, &concert).await;
    until_status(inside, &concert, "ACTIVE").await;
    long_queue(&db, &concert, i64::try_from(WINDOW).unwrap() + 100).await;
    // The queue in Redis is filled again, with these people too.
    let app = &office.app;
    let epoch = app.redis.key(format_args!("{{{}}}:epoch", concert.program_id));
    let _: i64 = app.redis.query(redis::cmd("DEL").arg(epoch)).await.unwrap();
    until("a whole queue", async || {
        list_incomplete(&app.db, &app.redis).await.is_ok_and(|incomplete| incomplete.is_empty())
    })
    .await;
    // Behind the window, where polls are not recorded, but for those whom a gate calls up.
    for person in [away, here] {
        redeem(person, &concert, "FRIENDS").await;
        assert_eq!(join(person, &concert).await.status, 201);
    }
    until_status(away, &concert, "ACTIVE").await;
    assert_eq!(state_of(here, &concert).await["status"], "WAITING");
    assert_eq!(away.delete(&queue_path_of(&concert)).await.status, 204);
    until_status(here, &concert, "ACTIVE").await;
    office.verify().await;
    office.close().await;
}
