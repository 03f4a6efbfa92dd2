//! A performance that moves: until when what is reserved may be given back.

use chrono::{DateTime, Duration, Utc};
use serde_json::Value;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{Concert, Hold, Office, Person, Purchase, run_sql_with};

fn moment(value: &Value) -> DateTime<Utc> {
    value.as_str().unwrap().parse().unwrap()
}

struct Show {
    office: Office,
    concert: Concert,
    admin: Person,
    /// When it starts at first.
    starts_at: DateTime<Utc>,
}

impl Show {
    async fn open(db: &PgPool) -> Self {
        let office = Office::open_with(db.clone(), 1, &[]).await;
        let concert = Concert::usual(db).await;
        let admin = office.employ("admin", "ADMIN").await;
        let starts_at = sqlx::query_scalar("select starts_at from schedules").fetch_one(db).await;
        Self { office, concert, admin, starts_at: starts_at.unwrap() }
    }

    /// A paid seat that may be given back until a day before the start.
    async fn buy(&self, person: &Person, seat: usize) -> Uuid {
        let seat_ids = &self.concert.seat_ids[seat..=seat];
        let hold = Hold { seat_ids, refund_ends_in_secs: 6 * 86_400, ..Hold::default() };
        Purchase::make(&self.office.db, &self.concert, person, hold).await.reservation_id
    }

    async fn move_by(&self, days: i64) {
        let path = format!("/admin/schedules/{}", self.concert.schedule_id);
        let version = self.admin.get(&path).await.json()["schedule"]["version"].to_string();
        let starts_at = (self.starts_at + Duration::days(days)).to_rfc3339();
        let form = [("version", version.as_str()), ("starts_at", &starts_at)];
        let moved = self.admin.post(&path, &form).await;
        assert_eq!(moved.status, 200, "{}", moved.body);
    }

    /// How long before the first start the reservation may be given back, in hours.
    async fn ends_hours_before(&self, person: &Person, id: Uuid) -> i64 {
        let told = person.get(&format!("/reservations/{id}")).await.json();
        ((self.starts_at - moment(&told["refund_until"])).num_minutes() + 30).div_euclid(60)
    }

    /// Lets so much time go by since everything that was done.
    async fn later(&self, by: &str) {
        for sql in [
            "update reservations set created_at = created_at - $1::interval,
                 expires_at = expires_at - $1::interval,
                 confirmed_at = confirmed_at - $1::interval",
            "update schedule_moves set moved_at = moved_at - $1::interval",
        ] {
            run_sql_with(&self.office.db, sql, by).await;
        }
    }
}

#[sqlx::test]
async fn a_later_performance_may_be_given_back_longer_and_none_past_its_start(db: PgPool) {
    let show = Show::open(&db).await;
    let ada = show.office.sign_in("ada").await;
    let id = show.buy(&ada, 0).await;
    assert_eq!(show.ends_hours_before(&ada, id).await, 24);
    show.move_by(7).await;
    assert_eq!(show.ends_hours_before(&ada, id).await, 24 - 7 * 24);
    // Earlier than what was agreed: the start is the end of it.
    show.move_by(-3).await;
    assert_eq!(show.ends_hours_before(&ada, id).await, 3 * 24);
    let page = ada.visit(&format!("/reservations/{id}")).await;
    assert_eq!(page.status, 200);
    // Later again: what the first move promised still stands.
    show.move_by(2).await;
    assert_eq!(show.ends_hours_before(&ada, id).await, -2 * 24);
    show.move_by(30).await;
    assert_eq!(show.ends_hours_before(&ada, id).await, 24 - 30 * 24);
    show.office.close().await;
}

#[sqlx::test]
async fn whoever_buys_after_a_move_agrees_to_what_is_shown_then(db: PgPool) {
    let show = Show::open(&db).await;
    let (ada, bob) = (show.office.sign_in("ada").await, show.office.sign_in("bob").await);
    let first = show.buy(&ada, 0).await;
    show.move_by(7).await;
    show.move_by(0).await;
    show.later("1 hour").await;
    let second = show.buy(&bob, 1).await;
    // Ada keeps what the first move promised, until the start; Bob never was promised that.
    assert_eq!(show.ends_hours_before(&ada, first).await, 0);
    assert_eq!(show.ends_hours_before(&bob, second).await, 24);
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn what_was_over_can_be_given_back_again_after_a_move(db: PgPool) {
    let show = Show::open(&db).await;
    let ada = show.office.sign_in("ada").await;
    let hold = Hold {
        seat_ids: &show.concert.seat_ids[..1],
        refund_ends_in_secs: -3_600,
        ..Hold::default()
    };
    let id = Purchase::make(&db, &show.concert, &ada, hold).await.reservation_id;
    let cancel = format!("/reservations/{id}/cancellation");
    let refused = ada.post(&cancel, &()).await;
    assert_eq!(refused.status, 409, "{}", refused.body);
    show.move_by(1).await;
    let refunded = ada.post(&cancel, &()).await;
    assert_eq!((refunded.status, &refunded.json()["refunded"]), (200, &50_000.into()));
    show.office.close().await;
}
