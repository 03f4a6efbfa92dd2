//! The final reads: each shopper's reservations and points after all have finished.

use std::time::Duration;

use tokio::task::JoinSet;

use super::{
    browser::{Ask, Browser},
    history::{History, Step},
};
use crate::web::middleware::deadline::CHANGE_WORK_MAX;

/// Upper bound of shoppers whose state is read at once.
const AT_ONCE_MAX: usize = 8;
/// Pause before the final reads if an outcome is unknown: by then the deployment has carried
/// out or dropped every change that was sent.
const SETTLED_AFTER: Duration = CHANGE_WORK_MAX.saturating_add(Duration::from_secs(1));
/// Upper bound of all final reads; shoppers that were not read by then count as unseen.
const LASTS_MAX: Duration = Duration::from_mins(2);
/// Tries at each read: the deployment may only just have restarted.
const TRIES_MAX: usize = 3;
const BETWEEN_TRIES: Duration = Duration::from_millis(500);

/// Reads the reservations and points of all shoppers. If an outcome is unknown, waits first, so
/// that the change can end.
pub(crate) async fn ask_everybody(browsers: &[Browser], history: &History) {
    let mut is_unsettled = false;
    history.each_since(0, |event| is_unsettled |= event.is_unknown());
    if is_unsettled {
        tokio::time::sleep(SETTLED_AFTER).await;
    }
    let mut checks = JoinSet::new();
    let all = async {
        for browser in browsers {
            if checks.len() >= AT_ONCE_MAX {
                checks.join_next().await;
            }
            checks.spawn(check(browser.clone()));
        }
        while checks.join_next().await.is_some() {}
    };
    // Shoppers that were not read are counted in the report.
    let _ = tokio::time::timeout(LASTS_MAX, all).await;
}

async fn check(browser: Browser) {
    for (step, path) in [(Step::Reservations, "/reservations"), (Step::Wallet, "/wallet")] {
        for _ in 0..TRIES_MAX {
            let ask = Ask { is_final: true, ..Ask::get(step, path) };
            if browser.send(ask).await.is_ok() {
                break;
            }
            tokio::time::sleep(BETWEEN_TRIES).await;
        }
    }
}
