//! The close: each account is in the draw or behind it.

use std::collections::BTreeSet;

use crate::support::{storm, until};

use stagedoor::entry_queue::admit_everywhere;

use super::{super::hold_numbers, *};

#[sqlx::test]
async fn at_the_close_everybody_is_in_the_draw_or_behind_it(db: PgPool) {
    const PEOPLE: usize = 120;
    let office = Office::open(db.clone()).await;
    let concert = announced(&office, coming()).await;
    let people = office.crowd(PEOPLE, "Storm").await;
    let (early, rest) = people.split_at(20);
    assert_eq!(count(&join_at_once(early, &concert).await, 201, ""), 20);
    let opening = {
        let (db, concert) = (db.clone(), concert.clone());
        tokio::spawn(async move { open_now(&db, &concert).await })
    };
    // Each comes twice, at another instance the second time.
    let all =
        rest.iter().chain(rest).enumerate().map(|(nth, person)| office.moved(person, nth / 50));
    let path = queue_path_of(&concert);
    let answers = storm(all.map(|person| {
        let path = path.clone();
        async move { person.post(&path, &()).await }
    }))
    .await;
    opening.await.unwrap();
    assert_eq!(count(&answers, 201, ""), 100, "each once");
    assert_eq!(count(&answers, 409, "token-already-issued"), 100, "and not twice");

    let draw = draw_at(&office, &concert, "DRAWN").await;
    let n_entries = draw["entries"].as_i64().unwrap();
    assert!((20..=120).contains(&n_entries), "{draw}");
    let mut numbers = BTreeSet::new();
    for person in &people {
        let number = number_of(person, &concert).await;
        let is_in_draw = entry_of(person, &concert).await["rank"] == number;
        assert_eq!(is_in_draw, number <= n_entries, "{number} of {n_entries}");
        numbers.insert(number);
    }
    assert!(numbers.into_iter().eq(1..=120), "none lost, none twice");
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(120));
    office.close().await;
}

#[sqlx::test]
async fn a_withdrawal_and_the_close_do_not_pass_each_other(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = announced(&office, coming()).await;
    let people = office.crowd(2, "Undecided").await;
    assert_eq!(count(&join_at_once(&people, &concert).await, 201, ""), 2);
    let entry = "delete from queue_draw_entries where account_id = $1";
    // The sale opens, and the instance that closes the draw first waits for the numbers.
    let numbers = hold_numbers(&db, &concert).await;
    open_now(&db, &concert).await;
    let mut leaving = db.begin().await.unwrap();
    run_sql_with(&mut *leaving, entry, people[0].account_id).await;
    drop(numbers);
    let waits = "select count(*) from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%from queue_draws%'
            and datname = current_database() and $1 is not null";
    until("the close waits for the entry", async || read_one_with::<i64>(&db, waits, "").await > 0)
        .await;
    leaving.commit().await.unwrap();
    let draw = draw_at(&office, &concert, "DRAWN").await;
    assert_eq!(draw["entries"], 1, "whoever left is not in it");
    let refused = sqlx::query(entry).bind(people[1].account_id).execute(&db).await.unwrap_err();
    assert!(refused.to_string().contains("its entries are closed"), "{refused}");
    office.close().await;
}

#[sqlx::test]
async fn nobody_leaves_the_draw_or_is_let_in_while_it_is_numbered(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = announced(&office, ConcertOptions { queue_capacity: Some(5), ..coming() }).await;
    let people = office.crowd(3, "Early").await;
    assert_eq!(count(&join_at_once(&people, &concert).await, 201, ""), 3);
    refuse_when(&db, "new.numbered > old.numbered").await;
    open_now(&db, &concert).await;
    draw_at(&office, &concert, "REVEALED").await;

    let late = office.sign_in("late").await;
    let joined = join(&late, &concert).await.json();
    assert_eq!((&joined["status"], &joined["queue_number"]), (&"WAITING".into(), &4.into()));
    assert_eq!(joined["ahead"], Value::Null, "nobody knows it yet");
    let withdrawn = people[0].delete(&format!("{}/entry", draw_path_of(&concert))).await;
    assert_eq!(withdrawn.code(), "draw-closed");
    assert_eq!(join(&people[0], &concert).await.code(), "token-already-issued");
    let admin = office.employ("boss", "ADMIN").await;
    let queue = format!("/admin/programs/{}/queue", concert.program_id);
    let form = [("who", "4"), ("reason", "A friend")];
    assert_eq!(admin.post(&format!("{queue}/admissions"), &form).await.code(), "draw-running");
    let form = [("reason", "Too long")];
    assert_eq!(admin.post(&format!("{queue}/purge"), &form).await.code(), "draw-running");
    // Programs are read once a second.
    until("the page says so", async || {
        late.visit(&queue_path_of(&concert)).await.body.contains("are being drawn")
    })
    .await;
    office.verify().await;
    assert_eq!(late.get(&queue_path_of(&concert)).await.json()["status"], "WAITING");

    let_live(&db).await;
    draw_at(&office, &concert, "DRAWN").await;
    // All of them poll, so that none is passed over as silent.
    eventually("everybody is inside", async || {
        let path = queue_path_of(&concert);
        let polls = people.iter().chain([&late]).map(|person| person.get(&path));
        let states = futures_util::future::join_all(polls).await;
        let outside = states.iter().find(|state| state.json()["status"] != "ACTIVE");
        outside.map_or(Ok(()), |state| Err(state.body.clone()))
    })
    .await;
    let passed = "select count(*) from queue_tokens one join queue_tokens other using (program_id)
        where one.queue_number < other.queue_number and one.inside_after > other.inside_after
            and program_id = $1";
    let passed: i64 = read_one_with(&db, passed, concert.program_id).await;
    assert_eq!(passed, 0, "nobody was let in before a lower number");
    office.close().await;
}

#[sqlx::test]
async fn a_program_without_limits_lets_nobody_in_before_its_numbers_are_drawn(db: PgPool) {
    // No account is parked during this test.
    let office = Office::open_with(db.clone(), 2, &[("TEST_QUEUE_GRACE_SECS", "600")]).await;
    let concert = announced(&office, ConcertOptions { queue_capacity: None, ..coming() }).await;
    let people = office.crowd(2, "Early").await;
    assert_eq!(count(&join_at_once(&people, &concert).await, 201, ""), 2);
    refuse_when(&db, "new.numbered > old.numbered").await;
    open_now(&db, &concert).await;
    draw_at(&office, &concert, "REVEALED").await;
    let late = office.sign_in("late").await;
    assert_eq!(join(&late, &concert).await.json()["status"], "WAITING");
    admit_everywhere(&office.app).await.unwrap();
    assert_eq!(late.get(&queue_path_of(&concert)).await.json()["status"], "WAITING");
    let_live(&db).await;
    // A late person is let in, though others stand before; these keep their places.
    until_status(&late, &concert, "ACTIVE").await;
    let waiting =
        "select count(*) from queue_tokens where status = 'WAITING' and parked_at is null";
    assert_eq!(read_one::<i64>(&db, waiting).await, 2);
    for person in &people {
        until_status(person, &concert, "ACTIVE").await;
    }
    office.close().await;
}

#[sqlx::test]
async fn a_deleted_account_leaves_an_open_draw_and_its_number_of_a_closed_one_is_given_up(
    db: PgPool,
) {
    let office = Office::open(db.clone()).await;
    let concert = announced(&office, coming()).await;
    let people = office.crowd(3, "Guest").await;
    assert_eq!(count(&join_at_once(&people, &concert).await, 201, ""), 3);
    let delete = [("points", 0)];
    assert_eq!(people[0].post("/account/deletion", &delete).await.status, 200);
    let left = "select count(*) from queue_draw_entries where program_id = $1";
    assert_eq!(read_one_with::<i64>(&db, left, concert.program_id).await, 2);

    refuse_when(&db, "new.numbered > old.numbered").await;
    open_now(&db, &concert).await;
    draw_at(&office, &concert, "REVEALED").await;
    assert_eq!(people[1].post("/account/deletion", &delete).await.status, 200);
    let_live(&db).await;
    assert_eq!(draw_at(&office, &concert, "DRAWN").await["entries"], 2, "the list is fixed");
    let status = "select status from queue_tokens where account_id = $1";
    assert_eq!(read_one_with::<String>(&db, status, people[1].account_id).await, "CANCELLED");
    until_status(&people[2], &concert, "ACTIVE").await;
    office.close().await;
}
