//! Wallets as a bank: whether the history of each wallet is what its answers say, in their order.
//!
//! A history shows the order of all changes of a wallet, so what goes wrong can be named as for
//! databases (Adya, Elle): a **lost** change was acknowledged and is not there; an **aborted** one was
//! refused and is there; a **doubled** one is there more than once; a **reordered** one stands before
//! another that was answered before it was asked for (G-realtime); a balance that was **never** there
//! was read.

use std::collections::BTreeMap;

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Done,
    Refused,
    Unknown,
}

/// Change of a wallet that its owner asked for. Its signed amount occurs only once in the wallet.
/// Times are microseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) wallet: usize,
    pub(crate) amount: i64,
    pub(crate) asked_us: u64,
    pub(crate) answered_us: u64,
    pub(crate) fate: Fate,
}

/// Balance that an answer showed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    pub(crate) wallet: usize,
    pub(crate) balance: i64,
}

/// History of one wallet, the oldest entry first: signed amounts and the balances after them.
#[derive(Clone, Debug, Default)]
pub(crate) struct WalletHistory {
    pub(crate) entries: Vec<(i64, i64)>,
}

/// Lists what is wrong in the wallets, whose histories are listed by their number. Amounts that no
/// change asked for and that are in `common`, such as the price of a seat, may occur often.
pub(crate) fn anomalies(
    histories: &[WalletHistory],
    changes: &[Change],
    shown: &[Shown],
    common: &[i64],
) -> Vec<String> {
    let mut found = Vec::new();
    for (wallet, history) in histories.iter().enumerate() {
        let mine: Vec<&Change> = changes.iter().filter(|change| change.wallet == wallet).collect();
        found.extend(broken_chain(wallet, history));
        found.extend(wrong_entries(wallet, history, &mine, common));
        found.extend(reordered(wallet, history, &mine));
        let never = shown.iter().filter(|shown| {
            shown.wallet == wallet
                && !history.entries.iter().any(|(_, after)| *after == shown.balance)
        });
        found.extend(never.map(|shown| {
            format!("wallet {wallet}: the balance {} was shown, and never there", shown.balance)
        }));
    }
    found
}

fn broken_chain(wallet: usize, history: &WalletHistory) -> Vec<String> {
    let pairs = history.entries.iter().zip(history.entries.iter().skip(1));
    pairs
        .filter(|((_, before), (amount, after))| before + amount != *after)
        .map(|((_, before), (amount, after))| {
            format!("wallet {wallet}: {amount} after a balance of {before} made {after}")
        })
        .collect()
}

fn wrong_entries(
    wallet: usize,
    history: &WalletHistory,
    changes: &[&Change],
    common: &[i64],
) -> Vec<String> {
    let mut times: BTreeMap<i64, usize> = BTreeMap::new();
    // The first entry is the same in every wallet.
    for (amount, _) in history.entries.iter().skip(1) {
        *times.entry(*amount).or_default() += 1;
    }
    let mut found = Vec::new();
    for change in changes {
        let Change { amount, fate, .. } = change;
        let n = times.remove(amount).unwrap_or_default();
        let wrong = match (fate, n) {
            (Fate::Done, 0) => "lost",
            (Fate::Refused, 1..) => "aborted, and there",
            (_, 2..) => "doubled",
            _ => continue,
        };
        found.push(format!("wallet {wallet}: the change of {amount} is {wrong}"));
    }
    let strange = times.keys().filter(|amount| !common.contains(amount));
    found.extend(strange.map(|amount| format!("wallet {wallet}: nobody asked for {amount}")));
    found
}

fn reordered(wallet: usize, history: &WalletHistory, changes: &[&Change]) -> Vec<String> {
    let place: BTreeMap<i64, usize> =
        history.entries.iter().enumerate().map(|(nth, (amount, _))| (*amount, nth)).collect();
    let mut placed: Vec<(usize, &Change)> = changes
        .iter()
        .filter(|change| change.fate == Fate::Done)
        .filter_map(|change| Some((*place.get(&change.amount)?, *change)))
        .collect();
    placed.sort_unstable_by_key(|(place, _)| *place);
    // From the end: no change may stand before one that was answered before it was asked for.
    let mut first_answer = u64::MAX;
    let mut found = Vec::new();
    for (_, change) in placed.iter().rev() {
        if first_answer < change.asked_us {
            let amount = change.amount;
            found.push(format!("wallet {wallet}: the change of {amount} is reordered"));
        }
        first_answer = first_answer.min(change.answered_us);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: i64 = -1_000;

    fn change(amount: i64, asked_us: u64, fate: Fate) -> Change {
        Change { wallet: 0, amount, asked_us, answered_us: asked_us + 10, fate }
    }

    /// Checks a wallet that had 100,000 points and then these changes in this order.
    fn found(amounts: &[i64], changes: &[Change], shown: &[i64]) -> Vec<String> {
        let mut balance = 100_000;
        let mut history = WalletHistory { entries: vec![(balance, balance)] };
        for amount in amounts {
            balance += amount;
            history.entries.push((*amount, balance));
        }
        let shown: Vec<Shown> =
            shown.iter().map(|balance| Shown { wallet: 0, balance: *balance }).collect();
        anomalies(&[history], changes, &shown, &[PRICE, -PRICE])
    }

    #[test]
    fn a_history_of_what_was_asked_for_is_right() {
        let changes = [
            change(7, 0, Fate::Done),
            change(-9, 20, Fate::Done),
            change(11, 40, Fate::Refused),
            change(13, 60, Fate::Unknown),
            change(17, 80, Fate::Unknown),
        ];
        assert_eq!(found(&[7, PRICE, -9, 13, -PRICE], &changes, &[100_007, 99_007]), [""; 0]);
    }

    #[test]
    fn a_lost_an_aborted_a_doubled_and_a_strange_change_are_seen() {
        assert_eq!(found(&[], &[change(7, 0, Fate::Done)], &[]).len(), 1);
        assert_eq!(found(&[7], &[change(7, 0, Fate::Refused)], &[]).len(), 1);
        assert_eq!(found(&[7, 7], &[change(7, 0, Fate::Done)], &[]).len(), 1);
        assert_eq!(found(&[7, 7], &[change(7, 0, Fate::Unknown)], &[]).len(), 1);
        assert_eq!(found(&[7], &[], &[]).len(), 1);
    }

    #[test]
    fn a_change_before_one_that_was_answered_earlier_is_seen() {
        let changes = [change(7, 0, Fate::Done), change(9, 20, Fate::Done)];
        assert_eq!(found(&[9, 7], &changes, &[]).len(), 1);
        let at_once = [change(7, 0, Fate::Done), change(9, 5, Fate::Done)];
        assert_eq!(found(&[9, 7], &at_once, &[]).len(), 0, "both were asked for at once");
    }

    #[test]
    fn a_balance_that_was_never_there_and_a_broken_chain_are_seen() {
        assert_eq!(found(&[7], &[change(7, 0, Fate::Done)], &[100_008]).len(), 1);
        let history = WalletHistory { entries: vec![(100, 100), (7, 108)] };
        let changes = [change(7, 0, Fate::Done)];
        assert_eq!(anomalies(&[history], &changes, &[], &[]).len(), 1);
    }
}
