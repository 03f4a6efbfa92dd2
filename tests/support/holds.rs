//! Fixtures of holds, written as the reservation feature does, for tests that begin at the payment.

use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::{Concert, run_sql};

/// Moves all holds and stays so far into the past that they have lapsed.
pub async fn lapse_holds(db: &PgPool) {
    let holds = "update reservations set created_at = created_at - interval '1 hour',
        expires_at = expires_at - interval '1 hour' where status = 'HELD'";
    let stays = "update queue_tokens set admitted_at = admitted_at - interval '2 hours'";
    run_sql(db, stays).await;
    run_sql(db, holds).await;
}

/// Options of a hold.
#[derive(Clone, Debug)]
pub struct Hold<'a> {
    pub seat_ids: &'a [i64],
    /// Number of places in the concert's zone.
    pub places: i32,
    /// Seconds from now until the hold expires; negative in the past.
    pub ends_in_secs: i32,
    /// Seconds from now until the refund deadline; negative in the past.
    pub refund_ends_in_secs: i32,
    pub refund_percent: i32,
}

impl Default for Hold<'_> {
    fn default() -> Self {
        Self {
            seat_ids: &[],
            places: 0,
            ends_in_secs: 300,
            refund_ends_in_secs: 86_400,
            refund_percent: 100,
        }
    }
}

impl Hold<'_> {
    /// Writes the hold for `account_id` and returns the reservation's id.
    pub async fn write(&self, db: &PgPool, concert: &Concert, account_id: Uuid) -> Uuid {
        let id = Uuid::now_v7();
        let mut tx = db.begin().await.unwrap();
        self.write_stay(&mut tx, concert, account_id).await;
        sqlx::query(
            "insert into reservations (id, account_id, schedule_id, program_id, total, expires_at,
                 hold_ttl_secs, refund_until, refund_percent, places_max, created_at)
             select $1, $2, $3, $4,
                 (select coalesce(sum(price), 0) from schedule_seats where id = any($5))
                     + $6 * (select price from zones where id = $7),
                 now() + make_interval(secs => $8), 300, now() + make_interval(secs => $9), $10,
                 (select places_per_account_max from programs where id = $4),
                 now() + make_interval(secs => $8 - 300)",
        )
        .bind(id)
        .bind(account_id)
        .bind(concert.schedule_id)
        .bind(concert.program_id)
        .bind(self.seat_ids)
        .bind(self.places)
        .bind(concert.zone_id)
        .bind(self.ends_in_secs)
        .bind(self.refund_ends_in_secs)
        .bind(self.refund_percent)
        .execute(&mut *tx)
        .await
        .unwrap();
        sqlx::query(
            "with held as (update schedule_seats set status = 'HELD', version = version + 1
                           where id = any($2) returning id, price),
                  taken as (update zones set remaining = remaining - $4, version = version + 1
                            where id = $3 and $4 > 0 returning id, price)
             insert into reservation_items
                 (id, reservation_id, schedule_id, schedule_seat_id, zone_id, quantity, unit_price)
             select gen_random_uuid(), $1, $5, id, null::uuid, 1, price from held
             union all
             select gen_random_uuid(), $1, $5, null, id, $4, price from taken",
        )
        .bind(id)
        .bind(self.seat_ids)
        .bind(concert.zone_id)
        .bind(self.places)
        .bind(concert.schedule_id)
        .execute(&mut *tx)
        .await
        .unwrap();
        tx.commit().await.unwrap();
        id
    }

    /// Writes an admission at the time of the hold unless there is one, because a hold requires it.
    /// The admission is marked as made by staff, so that it does not count against the capacity.
    async fn write_stay(&self, tx: &mut PgConnection, concert: &Concert, account_id: Uuid) {
        sqlx::query(
            "with made as (
                 select now() + make_interval(secs => $3 - 300) as at
             ), numbered as (
                 insert into queue_numbers (program_id, next_number)
                 select $1, 2 from made
                 where not exists (
                     select from queue_tokens
                     where program_id = $1 and account_id = $2 and admitted_at <= at
                         and at <= coalesce(ended_at, stay_ends_at))
                 on conflict (program_id) do update set next_number = queue_numbers.next_number + 1
                 returning next_number - 1 as number
             )
             insert into queue_tokens (id, program_id, account_id, queue_number, status,
                 issued_at, admitted_at, stay_ends_at, expires_at, ended_at, let_in_by)
             select gen_random_uuid(), $1, $2, number, 'EXPIRED', at, at, at, at, at, $2
             from numbered, made",
        )
        .bind(concert.program_id)
        .bind(account_id)
        .bind(self.ends_in_secs)
        .execute(tx)
        .await
        .unwrap();
    }
}

/// Gives a reservation one step of refund terms instead of its one line: until the beginning, `percent` less `fee`.
pub async fn agree_on(db: &PgPool, reservation_id: Uuid, percent: i32, fee: i32) {
    let sql = "update reservations set refund_steps = jsonb_build_array(jsonb_build_object(
        'hours', 0, 'zone', 'Asia/Seoul', 'percent', $2::integer, 'fee', $3::integer,
        'until', now() + interval '1 hour')) where id = $1";
    let query = sqlx::query(sql).bind(reservation_id).bind(percent).bind(fee);
    query.execute(db).await.unwrap();
}
