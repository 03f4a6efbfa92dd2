//! Instances whose machine's clock is wrong: they decide like all others.

use std::{collections::HashSet, time::Duration};

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{
    ChildInstance, Concert, ConcertOptions, Office, Person, WrongClock, email_of, eventually, hold,
    read_all, until,
};

const DAY_SECS: i64 = 86_400;

/// Starts an instance whose machine's clock is `clock`.
async fn start(office: &Office, clock: &WrongClock) -> ChildInstance {
    let settings = clock.settings();
    let settings = settings.each_ref().map(|(name, value)| (*name, value.as_str()));
    ChildInstance::start_with(office, &settings).await
}

/// A show with a queue whose sale opened this moment, and ends in an hour.
async fn just_opened(db: &PgPool) -> Concert {
    let options = ConcertOptions {
        queue_capacity: Some(10),
        opens_in_secs: 0,
        closes_in_secs: 3_600,
        ..ConcertOptions::default()
    };
    Concert::with(db, options).await
}

/// Joins, comes in, sees the map and holds a seat.
async fn go_through(person: &Person, concert: &Concert, what: &str) {
    let queue = format!("/programs/{}/queue", concert.slug);
    let joined = person.post(&queue, &()).await;
    assert_eq!(joined.status, 201, "{what}: {}", joined.body);
    until("a turn", async || person.get(&queue).await.json()["status"] == "ACTIVE").await;
    let map = person.get(&format!("/schedules/{}", concert.schedule_id)).await;
    assert_eq!(map.status, 200, "{what}: {}", map.body);
    assert!(person.cookie(&concert.pass_cookie()).is_some(), "{what}: the pass is kept");
    let held = hold(person, concert, &concert.seat_ids[..1]).await;
    assert_eq!(held.status, 201, "{what}: {}", held.body);
}

/// Seconds by which an instance says that its machine's clock is ahead.
async fn told_ahead_secs(child: &ChildInstance) -> f64 {
    let answer = reqwest::get(format!("{}/readyz", child.base)).await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.json::<serde_json::Value>().await.unwrap()["clock_ahead_secs"].as_f64().unwrap()
}

#[sqlx::test]
async fn an_instance_whose_clock_is_wrong_refuses_nobody(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    for secs in [-30, 20 * 60, DAY_SECS, -DAY_SECS] {
        let clock = WrongClock::ahead_by(secs);
        let child = start(&office, &clock).await;
        let person = office.sign_in(&format!("p{secs}")).await;
        let concert = just_opened(&db).await;
        go_through(&child.moved(&person), &concert, &format!("{secs} s ahead")).await;
    }
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_clock_that_jumps_changes_nothing_and_is_told(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let clock = WrongClock::ahead_by(0);
    let mut child = start(&office, &clock).await;
    assert!(told_ahead_secs(&child).await.abs() < 1.0);
    assert!(!child.log().contains("this machine's clock"), "{}", child.log());
    for secs in [20 * 60, -30] {
        clock.set(i64::from(secs));
        let person = child.moved(&office.sign_in(&format!("p{secs}")).await);
        go_through(&person, &just_opened(&db).await, &format!("a jump by {secs} s")).await;
        let told = told_ahead_secs(&child).await;
        assert!((told - f64::from(secs)).abs() < 1.0, "{told} s instead of {secs} s");
    }
    let line = eventually("a warning", async || {
        let log = child.log();
        log.lines().find(|line| line.contains("this machine's clock")).map(str::to_owned).ok_or(log)
    })
    .await;
    assert!(line.contains("WARN"), "{line}");
    // Twice so many seconds: once a minute it is said.
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(child.log().matches("this machine's clock").count(), 1);
    let metrics = reqwest::get(format!("{}/metrics", child.base)).await.unwrap();
    let metrics = metrics.text().await.unwrap();
    let told =
        metrics.lines().find_map(|line| line.strip_prefix("stagedoor_clock_difference_seconds "));
    let told: f64 = told.unwrap_or_default().parse().unwrap();
    assert!((told + 30.0).abs() < 1.0, "{told}");
    office.close().await;
}

/// Lists and limits go by ids.
#[sqlx::test]
async fn ids_are_in_the_order_of_time_whatever_clock_the_instances_have(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let clocks = [WrongClock::ahead_by(DAY_SECS), WrongClock::ahead_by(-DAY_SECS)];
    let children = [start(&office, &clocks[0]).await, start(&office, &clocks[1]).await];
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let charged = ada.post("/wallet/charges", &[("amount", 1_000)]).await;
    assert_eq!(charged.status, 201, "{}", charged.body);
    let to = email_of(&db, bob.account_id).await;
    for nth in 0..4 {
        let ada = children[nth % 2].moved(&ada);
        let sent = ada.post_json("/wallet/transfers", &json!({ "to": to, "amount": 10 })).await;
        assert_eq!(sent.status, 201, "{}", sent.body);
    }
    let by_id: Vec<Uuid> = read_all(&db, "select id from transfers order by id").await;
    let by_time: Vec<Uuid> = read_all(&db, "select id from transfers order by created_at").await;
    assert_eq!((by_id.iter().collect::<HashSet<_>>().len(), &by_id), (4, &by_time));
    office.close().await;
}
