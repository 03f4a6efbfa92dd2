//! The scripts that count wrong passwords, one by one: whose failures are counted together.

use crate::support::Scripted;

const BEGIN: &str = include_str!("../../../src/accounts/log_in/guess_begin.lua");
const SUCCEED: &str = include_str!("../../../src/accounts/log_in/guess_succeed.lua");
const WITHDRAW: &str = include_str!("../../../src/accounts/log_in/guess_withdraw.lua");

const N_FREE: &str = "3";
const PAUSE_MAX_MS: i64 = 5_000;
const REMEMBERED_MS: i64 = 600_000;

/// Account of one test's own.
struct Account(Scripted);

impl Account {
    async fn new() -> Self {
        Self(Scripted::open().await)
    }

    /// Begins an attempt; returns its source and how long it has to wait (ms).
    async fn attempt(&self, device: &str, network: &str) -> (String, i64) {
        let times = [PAUSE_MAX_MS, REMEMBERED_MS].map(|ms| ms.to_string());
        let args = [device, network, N_FREE].map(String::from);
        self.0.run(BEGIN, &["failures", "networks"], &[&args[..], &times[..]].concat()).await
    }

    /// Has these strangers guess as often as nothing is paused yet.
    async fn use_up(&self) {
        for _ in 0..2 {
            assert_eq!(self.attempt("", "afar").await, ("stranger".to_owned(), 0));
        }
    }

    async fn succeed(&self, source: &str, network: &str) {
        let args = [source, network, "2", "600000"].map(String::from);
        self.0.run::<()>(SUCCEED, &["failures", "networks"], &args).await;
    }

    async fn withdraw(&self, source: &str) {
        self.0.run::<()>(WITHDRAW, &["failures"], &[source, N_FREE].map(String::from)).await;
    }

    async fn n_failures(&self, source: &str) -> Option<i64> {
        self.0.ask(&["HGET", "failures", &format!("{source}|n")]).await
    }

    /// Until when the source is paused (ms since the epoch).
    async fn paused_until(&self, source: &str) -> Option<i64> {
        self.0.ask(&["HGET", "failures", &format!("{source}|until")]).await
    }
}

#[tokio::test]
async fn the_last_free_failure_begins_a_pause_and_nobody_counts_during_it() {
    let account = Account::new().await;
    account.use_up().await;
    assert_eq!(account.paused_until("stranger").await, None);
    let from = account.0.now_ms().await;
    assert_eq!(account.attempt("", "afar").await.1, 0);
    let until = account.paused_until("stranger").await.unwrap();
    assert!((from + 1_000..=account.0.now_ms().await + 1_000).contains(&until), "{until}");
    let far = (from + 600_000).to_string();
    account.0.ask::<()>(&["HSET", "failures", "stranger|until", &far]).await;
    assert!(account.attempt("", "elsewhere").await.1 > 0);
    assert_eq!(account.n_failures("stranger").await, Some(3));
}

#[tokio::test]
async fn a_pause_doubles_up_to_its_bound() {
    for (n_before, pause_ms) in [("3", 2_000), ("4", 4_000), ("5", 5_000), ("400", 5_000)] {
        let account = Account::new().await;
        account.0.ask::<()>(&["HSET", "failures", "stranger|n", n_before]).await;
        let from = account.0.now_ms().await;
        account.attempt("", "afar").await;
        let until = account.paused_until("stranger").await.unwrap();
        let bounds = from + pause_ms..=account.0.now_ms().await + pause_ms;
        assert!(bounds.contains(&until), "{n_before}: {until}");
    }
}

#[tokio::test]
async fn failures_are_forgotten_after_a_while() {
    let account = Account::new().await;
    account.use_up().await;
    let left_ms: i64 = account.0.ask(&["PTTL", "failures"]).await;
    assert!((1..=REMEMBERED_MS).contains(&left_ms), "{left_ms}");
}

#[tokio::test]
async fn a_known_device_and_a_known_network_have_counts_of_their_own() {
    let account = Account::new().await;
    account.succeed("stranger", "home").await;
    assert_eq!(account.attempt("phone", "home").await.0, "device:phone");
    assert_eq!(account.attempt("", "home").await.0, "network:home");
    assert_eq!(account.attempt("", "afar").await.0, "stranger");
}

#[tokio::test]
async fn the_right_password_clears_the_failures_of_its_source_alone() {
    let account = Account::new().await;
    account.use_up().await;
    account.attempt("", "afar").await;
    account.attempt("phone", "afar").await;
    account.succeed("stranger", "afar").await;
    assert_eq!(account.n_failures("stranger").await, None);
    assert_eq!(account.paused_until("stranger").await, None);
    assert_eq!(account.n_failures("device:phone").await, Some(1));
}

#[tokio::test]
async fn the_latest_networks_are_known_for_a_while() {
    let account = Account::new().await;
    for (age, network) in ["oldest", "old"].into_iter().enumerate() {
        let used = (age + 1).to_string();
        account.0.ask::<()>(&["ZADD", "networks", &used, network]).await;
    }
    account.succeed("stranger", "new").await;
    let known: Vec<String> = account.0.ask(&["ZRANGE", "networks", "0", "-1"]).await;
    assert_eq!(known, ["old", "new"]);
    let left_ms: i64 = account.0.ask(&["PTTL", "networks"]).await;
    assert!((1..=600_000).contains(&left_ms), "{left_ms}");
}

#[tokio::test]
async fn an_attempt_that_was_taken_back_costs_neither_a_failure_nor_a_pause() {
    let account = Account::new().await;
    account.use_up().await;
    account.attempt("", "afar").await;
    account.withdraw("stranger").await;
    assert_eq!(account.n_failures("stranger").await, Some(2));
    assert_eq!(account.paused_until("stranger").await, None);
    account.withdraw("device:phone").await;
    assert_eq!(account.n_failures("device:phone").await, None);
}

#[tokio::test]
async fn a_pause_that_other_failures_earned_stays() {
    let account = Account::new().await;
    account.0.ask::<()>(&["HSET", "failures", "stranger|n", "4", "stranger|until", "7"]).await;
    account.withdraw("stranger").await;
    assert_eq!(account.paused_until("stranger").await, Some(7));
}
