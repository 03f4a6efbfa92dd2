//! The opening draw: an account that comes before the sale opens gets a number by lot, and any
//! reader can draw again.

mod beacon;
mod cancelled;
mod closing;
mod crashes;
mod published;
mod signed;

use serde_json::Value;
use sqlx::{AssertSqlSafe, PgPool, raw_sql};

use super::{join, join_at_once, numbering_is_whole, queue_path_of, until_status};
use crate::support::{
    Answer, Concert, ConcertOptions, Office, Person, count, eventually, read_one, read_one_with,
    run_sql, run_sql_with,
};

fn draw_path_of(concert: &Concert) -> String {
    format!("/programs/{}/draw", concert.slug)
}

/// A sale that opens in an hour, with one place inside.
fn coming() -> ConcertOptions {
    ConcertOptions { opens_in_secs: 3_600, queue_capacity: Some(1), ..ConcertOptions::default() }
}

async fn announce(office: &Office, concert: &Concert) -> Answer {
    let admin = office.employ("manager", "ADMIN").await;
    admin.post(&format!("/admin/programs/{}/queue/draw", concert.program_id), &()).await
}

/// A concert whose sale opens with a draw, in an hour.
async fn announced(office: &Office, options: ConcertOptions) -> Concert {
    let concert = Concert::with(&office.db, options).await;
    let answer = announce(office, &concert).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    // Programs are read once a second.
    eventually("the announcement", async || {
        let read = office.stranger().get(&format!("/programs/{}", concert.slug)).await.json();
        if read["sale"]["draw"] == "OPEN" { Ok(()) } else { Err(read) }
    })
    .await;
    concert
}

/// Lets the hour pass: what the announcement says of time moves into the past, which it can only here.
async fn open_now(db: &PgPool, concert: &Concert) {
    let moved = format!(
        "set local session_replication_role = replica;
         update programs set on_sale_at = now() where id = '{id}';
         update queue_draws set opens_at = now(), chain_genesis_at =
             now() - (beacon_round - 1) * chain_period_secs * interval '1 second'
         where program_id = '{id}'",
        id = concert.program_id
    );
    let mut tx = db.begin().await.unwrap();
    raw_sql(AssertSqlSafe(moved)).execute(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
}

/// What is published of the draw, once it is at `step`.
async fn draw_at(office: &Office, concert: &Concert, step: &str) -> Value {
    eventually(step, async || {
        let draw = office.stranger().get(&draw_path_of(concert)).await.json();
        if draw["step"] == step { Ok(draw) } else { Err(draw) }
    })
    .await
}

/// The published list of entries.
async fn list_of(office: &Office, concert: &Concert, draw: &Value) -> String {
    let mut list = String::new();
    for page in 0..draw["entry_pages"].as_u64().unwrap() {
        let path = format!("{}/entries/{page}", draw_path_of(concert));
        list += &office.stranger().get(&path).await.body;
    }
    list
}

async fn entry_of(person: &Person, concert: &Concert) -> Value {
    person.get(&format!("{}/entry", draw_path_of(concert))).await.json()
}

/// Returns the person's number, once it is given.
async fn number_of(person: &Person, concert: &Concert) -> i64 {
    eventually("a number", async || {
        let state = person.get(&queue_path_of(concert)).await.json();
        state["queue_number"].as_i64().ok_or(state)
    })
    .await
}

/// Lets the database refuse an update of the draw for which `condition` is true, as if the instance
/// that makes it died before the commit.
async fn refuse_when(db: &PgPool, condition: &str) {
    let trigger = format!(
        "create function die() returns trigger language plpgsql as $$
         begin raise exception 'died before the commit'; end $$;
         create trigger a_death before update on queue_draws
             for each row when ({condition}) execute function die()"
    );
    raw_sql(AssertSqlSafe(trigger)).execute(db).await.unwrap();
}

async fn let_live(db: &PgPool) {
    run_sql(db, "drop trigger a_death on queue_draws").await;
    run_sql(db, "drop function die").await;
}

#[sqlx::test]
async fn whoever_enters_before_the_opening_gets_a_number_by_lot(db: PgPool) {
    const PEOPLE: usize = 40;
    let office = Office::open(db.clone()).await;
    let concert = announced(&office, coming()).await;
    let people = office.crowd(PEOPLE, "Early").await;
    let entered = join_at_once(&people, &concert).await;
    assert_eq!(count(&entered, 201, ""), PEOPLE, "{:?}", entered[0].body);
    let state = entered[0].json();
    assert_eq!((&state["status"], &state["queue_number"]), (&"DRAW".into(), &Value::Null));
    assert!(state["retry_after_ms"].as_u64().unwrap() >= 3_000, "{state}");
    let page = people[3].visit(&queue_path_of(&concert)).await;
    assert!(page.body.contains("You&#39;re in the draw"), "{}", page.body);
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(0), "no number before");

    open_now(&db, &concert).await;
    let draw = draw_at(&office, &concert, "DRAWN").await;
    assert_eq!((&draw["entries"], &draw["numbered"]), (&PEOPLE.into(), &PEOPLE.into()));
    let late = office.sign_in("late").await;
    let joined = join(&late, &concert).await;
    assert_eq!(joined.json()["queue_number"], PEOPLE + 1, "{}", joined.body);
    let mut numbers = Vec::new();
    for person in &people {
        let entry = entry_of(person, &concert).await;
        let number = number_of(person, &concert).await;
        assert_eq!(entry["rank"], number, "{entry}");
        numbers.push(number);
    }
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(1..=40), "each number once");
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(41));
    office.close().await;
}

#[sqlx::test]
async fn an_account_has_one_entry_and_may_withdraw_it(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = announced(&office, coming()).await;
    let ada = office.sign_in("ada").await;
    assert_eq!(join(&ada, &concert).await.status, 201);
    let first = entry_of(&ada, &concert).await;
    let again = join(&office.moved(&ada, 1), &concert).await;
    assert_eq!((again.status, again.code().as_str()), (409, "token-already-issued"));
    assert_eq!(again.json()["queue"]["status"], "DRAW");
    assert_eq!(entry_of(&ada, &concert).await["id"], first["id"], "twice is the same entry");

    let form = format!("{}/entry/withdrawal", draw_path_of(&concert));
    assert_eq!(ada.submit(&form, &()).await.status, 303);
    assert_eq!(ada.get(&queue_path_of(&concert)).await.code(), "no-token");
    assert_eq!(ada.post(&form, &()).await.code(), "no-token", "twice");
    assert_eq!(join(&ada, &concert).await.status, 201);
    assert_ne!(entry_of(&ada, &concert).await["id"], first["id"]);
    assert_eq!(ada.delete(&queue_path_of(&concert)).await.status, 204, "as one leaves a queue");
    let bob = office.sign_in("bob").await;
    assert_eq!(join(&bob, &concert).await.status, 201);

    open_now(&db, &concert).await;
    assert_eq!(draw_at(&office, &concert, "DRAWN").await["entries"], 1);
    assert_eq!(number_of(&bob, &concert).await, 1);
    office.close().await;
}

#[sqlx::test]
async fn the_guards_of_a_queue_guard_its_draw(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, coming()).await;
    run_sql_with(
        &db,
        "update programs set joins_per_address = 2 where id = $1",
        concert.program_id,
    )
    .await;
    assert_eq!(announce(&office, &concert).await.status, 200);
    let people = office.crowd(3, "Neighbour").await;
    eventually("two entries", async || {
        let entered = join_at_once(&people[..2], &concert).await;
        let n_in = count(&entered, 201, "") + count(&entered, 409, "token-already-issued");
        if n_in == 2 { Ok(()) } else { Err(entered[0].body.clone()) }
    })
    .await;
    assert_eq!(join(&people[2], &concert).await.code(), "address-limit");
    open_now(&db, &concert).await;
    draw_at(&office, &concert, "DRAWN").await;
    assert_eq!(join(&people[2], &concert).await.code(), "address-limit", "as before");
    office.close().await;
}

#[sqlx::test]
async fn an_announced_opening_stays_and_a_draft_s_draw_may_be_taken_back(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, coming()).await;
    run_sql_with(&db, "update programs set status = 'DRAFT' where id = $1", concert.program_id)
        .await;
    let admin = office.employ("boss", "ADMIN").await;
    let path = format!("/admin/programs/{}/queue/draw", concert.program_id);
    let withdrawal = format!("{path}/withdrawal");
    assert_eq!(admin.post(&path, &()).await.json()["step"], "OPEN");
    assert_eq!(admin.post(&path, &()).await.code(), "draw-not-possible", "there is one");
    assert_eq!(admin.post(&withdrawal, &()).await.status, 200);
    assert_eq!(admin.post(&withdrawal, &()).await.code(), "draw-announced");
    assert_eq!(admin.post(&path, &()).await.status, 200);
    run_sql_with(&db, "update programs set status = 'PUBLISHED' where id = $1", concert.program_id)
        .await;
    assert_eq!(admin.post(&withdrawal, &()).await.code(), "draw-announced");

    let read = format!("/admin/programs/{}", concert.program_id);
    let program = admin.get(&read).await.json()["program"].clone();
    let edit = |on_sale_at: &str| {
        let text = |name: &str| program[name].as_i64().unwrap().to_string();
        vec![
            ("version", text("version")),
            ("slug", concert.slug.clone()),
            ("title", "A concert".to_owned()),
            ("description", String::new()),
            ("on_sale_at", on_sale_at.to_owned()),
            ("off_sale_at", program["off_sale_at"].as_str().unwrap().to_owned()),
            ("queue_capacity", "1".to_owned()),
            ("queue_rate_per_second", String::new()),
            ("stay_minutes", "10".to_owned()),
            ("hold_minutes", "5".to_owned()),
            ("places_per_account_max", "8".to_owned()),
            ("refund_until_hours", "24".to_owned()),
            ("refund_percent", "100".to_owned()),
        ]
    };
    let moved = admin.post(&read, &edit("2026-01-01T10:00:00Z")).await;
    assert_eq!((moved.status, moved.code().as_str()), (409, "draw-announced"), "{}", moved.body);
    let page = admin.submit(&read, &edit("2026-01-01T10:00:00Z")).await;
    assert!(page.body.contains("pause the line"), "{}", page.body);
    let same = admin.post(&read, &edit(program["on_sale_at"].as_str().unwrap())).await;
    assert_eq!(same.status, 200, "anything else may change: {}", same.body);

    let begun = Concert::with(&db, ConcertOptions::default()).await;
    let path = format!("/admin/programs/{}/queue", begun.program_id);
    assert_eq!(admin.post(&format!("{path}/draw"), &()).await.code(), "draw-not-possible");
    let page = admin.visit(&path).await;
    assert!(page.body.contains("can be announced only before"), "{}", page.body);
    office.close().await;
}

#[sqlx::test]
async fn a_draw_without_entries_opens_as_any_sale(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = announced(&office, coming()).await;
    open_now(&db, &concert).await;
    let draw = draw_at(&office, &concert, "DRAWN").await;
    assert_eq!((&draw["entries"], &draw["entry_pages"]), (&0.into(), &0.into()));
    let ada = office.sign_in("ada").await;
    assert_eq!(join(&ada, &concert).await.json()["queue_number"], 1);
    until_status(&ada, &concert, "ACTIVE").await;
    let checked = stagedoor::entry_queue::check_draw(&draw.to_string(), "", None).unwrap();
    assert_eq!(checked.entries, 0);
    office.close().await;
}
