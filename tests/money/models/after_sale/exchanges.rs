//! Exchanges that people begin and end, at the office and in the model.

use serde_json::json;
use uuid::Uuid;

use super::{
    AfterSale,
    acts::{assert_done, id_of},
    model::Exchange,
};
use crate::models::{assert_answer, send};

impl AfterSale {
    /// Begins an exchange of one ticket; the one before ends, unless places are held for it.
    pub(super) async fn begin_exchange(&mut self, idx: usize) {
        let ticket = &self.model.tickets[idx];
        let (owner, paid) = (ticket.holder, ticket.paid);
        let path = format!("/reservations/{}/exchange", self.model.orders[ticket.order].id);
        let form = json!({ "codes": [ticket.code], "request_key": Uuid::now_v7() });
        let answer = send(&self.people[owner], &path, &form).await;
        let before = self.model.open_exchange(owner);
        let is_held = before.is_some_and(|before| self.model.is_held_for(before));
        let is_right = self.model.may_exchange(idx) && !is_held;
        assert_done(&answer, 201, is_right);
        if !is_right {
            return;
        }
        let begun = answer.json();
        let worth = self.model.worth(idx);
        assert_eq!((&begun["price"], &begun["worth"]), (&json!(paid), &json!(worth)), "{begun}");
        if let Some(before) = before {
            self.model.exchanges[before].is_open = false;
        }
        let id = id_of(&begun, "exchange_id");
        self.model.exchanges.push(Exchange { id, owner, ticket: idx, is_open: true });
    }

    /// Ends an exchange: what is held for it is paid as anything else.
    pub(super) async fn end_exchange(&mut self, nth: usize) {
        let Exchange { id, owner, .. } = self.model.exchanges[nth];
        let path = format!("/exchanges/{id}/cancellation");
        assert_answer(&send(&self.people[owner], &path, &json!({})).await, (200, ""));
        self.model.exchanges[nth].is_open = false;
    }
}
