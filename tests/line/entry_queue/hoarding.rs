//! What an attacker of many accounts and few addresses still gets, with each guard and
//! without. `docs/HOARDING.md` has the figures; this run measures them again.

use std::fmt::Write;

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::{
    guards::{PROXIED, guard, join_from, solve, wait_from},
    queue_path_of,
};
use crate::support::{Concert, ConcertOptions, Office, Person, read_one_with, storm};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/HOARDING.md");
const BOTS: usize = 110;
const INSIDE_MAX: i32 = 50;
const HOARDERS: usize = 12;
/// Each hoarder holds as many as one may: together they hold every seat of the evening.
const SEATS_EACH: usize = 8;
const ROUNDS: usize = 3;

/// A guard, and what the attacker does about it.
struct Case {
    name: &'static str,
    guards: &'static str,
    how: How,
}

#[derive(Clone, Copy)]
enum How {
    /// Joins.
    Plain,
    /// Does the work, then joins.
    Works,
    /// Waits as a browser without scripts does; joined are the bots that may within a minute.
    Waits,
}

const CASES: [Case; 5] = [
    Case { name: "none", guards: "join_proof_bits = null", how: How::Plain },
    Case { name: "accounts of an hour", guards: "join_account_age_mins = 60", how: How::Plain },
    Case { name: "four people a network", guards: "joins_per_address = 4", how: How::Plain },
    Case { name: "work, done (8 bits here)", guards: "join_proof_bits = 8", how: How::Works },
    Case {
        name: "work of 2 s, waited for, in the first minute",
        guards: "join_proof_bits = 20",
        how: How::Waits,
    },
];

/// One bot's way into the queue.
async fn attack(bot: &Person, concert: &Concert, address: &str, how: How) -> bool {
    let first = join_from(bot, concert, address, &[]).await;
    match how {
        How::Plain => first.status == 201,
        How::Works => {
            let solved = solve(&first.json());
            join_from(bot, concert, address, &solved).await.status == 201
        }
        How::Waits => wait_from(bot, concert, address).await.status == 201,
    }
}

/// How many of the bots are inside in the end.
async fn inside(office: &Office, case: &Case, n_addresses: usize) -> i64 {
    let options = ConcertOptions { queue_capacity: Some(INSIDE_MAX), ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    guard(&office.db, &concert, case.guards).await;
    let bots = office.crowd(BOTS, "bot").await;
    let mut running = tokio::task::JoinSet::new();
    for (nth, bot) in bots.into_iter().enumerate() {
        let (concert, how) = (concert.clone(), case.how);
        let address = format!("192.0.2.{}", 1 + nth % n_addresses);
        running.spawn(async move {
            let is_in = attack(&bot, &concert, &address, how).await;
            is_in.then_some(bot)
        });
    }
    let joined: Vec<Person> = running.join_all().await.into_iter().flatten().collect();
    if matches!(case.how, How::Waits) {
        // Behind one another, two seconds each: the first minute lets thirty of a network in.
        return sqlx::query_scalar(
            "select least($2, count(*)) from queue_waits,
                 (select min(ready_at) - interval '2 seconds' as began from queue_waits
                  where program_id = $1) first
             where program_id = $1 and ready_at <= began + interval '1 minute'",
        )
        .bind(concert.program_id)
        .bind(i64::from(INSIDE_MAX))
        .fetch_one(&office.db)
        .await
        .unwrap();
    }
    let expected = i64::try_from(joined.len()).unwrap().min(INSIDE_MAX.into());
    let mut n_inside = -1;
    for _ in 0..600 {
        // A bot that does not poll is not there.
        let polls = joined.iter().cloned().map(|bot| {
            let path = queue_path_of(&concert);
            async move { bot.get(&path).await }
        });
        storm(polls).await;
        n_inside = read_one_with(
            &office.db,
            "select count(*) from queue_tokens where program_id = $1 and status = 'ACTIVE'",
            concert.program_id,
        )
        .await;
        if n_inside == expected {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert_eq!(n_inside, expected, "{}: whoever joined comes in", case.name);
    n_inside
}

/// Seats that fresh accounts hold in each round, giving them back to hold them again.
async fn rounds(office: &Office, guards: &str) -> Vec<usize> {
    let seats = i32::try_from(HOARDERS * SEATS_EACH).unwrap();
    let concert =
        Concert::with(&office.db, ConcertOptions { seats, ..ConcertOptions::default() }).await;
    guard(&office.db, &concert, guards).await;
    let hoarders = office.crowd(HOARDERS, "hoarder").await;
    let path = format!("/schedules/{}/reservations", concert.schedule_id);
    for (nth, hoarder) in hoarders.iter().enumerate() {
        join_from(hoarder, &concert, &format!("192.0.2.{nth}"), &[]).await;
    }
    let mut held_by_round = Vec::new();
    for _ in 0..ROUNDS {
        let mut running = tokio::task::JoinSet::new();
        for (hoarder, seats) in hoarders.iter().zip(concert.seat_ids.chunks(SEATS_EACH)) {
            let (hoarder, path) = (hoarder.clone(), path.clone());
            let order = json!({ "seat_ids": seats, "request_key": Uuid::now_v7() });
            running.spawn(async move {
                let held = hoarder.post_json(&path, &order).await;
                if held.status != 201 {
                    return 0;
                }
                let id = held.json()["reservation_id"].as_str().unwrap().to_owned();
                let back = format!("/reservations/{id}/cancellation");
                assert_eq!(hoarder.post(&back, &()).await.status, 200);
                SEATS_EACH
            });
        }
        held_by_round.push(running.join_all().await.into_iter().sum());
    }
    // A person who is not in the queue holds nothing, and that is why.
    assert_eq!(hoarders[0].get(&queue_path_of(&concert)).await.status == 200, held_by_round[0] > 0);
    held_by_round
}

/// The tables, as they stand in the document.
async fn measured(office: &Office) -> String {
    let mut text = format!(
        "| guard | of {BOTS} bots from 1 address inside ({INSIDE_MAX} places) | from 10 addresses \
         |\n|---|---|---|\n"
    );
    for case in &CASES {
        let (one, ten) = (inside(office, case, 1).await, inside(office, case, 10).await);
        writeln!(text, "| {} | {one} | {ten} |", case.name).unwrap();
    }
    writeln!(
        text,
        "\n| guard | seats of {} that {HOARDERS} fresh accounts hold: at first | again | once more \
         |\n|---|---|---|---|",
        HOARDERS * SEATS_EACH
    )
    .unwrap();
    for (name, guards) in [
        ("none", "join_proof_bits = null"),
        ("accounts of an hour", "join_account_age_mins = 60"),
        ("half an hour's break after one unpaid hold", "unpaid_holds_max = 1, cool_down_mins = 30"),
        ("the same after two", "unpaid_holds_max = 2, cool_down_mins = 30"),
    ] {
        let held = rounds(office, guards).await;
        writeln!(text, "| {name} | {} | {} | {} |", held[0], held[1], held[2]).unwrap();
    }
    text
}

#[sqlx::test]
async fn a_hoarder_gets_what_the_document_says(db: PgPool) {
    let office = Office::open_with(db, 2, &PROXIED).await;
    let measured = measured(&office).await;
    let written = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(written.contains(&measured), "docs/HOARDING.md does not say:\n\n{measured}");
    office.verify().await;
    office.close().await;
}
