//! People who are let in at the door, weeks before the start, and check-ins that are undone.

use serde_json::json;

use super::{AfterSale, model::Standing};
use crate::{
    models::{assert_answer, send},
    support::{Office, run_sql_with},
};

impl AfterSale {
    fn check_ins(&self) -> String {
        format!("/door/{}/check-ins", self.concert.schedule_id)
    }

    pub(super) async fn admit(&mut self, idx: usize) {
        let ticket = &self.model.tickets[idx];
        let form = json!({ "code": ticket.code });
        let answer = send(&self.door, &self.check_ins(), &form).await;
        let is_right = ticket.is_valid();
        assert_eq!(answer.status == 201, is_right, "{} {}", answer.status, answer.body);
        if is_right {
            let check_in = answer.json()["ticket_id"].as_str().unwrap().parse().unwrap();
            self.model.admit(idx, check_in);
        }
    }

    pub(super) async fn undo(&mut self, office: &Office, idx: usize) {
        let Standing::Used(id) = self.model.tickets[idx].standing else { return };
        // The minute for it never ends while a case runs.
        let fresh = "update tickets set used_at = clock_timestamp() where id = $1";
        run_sql_with(&office.db, fresh, id).await;
        let path = format!("{}/{id}/undoing", self.check_ins());
        assert_answer(&send(&self.door, &path, &json!({})).await, (200, ""));
        self.model.undo(idx);
    }
}
