//! The scripts that lease seats for an offer, one by one: which group is leased, and until when.

use crate::support::Scripted;

const OFFER: &str = include_str!("../../../src/reservation/leased_seats/offer.lua");
const WITHDRAW: &str = include_str!("../../../src/reservation/leased_seats/withdraw.lua");
const LIST: &str = include_str!("../../../src/reservation/leased_seats/list.lua");

const LEASE_MS: i64 = 60_000;
const PAUSE_MS: i64 = 300_000;
const KEPT_MS: i64 = 600_000;

/// Performance of one test's own.
struct Performance(Scripted);

impl Performance {
    async fn empty() -> Self {
        Self(Scripted::open().await)
    }

    /// Offers the first group without a lease; returns its position.
    async fn offer(&self, account: &str, groups: &[&[&str]]) -> i64 {
        let mut keys = vec!["leased", account];
        let mut args = vec![format!("{account}/t")];
        args.extend([LEASE_MS, PAUSE_MS, KEPT_MS].map(|ms| ms.to_string()));
        for group in groups {
            keys.extend(*group);
            args.push(group.len().to_string());
            args.extend(group.iter().map(|seat| (*seat).to_owned()));
        }
        self.0.run(OFFER, &keys, &args).await
    }

    async fn withdraw(&self, mark: &str, seats: &[&str]) -> i64 {
        let args = [&[mark][..], seats].concat().into_iter().map(String::from).collect::<Vec<_>>();
        self.0.run(WITHDRAW, &[&["leased"][..], seats].concat(), &args).await
    }

    /// Seats that are leased, and seats whose lease has ended.
    async fn list(&self) -> (Vec<String>, Vec<String>) {
        self.0.run(LIST, &["leased"], &[]).await
    }

    async fn mark_of(&self, seat: &str) -> Option<String> {
        self.0.ask(&["GET", seat]).await
    }

    async fn left_ms(&self, key: &str) -> i64 {
        self.0.ask(&["PTTL", key]).await
    }
}

#[tokio::test]
async fn the_first_group_that_is_wholly_free_is_leased_for_a_while() {
    let house = Performance::empty().await;
    house.0.ask::<()>(&["SET", "a1", "ben/t"]).await;
    house.0.ask::<()>(&["SET", "b2", "ben/t"]).await;
    let groups: [&[&str]; 4] = [&["a1", "a2"], &["b1", "b2", "b3"], &["c1", "c2"], &["d1"]];
    assert_eq!(house.offer("amy", &groups).await, 3);
    assert_eq!(house.list().await, (vec!["c1".into(), "c2".into()], vec![]));
    for (seat, mark) in [("a2", None), ("b3", None), ("c2", Some("amy/t")), ("d1", None)] {
        assert_eq!(house.mark_of(seat).await.as_deref(), mark, "{seat}");
    }
    assert!((1..=LEASE_MS).contains(&house.left_ms("c1").await));
    let kept_ms = house.left_ms("leased").await;
    assert!((LEASE_MS..=LEASE_MS + KEPT_MS).contains(&kept_ms), "{kept_ms}");
}

#[tokio::test]
async fn an_account_gets_one_offer_at_a_time() {
    let house = Performance::empty().await;
    assert_eq!(house.offer("amy", &[&["a1"]]).await, 1);
    let pause_ms = house.left_ms("amy").await;
    assert!((LEASE_MS..=PAUSE_MS).contains(&pause_ms), "{pause_ms}");
    assert_eq!(house.offer("amy", &[&["a2"]]).await, 0);
    assert_eq!(house.mark_of("a2").await, None);
    assert_eq!(house.offer("ben", &[&["a2"]]).await, 1);
}

#[tokio::test]
async fn whoever_is_offered_nothing_may_ask_again_at_once() {
    let house = Performance::empty().await;
    house.0.ask::<()>(&["SET", "a1", "ben/t"]).await;
    assert_eq!(house.offer("amy", &[&["a1"]]).await, 0);
    assert_eq!(house.offer("amy", &[&["a2"]]).await, 1);
}

#[tokio::test]
async fn ended_leases_are_told_for_a_while() {
    let house = Performance::empty().await;
    let now = house.0.now_ms().await;
    for (seat, ended) in [("old", now - 2 * KEPT_MS), ("lately", now - 1_000)] {
        house.0.ask::<()>(&["ZADD", "leased", &ended.to_string(), seat]).await;
    }
    house.offer("amy", &[&["a1"]]).await;
    assert_eq!(house.list().await, (vec!["a1".into()], vec!["lately".into()]));
}

#[tokio::test]
async fn a_withdrawn_lease_is_told_as_ended_and_that_of_another_stays() {
    let house = Performance::empty().await;
    house.offer("amy", &[&["a1"]]).await;
    house.offer("ben", &[&["a2"]]).await;
    assert_eq!(house.withdraw("amy/t", &["a1", "a2"]).await, 1);
    assert_eq!(house.list().await, (vec!["a2".into()], vec!["a1".into()]));
    assert_eq!(
        (house.mark_of("a1").await, house.mark_of("a2").await),
        (None, Some("ben/t".into()))
    );
}
