//! Tickets that people give each other.

use serde_json::json;

use super::{
    AfterSale,
    acts::{assert_done, id_of},
};
use crate::{
    models::{assert_answer, send},
    support::{Office, email_of},
};

impl AfterSale {
    pub(super) async fn hand_over(&mut self, office: &Office, idx: usize, to: usize) {
        let ticket = &self.model.tickets[idx];
        let address = email_of(&office.db, self.people[to].account_id).await;
        let path = format!("/tickets/{}/hand-overs", ticket.code);
        let answer = send(&self.people[ticket.holder], &path, &json!({ "to": address })).await;
        if self.model.is_deleted[to] {
            return;
        }
        let is_right = self.model.may_offer(idx, to);
        assert_done(&answer, 201, is_right);
        if is_right {
            let id = id_of(&answer.json(), "hand_over_id");
            self.model.tickets[idx].offer = Some((id, to));
        }
    }

    pub(super) async fn answer(&mut self, idx: usize, accepts: bool) {
        let ticket = &self.model.tickets[idx];
        let (id, to) = ticket.offer.unwrap();
        if self.model.is_out(to) {
            return;
        }
        let act = if accepts { "acceptance" } else { "declining" };
        let path = format!("/hand-overs/{id}/{act}");
        let answer = send(&self.people[to], &path, &json!({})).await;
        if accepts && self.model.is_locked[ticket.holder] {
            return assert_answer(&answer, (409, "hand-over-frozen"));
        }
        // The code in this answer is the ticket's.
        assert_eq!(answer.status, 200, "{}", answer.body);
        let ticket = &mut self.model.tickets[idx];
        ticket.offer = None;
        if accepts {
            ticket.holder = to;
            answer.json()["code"].as_str().unwrap().clone_into(&mut ticket.code);
        }
    }
}
