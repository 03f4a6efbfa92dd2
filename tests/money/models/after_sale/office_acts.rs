//! What the office, the provider and the law do to what people bought, and what must hold after each.

use serde_json::json;
use uuid::Uuid;

use super::{
    AfterSale,
    model::{BEGUN_WITH, GUEST, PLACES, ZONE_PRICE},
};
use crate::{
    models::{assert_answer, points_of, send},
    support::{Office, read_one_with, stripe::EventOptions},
};

/// Money of one reversal, in points.
const REVERSED: i64 = 1_500;

impl AfterSale {
    /// Makes the child's ticket, a code, and one that opens the balcony to the first person.
    pub(super) async fn make_terms(&mut self) {
        let path = format!("/admin/schedules/{}/price-types", self.concert.schedule_id);
        let form = json!({
            "version": self.version().await, "name": "Child", "percent": 50, "beside": "ORDINARY",
        });
        let made = self.admin.post_json(&path, &form).await;
        assert_eq!(made.status, 200, "{}", made.body);
        self.child = made.json()["price_types"][0]["id"].as_str().unwrap().parse().unwrap();
        let path = format!("/admin/programs/{}/codes", self.concert.program_id);
        let word = Uuid::now_v7().simple().to_string();
        let (discount, access) = (format!("D{}", &word[..24]), format!("A{}", &word[..24]));
        for form in [
            json!({ "code": discount, "percent": 30 }),
            json!({ "code": access, "access": true, "section": "Balcony", "uses_max": 10 }),
        ] {
            let made = self.admin.post_json(&path, &form).await;
            assert_eq!(made.status, 201, "{}", made.body);
        }
        let path = format!("/programs/{}/code-redemptions", self.concert.slug);
        let redeemed = self.people[GUEST].post(&path, &[("code", &access)]).await;
        assert_eq!(redeemed.status, 201, "{}", redeemed.body);
        self.code = discount;
    }

    fn schedule_path(&self) -> String {
        format!("/admin/schedules/{}", self.concert.schedule_id)
    }

    async fn version(&self) -> i64 {
        let shown = self.admin.get(&self.schedule_path()).await.json();
        shown["schedule"]["version"].as_i64().unwrap_or_else(|| panic!("{shown}"))
    }

    pub(super) async fn rename_zone(&mut self) {
        self.n_renamed += 1;
        let form = json!({
            "version": self.version().await, "name": format!("Floor {}", self.n_renamed),
            "price": ZONE_PRICE, "capacity": PLACES,
        });
        let path = format!("{}/zones/{}", self.schedule_path(), self.concert.zone_id);
        assert_answer(&send(&self.admin, &path, &form).await, (200, ""));
    }

    pub(super) async fn hide_or_show(&mut self) {
        let act = if self.model.is_balcony_hidden { "show" } else { "hide" };
        let form = json!({ "version": self.version().await, "section": "Balcony", "act": act });
        let path = format!("{}/hidden-sections", self.schedule_path());
        assert_answer(&send(&self.admin, &path, &form).await, (200, ""));
        self.model.is_balcony_hidden = !self.model.is_balcony_hidden;
    }

    pub(super) async fn refund(&mut self, nth: usize, by_office: bool) {
        let order = &self.model.orders[nth];
        let answer = if by_office {
            let path = format!("/admin/reservations/{}/refund", order.id);
            send(
                &self.admin,
                &path,
                &json!({ "share": "all", "refunds": "wallet", "reason": "a case" }),
            )
            .await
        } else if self.model.is_out(order.owner) {
            return;
        } else {
            let path = format!("/reservations/{}/cancellation", order.id);
            send(&self.people[order.owner], &path, &json!({})).await
        };
        let is_right = by_office || self.model.may_refund(nth);
        assert_eq!(answer.status == 200, is_right, "{} {}", answer.status, answer.body);
        if is_right {
            self.model.refund(nth);
        }
    }

    /// Has the provider tell that more of the money was returned.
    pub(super) async fn reverse(&mut self, who: usize) {
        let reversed = self.model.reversed[who] + REVERSED;
        if reversed > BEGUN_WITH {
            return;
        }
        self.model.reversed[who] = reversed;
        let object = json!({
            "payment_intent": self.payments[who], "amount_refunded": reversed, "currency": "krw",
        });
        let event = self.stripe.sign("charge.refunded", &object, EventOptions::default()).await;
        assert_eq!(event.deliver(&self.admin).await.status, 200);
        self.model.reverse(who, REVERSED);
    }

    pub(super) async fn lock_or_unlock(&mut self, office: &Office, who: usize) {
        if self.model.is_deleted[who] {
            return;
        }
        let was_locked = self.model.is_locked[who];
        let act = if was_locked { "unlock" } else { "lock" };
        let path = format!("/admin/people/{}/{act}", self.people[who].account_id);
        let form = json!({ "reason": "a case" });
        assert_answer(&send(&self.admin, &path, &form).await, (200, ""));
        self.model.is_locked[who] = !was_locked;
        if was_locked {
            self.people[who] = office.log_in(&self.people[who], 0).await;
        }
    }

    pub(super) async fn delete(&mut self, office: &Office, who: usize) {
        if self.model.is_out(who) {
            return;
        }
        let (balance, _) = points_of(office, &self.people[who]).await;
        let form = json!({ "points": balance });
        let answer = send(&self.people[who], "/account/deletion", &form).await;
        let is_kept = self.model.keeps_account(who);
        assert_eq!(answer.status == 200, !is_kept, "{} {}", answer.status, answer.body);
        self.model.is_deleted[who] = !is_kept;
    }

    pub(super) async fn compare_points(&self, office: &Office) {
        let sql =
            "select coalesce(sum(balance - debt), 0)::bigint from wallets where account_id = $1";
        for (who, person) in self.people.iter().enumerate() {
            if !self.model.is_deleted[who] {
                let points: i64 = read_one_with(&office.db, sql, person.account_id).await;
                let (_, pending) = points_of(office, person).await;
                let expected = (self.model.points[who], self.model.pending(who));
                assert_eq!((points, pending), expected, "points of person {who}");
            }
        }
    }
}
