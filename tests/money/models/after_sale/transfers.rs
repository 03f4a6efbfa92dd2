//! Points that people send each other, while what they were bought with may be taken back.

use std::time::SystemTime;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use super::{AfterSale, model::Transfer, steps::Reply};
use crate::{
    models::{assert_answer, send},
    support::{Office, email_of},
};

impl AfterSale {
    pub(super) async fn transfer(
        &mut self,
        office: &Office,
        (from, to): (usize, usize),
        amount: i64,
        is_planned: bool,
    ) {
        if from == to || self.model.is_out(from) || self.model.is_deleted[to] {
            return;
        }
        let tomorrow = DateTime::<Utc>::from(SystemTime::now()) + TimeDelta::days(1);
        let form = json!({
            "to": email_of(&office.db, self.people[to].account_id).await,
            "amount": amount, "starts_at": is_planned.then_some(tomorrow),
        });
        let answer = send(&self.people[from], "/wallet/transfers", &form).await;
        let is_enough = amount <= self.model.usable(from);
        let expected = if is_enough { (201, "") } else { (402, "insufficient-points") };
        assert_answer(&answer, expected);
        if is_enough {
            let id = answer.json()["transfer_id"].as_str().unwrap().parse().unwrap();
            self.model.transfers.push(Transfer { id, from, to, amount, is_planned });
        }
    }

    pub(super) async fn reply(&mut self, nth: usize, reply: Reply) {
        let Transfer { id, from, to, amount, is_planned } = self.model.transfers[nth];
        let (by, act) = match reply {
            Reply::Accept => (to, "acceptance"),
            Reply::Reject => (to, "rejection"),
            Reply::Cancel => (from, "cancellation"),
        };
        if self.model.is_out(by) {
            return;
        }
        let expected = match reply {
            Reply::Accept if is_planned => (409, "transfer-planned"),
            Reply::Accept if self.model.is_locked[from] => (409, "points-frozen"),
            _ => (200, ""),
        };
        let path = format!("/wallet/transfers/{id}/{act}");
        assert_answer(&send(&self.people[by], &path, &json!({})).await, expected);
        if expected.0 == 200 {
            self.model.transfers.remove(nth);
            if reply == Reply::Accept {
                self.model.points[from] -= amount;
                self.model.points[to] += amount;
            }
        }
    }
}
