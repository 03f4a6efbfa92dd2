//! When everybody has gone home each is asked once more what they have.

use std::time::Duration;

use tokio::task::JoinSet;

use super::{
    browser::{Ask, Browser},
    history::{History, Step},
};

/// People who are asked at once.
const AT_ONCE_MAX: usize = 8;
/// Longer than a deployment works on a change that nobody waits for any more.
const SETTLED_AFTER: Duration = Duration::from_secs(6);
/// All of it ends after this; who was not asked by then is counted as unseen.
const LASTS_MAX: Duration = Duration::from_mins(2);
/// Tries at each question: the deployment may only just be back.
const TRIES_MAX: usize = 3;
const BETWEEN_TRIES: Duration = Duration::from_millis(500);

/// Asks everybody for their reservations and points. What had no answer is given the time
/// to be done or not.
pub(crate) async fn ask_everybody(browsers: &[Browser], history: &History) {
    let mut is_unsettled = false;
    history.each_since(0, |event| is_unsettled |= event.is_unknown());
    if is_unsettled {
        tokio::time::sleep(SETTLED_AFTER).await;
    }
    let mut looks = JoinSet::new();
    let all = async {
        for browser in browsers {
            if looks.len() >= AT_ONCE_MAX {
                looks.join_next().await;
            }
            looks.spawn(look(browser.clone()));
        }
        while looks.join_next().await.is_some() {}
    };
    // Whoever is left is told of in the report.
    let _ = tokio::time::timeout(LASTS_MAX, all).await;
}

async fn look(browser: Browser) {
    for (step, path) in [(Step::Reservations, "/reservations"), (Step::Wallet, "/wallet")] {
        for _ in 0..TRIES_MAX {
            let ask = Ask { is_last_look: true, ..Ask::get(step, path) };
            if browser.send(ask).await.is_ok() {
                break;
            }
            tokio::time::sleep(BETWEEN_TRIES).await;
        }
    }
}
