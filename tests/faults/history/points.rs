//! What the people of a history do with points.

use std::sync::PoisonError;

use rand::{RngExt, rngs::StdRng};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    record::Record,
    wallets::{Change, Fate, Shown, WalletHistory},
    workload::{Crowd, Offer, PEOPLE, Timed},
};
use crate::{Failure, purchase::Answer};

impl Crowd {
    pub(super) async fn charge(&self, nth: usize, record: &mut Record) -> Result<(), String> {
        let amount = self.amount();
        let form = json!({ "amount": amount, "request_key": Uuid::now_v7() });
        let charged = self.ask(nth, Method::POST, "wallet/charges", &form).await?;
        // A refusal of a repeated key says that no try was carried out.
        let fate = if charged.answer.is_ok() { Fate::Done } else { Fate::Refused };
        let Timed { asked_us, answered_us, .. } = charged;
        record.changes.push(Change { wallet: nth, amount, asked_us, answered_us, fate });
        record.shown.extend(shown(nth, &charged.answer));
        Ok(())
    }

    /// Offers points to a friend.
    pub(super) async fn offer(&self, nth: usize, rng: &mut StdRng) -> Result<(), String> {
        let to = (nth + rng.random_range(1..PEOPLE)) % PEOPLE;
        let amount = self.amount();
        let key = Uuid::now_v7();
        let form = json!({ "to": self.stage.email(to), "amount": amount, "request_key": key });
        let offered = self.ask(nth, Method::POST, "wallet/transfers", &form).await?;
        if let Some(id) = offered.answer.json["transfer_id"].as_str() {
            let offer = Offer { id: id.to_owned(), from: nth, amount };
            self.offered.lock().unwrap_or_else(PoisonError::into_inner)[to].push(offer);
        }
        Ok(())
    }

    /// Accepts or rejects what was offered, or its sender takes it back at the same moment.
    pub(super) async fn settle(
        &self,
        nth: usize,
        rng: &mut StdRng,
        record: &mut Record,
    ) -> Result<(), String> {
        let next = self.offered.lock().unwrap_or_else(PoisonError::into_inner)[nth].pop();
        let Some(Offer { id, from, amount }) = next else { return Ok(()) };
        let post = |who: usize, what: &'static str| {
            let path = format!("wallet/transfers/{id}/{what}");
            async move { self.ask(who, Method::POST, &path, &json!({})).await }
        };
        let answered = if rng.random_range(0..3) == 0 { "rejection" } else { "acceptance" };
        let (mine, theirs) = match rng.random_range(0..3) {
            0 => {
                let (mine, theirs) = tokio::join!(post(nth, answered), post(from, "cancellation"));
                (mine?, Some(theirs?))
            }
            _ => (post(nth, answered).await?, None),
        };
        let is_taken_back = theirs.as_ref().is_some_and(|theirs| theirs.answer.is_ok());
        if is_taken_back && mine.answer.is_ok() {
            return Err(format!("transfer {id} was settled twice"));
        }
        let moves = answered == "acceptance" && !is_taken_back;
        let fate = if moves { mine.fate() } else { Fate::Refused };
        let Timed { asked_us, answered_us, .. } = mine;
        for (wallet, amount) in [(from, -amount), (nth, amount)] {
            record.changes.push(Change { wallet, amount, asked_us, answered_us, fate });
        }
        Ok(())
    }

    pub(super) async fn look(&self, nth: usize, record: &mut Record) -> Result<(), String> {
        let wallet = self.ask(nth, Method::GET, "wallet", &Value::Null).await?;
        record.shown.extend(shown(nth, &wallet.answer));
        Ok(())
    }

    /// Reads the whole history of each wallet.
    pub(crate) async fn wallets(&self) -> Result<Vec<WalletHistory>, Failure> {
        let mut histories = Vec::new();
        for nth in 0..PEOPLE {
            let mut newest_first = Vec::new();
            let mut path = "wallet".to_owned();
            loop {
                let page = self.ask(nth, Method::GET, &path, &Value::Null).await?.answer.json;
                let entries = page["transactions"].as_array().into_iter().flatten();
                newest_first.extend(entries.filter_map(|entry| {
                    Some((entry["amount"].as_i64()?, entry["balance_after"].as_i64()?))
                }));
                let Some(next) = page["next"].as_str() else { break };
                path = format!("wallet?after={next}");
            }
            // What is withheld or released moves no points.
            let moved = newest_first.into_iter().rev().filter(|(amount, _)| *amount != 0);
            histories.push(WalletHistory { entries: moved.collect() });
        }
        Ok(histories)
    }
}

/// Returns the balance in the answer.
fn shown(wallet: usize, answer: &Answer) -> Option<Shown> {
    answer.json["balance"].as_i64().map(|balance| Shown { wallet, balance })
}
