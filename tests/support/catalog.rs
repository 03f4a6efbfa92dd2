//! Fixtures to sell: programs with one performance.

use sqlx::PgPool;
use uuid::Uuid;

use super::run_sql_with;

/// Published program with one performance.
#[derive(Clone, Debug)]
pub struct Concert {
    pub program_id: Uuid,
    pub slug: String,
    pub schedule_id: Uuid,
    /// Seats in the order of section, row and number.
    pub seat_ids: Vec<i64>,
    pub zone_id: Uuid,
}

/// Options of a concert.
#[derive(Clone, Debug)]
pub struct ConcertOptions {
    /// Number of seats in the one section, ten a row.
    pub seats: i32,
    pub seat_price: i64,
    pub zone_capacity: i32,
    pub zone_price: i64,
    /// Capacity of the waiting room; `None`: the program has no queue.
    pub queue_capacity: Option<i32>,
    pub queue_rate_per_second: Option<i32>,
    /// Seconds from now until the sale opens; negative in the past.
    pub opens_in_secs: i32,
    pub closes_in_secs: i32,
    pub starts_in_secs: i32,
    pub stay_secs: i32,
    pub hold_ttl_secs: i32,
    pub places_per_account_max: i32,
}

impl Default for ConcertOptions {
    fn default() -> Self {
        Self {
            seats: 20,
            seat_price: 50_000,
            zone_capacity: 100,
            zone_price: 30_000,
            queue_capacity: None,
            queue_rate_per_second: None,
            opens_in_secs: -3_600,
            closes_in_secs: 86_400,
            starts_in_secs: 7 * 86_400,
            stay_secs: 600,
            hold_ttl_secs: 300,
            places_per_account_max: 8,
        }
    }
}

impl Concert {
    /// Returns the name of the cookie with this program's entry pass.
    pub fn pass_cookie(&self) -> String {
        format!("entry_pass_{}", self.program_id.simple())
    }

    /// Inserts a concert that starts in an hour, so that its door is open.
    pub async fn tonight(db: &PgPool) -> Self {
        Self::with(db, ConcertOptions { starts_in_secs: 3_600, ..ConcertOptions::default() }).await
    }

    /// Inserts a concert with the default options: twenty seats, a zone, no queue.
    pub async fn usual(db: &PgPool) -> Self {
        Self::with(db, ConcertOptions::default()).await
    }

    /// Inserts a concert with `options`.
    pub async fn with(db: &PgPool, options: ConcertOptions) -> Self {
        let ids: [Uuid; 4] = std::array::from_fn(|_| Uuid::now_v7());
        let [program_id, venue_id, schedule_id, zone_id] = ids;
        let slug = format!("concert-{}", program_id.simple());
        sqlx::query(
            "insert into programs (id, slug, title, status, on_sale_at, off_sale_at, queue_capacity,
                 queue_rate_per_second, stay_secs, hold_ttl_secs, places_per_account_max)
             values ($1, $2, 'A concert', 'PUBLISHED', now() + make_interval(secs => $3),
                 now() + make_interval(secs => $4), $5, $6, $7, $8, $9)",
        )
        .bind(program_id)
        .bind(&slug)
        .bind(options.opens_in_secs)
        .bind(options.closes_in_secs)
        .bind(options.queue_capacity)
        .bind(options.queue_rate_per_second)
        .bind(options.stay_secs)
        .bind(options.hold_ttl_secs)
        .bind(options.places_per_account_max)
        .execute(db)
        .await
        .unwrap();
        run_sql_with(db, "insert into venues (id, name) values ($1, 'A hall')", venue_id).await;
        sqlx::query(
            "insert into schedules (id, program_id, venue_id, starts_at)
             values ($1, $2, $3, now() + make_interval(secs => $4))",
        )
        .bind(schedule_id)
        .bind(program_id)
        .bind(venue_id)
        .bind(options.starts_in_secs)
        .execute(db)
        .await
        .unwrap();
        let seat_ids = insert_seats(db, venue_id, schedule_id, &options).await;
        sqlx::query(
            "insert into zones (id, schedule_id, name, price, capacity, remaining)
             values ($1, $2, 'Standing', $3, $4, $4)",
        )
        .bind(zone_id)
        .bind(schedule_id)
        .bind(options.zone_price)
        .bind(options.zone_capacity)
        .execute(db)
        .await
        .unwrap();
        for table in ["queue_numbers", "queue_gates"] {
            let insert = format!("insert into {table} (program_id) values ($1)");
            sqlx::query(sqlx::AssertSqlSafe(insert)).bind(program_id).execute(db).await.unwrap();
        }
        Self { program_id, slug, schedule_id, seat_ids, zone_id }
    }

    /// Inserts another performance of the program, `days` later, with a zone of 50 places and no seats.
    pub async fn another_date(&self, db: &PgPool, days: i32) -> Self {
        let (schedule_id, zone_id) = (Uuid::now_v7(), Uuid::now_v7());
        sqlx::query(
            "with made as (
                 insert into schedules (id, program_id, venue_id, starts_at)
                 select $1, program_id, venue_id, starts_at + $4 * interval '1 day'
                 from schedules where id = $2
                 returning id
             )
             insert into zones (id, schedule_id, name, price, capacity, remaining)
             select $3, $1, 'Standing', 30000, 50, 50 from made",
        )
        .bind(schedule_id)
        .bind(self.schedule_id)
        .bind(zone_id)
        .bind(days)
        .execute(db)
        .await
        .unwrap();
        Self { schedule_id, zone_id, seat_ids: Vec::new(), ..self.clone() }
    }
}

/// Inserts the seats of the one section, on sale; returns their ids in order.
async fn insert_seats(
    db: &PgPool,
    venue_id: Uuid,
    schedule_id: Uuid,
    options: &ConcertOptions,
) -> Vec<i64> {
    sqlx::query(
        "insert into seats (venue_id, section, row_label, number, x, y)
             select $1, 'Stalls',
                 case when i < 570 then chr(65 + i / 10) else 'z' || lpad((i / 10)::text, 5, '0') end,
                 1 + i % 10, i % 10, i / 10
             from generate_series(0, $2 - 1) i",
    )
    .bind(venue_id)
    .bind(options.seats)
    .execute(db)
    .await
    .unwrap();
    let mut seat_ids: Vec<i64> = sqlx::query_scalar(
        "insert into schedule_seats (schedule_id, seat_id, price)
             select $1, id, $3 from seats where venue_id = $2 order by row_label, number
             returning id",
    )
    .bind(schedule_id)
    .bind(venue_id)
    .bind(options.seat_price)
    .fetch_all(db)
    .await
    .unwrap();
    seat_ids.sort_unstable();
    seat_ids
}
