//! Work that joining takes, and waiting in its place.

use sqlx::PgPool;

use super::{
    guards::{PROXIED, guard, join_from, refused, solve, wait_from},
    join, queue_path_of,
};
use crate::support::{Concert, Office, Person, run_sql, until};

#[sqlx::test]
async fn joining_takes_work_of_ones_own_and_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (concert, other) = (Concert::usual(&db).await, Concert::usual(&db).await);
    for concert in [&concert, &other] {
        guard(&db, concert, "join_proof_bits = 8").await;
    }
    let people = office.crowd(2, "ada").await;
    let (ada, bob) = (&people[0], &people[1]);
    let set = join(ada, &concert).await;
    refused(&set, 428, "proof-required");
    let set = set.json();
    assert_eq!((&set["difficulty"], &set["algorithm"]), (&8.into(), &"sha-256".into()));
    let solved = solve(&set);
    let wrong = [solved[0].clone(), ("nonce", "not a number".to_owned())];
    refused(&join_from(ada, &concert, "::1", &wrong).await, 428, "proof-required");
    refused(&join_from(bob, &concert, "::1", &solved).await, 428, "proof-required");
    refused(&join_from(ada, &other, "::1", &solved).await, 428, "proof-required");
    let longer = set["challenge"].as_str().unwrap().to_owned() + "x";
    let forged = [("challenge", longer), solved[1].clone()];
    refused(&join_from(ada, &concert, "::1", &forged).await, 428, "proof-required");

    // From the second instance: nothing about it is remembered in the first.
    let joined = join_from(&office.moved(ada, 1), &concert, "::1", &solved).await;
    assert_eq!(joined.status, 201, "{}", joined.body);
    refused(&join(ada, &concert).await, 409, "token-already-issued");
    assert_eq!(ada.delete(&queue_path_of(&concert)).await.status, 204);
    refused(&join_from(ada, &concert, "::1", &solved).await, 428, "proof-required");
    let anew = solve(&ada.get(&format!("{}/proof", queue_path_of(&concert))).await.json());
    assert_eq!(join_from(ada, &concert, "::1", &anew).await.status, 201);

    // Work that was made harder replaces the easy work.
    let easy = solve(&bob.get(&format!("{}/proof", queue_path_of(&concert))).await.json());
    guard(&db, &concert, "join_proof_bits = 10").await;
    refused(&join_from(bob, &concert, "::1", &easy).await, 428, "proof-required");
    office.close().await;
}

#[sqlx::test]
async fn a_browser_is_taken_to_the_work_and_may_wait_without_scripts(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    let path = format!("{}/proof", queue_path_of(&concert));
    let nothing = ada.visit(&path).await;
    assert_eq!(nothing.location(), format!("/programs/{}", concert.slug), "nothing is asked");

    let concert = Concert::usual(&db).await;
    let path = format!("{}/proof", queue_path_of(&concert));
    guard(&db, &concert, "join_proof_bits = 8").await;
    assert_eq!(ada.submit(&queue_path_of(&concert), &()).await.location(), path);
    let page = ada.visit(&path).await;
    for part in ["data-proof", "name=\"challenge\"", "proof_worker", "data-proof-manual"] {
        assert!(page.status == 200 && page.body.contains(part), "{part}: {}", page.body);
    }
    assert_eq!(ada.submit(&path, &()).await.location(), path);
    refused(&join(&ada, &concert).await, 428, "proof-required");
    until("the wait is over", async || !ada.visit(&path).await.has("[data-proof]")).await;
    assert_eq!(
        ada.submit(&queue_path_of(&concert), &()).await.location(),
        format!("/schedules/{}", concert.schedule_id)
    );
    assert_eq!(ada.delete(&queue_path_of(&concert)).await.status, 204);
    refused(&join(&ada, &concert).await, 428, "proof-required");
    office.close().await;
}

#[sqlx::test]
async fn the_waits_of_one_network_queue_up_and_an_account_has_one(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &PROXIED).await;
    let concert = Concert::usual(&db).await;
    // Half a minute, however slowly the test asks.
    guard(&db, &concert, "join_proof_bits = 24").await;
    let people = office.crowd(6, "ada").await;
    let ready = async |person: &Person, address: &str| {
        let begun = wait_from(person, &concert, address).await;
        assert_eq!(begun.status, 201, "{}", begun.body);
        let at = begun.json()["ready_at"].as_str().unwrap().to_owned();
        chrono::DateTime::parse_from_rfc3339(&at).unwrap()
    };
    let first = ready(&people[0], "192.0.2.1").await;
    assert_eq!(ready(&office.moved(&people[0], 1), "192.0.2.1").await, first);
    assert_eq!(ready(&people[0], "192.0.2.99").await, first, "nor from elsewhere");
    let second = ready(&people[1], "::ffff:192.0.2.1").await;
    assert_eq!((second - first).num_seconds(), 32);
    assert!((ready(&people[2], "192.0.2.2").await - first).num_seconds() < 32);
    let v6 = ready(&people[3], "2001:db8:1:2::1").await;
    assert_eq!((ready(&people[4], "2001:db8:1:2:ffff::1").await - v6).num_seconds(), 32);
    assert!(ready(&people[5], "2001:db8:1:3::1").await - v6 < chrono::TimeDelta::seconds(32));

    // No person waits for ever: a network that is full says when to come back.
    run_sql(&db, "update queue_waits set ready_at = ready_at + interval '1 hour'").await;
    let eve = office.sign_in("eve").await;
    let full = wait_from(&eve, &concert, "192.0.2.1").await;
    refused(&full, 429, "rate-limited");
    assert!(full.header("retry-after").parse::<u64>().unwrap() > 1_000);
    office.close().await;
}
