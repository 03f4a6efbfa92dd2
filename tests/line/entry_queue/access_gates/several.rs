//! Several gates and codes of one account, and codes that are redeemed while their owner joins.

use super::*;
use crate::support::{until, until_locks_wait};

#[sqlx::test]
async fn whoever_may_use_two_gates_is_let_in_by_the_one_that_has_room(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    assert_eq!(make_gate(&office, &concert, "FULL", (-60, 1)).await.status, 201);
    assert_eq!(make_gate(&office, &concert, "ROOMY", (-30, 1)).await.status, 201);
    let people = office.crowd(3, "Line").await;
    let [inside, full, both] = people.as_slice() else { unreachable!() };
    join(inside, &concert).await;
    until_status(inside, &concert, "ACTIVE").await;
    redeem(full, &concert, "FULL").await;
    join(full, &concert).await;
    until_status(full, &concert, "ACTIVE").await;
    for code in ["FULL", "ROOMY"] {
        redeem(both, &concert, code).await;
    }
    join(both, &concert).await;
    until_status(both, &concert, "ACTIVE").await;
    let counted: String = read_one(
        &db,
        "select string_agg(c.word, ' ' order by queue_number) from queue_tokens t
         join sale_codes c on c.gate_id = t.gate_id where through_gate",
    )
    .await;
    assert_eq!(counted, "FULL ROOMY");
    office.verify().await;
    office.close().await;
}

/// The first code of a waiting person opens nothing any more, or nothing yet.
#[sqlx::test]
async fn a_second_code_opens_its_gate_to_whoever_waits_with_one_that_opens_nothing(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let concert = Concert::with(&db, crowded()).await;
    let gates = [("WITHDRAWN", -60), ("LATER", 3_600), ("SECOND", -30)];
    for (code, opens_in_secs) in gates {
        assert_eq!(make_gate(&office, &concert, code, (opens_in_secs, 2)).await.status, 201);
    }
    let people = office.crowd(3, "Line").await;
    let [inside, ada, bob] = people.as_slice() else { unreachable!() };
    join(inside, &concert).await;
    until_status(inside, &concert, "ACTIVE").await;
    // So that the gate stays closed before its code is withdrawn.
    run_sql(&db, "update programs set queue_paused_at = now()").await;
    for (person, code) in [(ada, "WITHDRAWN"), (bob, "LATER")] {
        redeem(person, &concert, code).await;
        join(person, &concert).await;
    }
    let id: uuid::Uuid = read_one(&db, "select id from sale_codes where word = 'WITHDRAWN'").await;
    let path = format!("/admin/programs/{}/codes/{id}/withdrawal", concert.program_id);
    assert_eq!(admin.post(&path, &()).await.status, 200);
    run_sql(&db, "update programs set queue_paused_at = null").await;
    for person in [ada, bob] {
        redeem(person, &concert, "SECOND").await;
        until_status(person, &concert, "ACTIVE").await;
    }
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_code_that_is_redeemed_while_its_owner_joins_lets_them_in(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    assert_eq!(make_gate(&office, &concert, "FRIENDS", (-60, 1)).await.status, 201);
    let people = office.crowd(2, "Line").await;
    let [inside, ada] = people.as_slice() else { unreachable!() };
    join(inside, &concert).await;
    until_status(inside, &concert, "ACTIVE").await;

    // The redemption has looked for a place in line, and waits for its code.
    let mut hog = db.begin().await.unwrap();
    run_sql(&mut *hog, "select from sale_codes for no key update").await;
    let mut watch = db.acquire().await.unwrap();
    let redeeming = tokio::spawn({
        let (ada, slug) = (ada.clone(), concert.slug.clone());
        let path = format!("/programs/{slug}/code-redemptions");
        async move { ada.post(&path, &[("code", "FRIENDS")]).await }
    });
    until_locks_wait(&mut watch, 1).await;
    let joining = tokio::spawn({
        let (ada, path) = (ada.clone(), queue_path_of(&concert));
        async move { ada.post(&path, &()).await }
    });
    // The join waits for the redemption, so that it sees what was redeemed.
    until_locks_wait(&mut watch, 2).await;
    hog.commit().await.unwrap();
    assert_eq!(redeeming.await.unwrap().status, 201);
    assert_eq!(joining.await.unwrap().status, 201);
    until_status(ada, &concert, "ACTIVE").await;
    office.verify().await;
    office.close().await;
}

/// A join without a code costs no look at the gates, however many wait there.
#[sqlx::test]
async fn who_joins_without_a_code_moves_nobody_at_the_gates(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[("TEST_ADMISSION_PERIOD_MS", "3600000")]).await;
    let concert = Concert::with(&db, crowded()).await;
    assert_eq!(make_gate(&office, &concert, "FRIENDS", (-60, 1)).await.status, 201);
    let people = office.crowd(4, "Line").await;
    let [inside, ada, bob, eve] = people.as_slice() else { unreachable!() };
    for person in [inside, ada] {
        join(person, &concert).await;
    }
    redeem(ada, &concert, "FRIENDS").await;
    redeem(bob, &concert, "FRIENDS").await;
    for _ in 0..3 {
        join(eve, &concert).await;
        assert_eq!(state_of(ada, &concert).await["status"], "WAITING");
    }
    join(bob, &concert).await;
    until("somebody with a code is let in", async || {
        state_of(ada, &concert).await;
        join(bob, &concert).await;
        state_of(ada, &concert).await["status"] == "ACTIVE"
    })
    .await;
    office.close_as_it_is().await;
}
