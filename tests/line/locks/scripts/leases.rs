//! Leases: for each request, all or none.

use crate::support::Scripted;

const TAKE: &str = include_str!("../../../../src/infra/locks/lease_take.lua");
const RELEASE: &str = include_str!("../../../../src/infra/locks/lease_release.lua");
const LEASE_MS: i64 = 600_000;
const SEATS: [&str; 3] = ["a1", "a2", "a3"];

/// Positions that others hold, and that the owner of the request holds by itself.
type Held = (Vec<i64>, Vec<i64>);

/// Leases of one test's own.
struct Leases(Scripted);

impl Leases {
    /// Leases of which `a2` has this mark.
    async fn with(mark: &str) -> Self {
        let leases = Self(Scripted::open().await);
        leases.0.ask::<()>(&["SET", "a2", mark]).await;
        leases
    }

    /// Takes seats for requests, each with its owner, whom it takes over from, and its number of seats.
    async fn take(&self, token: &str, requests: &[(&str, &str, usize)]) -> Vec<Held> {
        let mut args = vec![token.to_owned(), LEASE_MS.to_string()];
        for (owner, from, n_seats) in requests {
            args.extend([(*owner).to_owned(), (*from).to_owned(), n_seats.to_string()]);
        }
        let n_seats = requests.iter().map(|(.., n_seats)| n_seats).sum();
        self.0.run(TAKE, &SEATS[..n_seats], &args).await
    }

    async fn marks(&self) -> [Option<String>; 3] {
        let mut marks = [const { None }; 3];
        for (mark, seat) in marks.iter_mut().zip(SEATS) {
            *mark = self.0.ask(&["GET", seat]).await;
        }
        marks
    }
}

fn none() -> Held {
    (vec![], vec![])
}

#[tokio::test]
async fn free_leases_are_taken_for_their_time() {
    let leases = Leases(Scripted::open().await);
    assert_eq!(leases.take("t", &[("amy", "", 3)]).await, [none()]);
    assert_eq!(
        leases.marks().await,
        [const { Some("amy/t") }; 3].map(|mark| mark.map(String::from))
    );
    let left_ms: i64 = leases.0.ask(&["PTTL", "a1"]).await;
    assert!((1..=LEASE_MS).contains(&left_ms), "{left_ms}");
}

#[tokio::test]
async fn nothing_is_taken_where_one_is_held_by_another_or_by_another_attempt_of_the_owner() {
    for (mark, held) in [("ben/u", (vec![1], vec![])), ("amy/u", (vec![], vec![1]))] {
        let leases = Leases::with(mark).await;
        assert_eq!(leases.take("t", &[("amy", "", 3)]).await, [held]);
        assert_eq!(leases.marks().await, [None, Some(mark.to_owned()), None]);
    }
}

#[tokio::test]
async fn a_command_that_was_sent_twice_is_answered_as_the_first() {
    let leases = Leases::with("amy/t").await;
    assert_eq!(leases.take("t", &[("amy", "", 3)]).await, [none()]);
    assert!(leases.marks().await.iter().all(Option::is_some));
}

#[tokio::test]
async fn leases_are_taken_over_from_the_owner_who_is_named() {
    let leases = Leases::with("map/u").await;
    assert_eq!(leases.take("t", &[("amy", "map", 3)]).await, [none()]);
    assert_eq!(leases.marks().await[1].as_deref(), Some("amy/t"));
}

#[tokio::test]
async fn requests_of_one_attempt_are_decided_each_by_itself() {
    let leases = Leases::with("ben/u").await;
    let held = leases.take("t", &[("amy", "", 1), ("cleo", "", 2)]).await;
    assert_eq!(held, [none(), (vec![0], vec![])]);
    assert_eq!(leases.marks().await, [Some("amy/t".to_owned()), Some("ben/u".to_owned()), None]);
}

#[tokio::test]
async fn a_late_release_leaves_the_leases_of_the_next_holder() {
    let leases = Leases::with("ben/u").await;
    leases.take("t", &[("amy", "", 1)]).await;
    assert_eq!(leases.0.run::<i64>(RELEASE, &SEATS, &["t".to_owned()]).await, 1);
    assert_eq!(leases.marks().await, [None, Some("ben/u".to_owned()), None]);
}
