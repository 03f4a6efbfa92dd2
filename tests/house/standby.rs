//! What may be some seconds old is read from a real standby, and no page suffers from it.

use std::time::{Duration, Instant};

use sqlx::{PgConnection, PgPool};

use crate::support::{Concert, Office, PrivatePostgres, PrivateStandby, admit, hold_places, until};

/// A primary with a standby, and an office of one instance that reads from both.
struct Pair {
    primary: PrivatePostgres,
    standby: PrivateStandby,
    db: PgPool,
    office: Office,
}

impl Pair {
    async fn open() -> Self {
        let primary = PrivatePostgres::start().await;
        let db = primary.database().await;
        let standby = primary.start_standby().await;
        let settings = [("STANDBY_DATABASE_URL", standby.url.as_str())];
        let office = Office::open_with(db.clone(), 1, &settings).await;
        Self { primary, standby, db, office }
    }

    /// Visits the home page until the standby has read its list of programs.
    async fn until_standby_reads(&self) {
        let mut standby = self.standby.connect().await;
        let asked = "select clock_timestamp()::text";
        let since: String = sqlx::query_scalar(asked).fetch_one(&mut standby).await.unwrap();
        until("the standby reads the list", async || {
            assert_eq!(self.office.stranger().visit("/").await.status, 200);
            has_read_since(&mut standby, &since).await
        })
        .await;
    }

    async fn close(self) {
        self.office.close().await;
    }
}

/// Whether a connection of the office last read programs at this server, after `since`.
async fn has_read_since(server: &mut PgConnection, since: &str) -> bool {
    sqlx::query_scalar(
        "select exists (
             select from pg_stat_activity
             where application_name = 'stagedoor' and query like '%poster_number%'
               and query_start > $1::text::timestamptz
         )",
    )
    .bind(since)
    .fetch_one(server)
    .await
    .unwrap()
}

async fn run(server: &mut PgConnection, sql: &'static str) {
    sqlx::raw_sql(sql).execute(server).await.unwrap();
}

#[tokio::test]
async fn the_home_page_is_read_from_the_standby_until_that_is_five_seconds_behind() {
    let pair = Pair::open().await;
    let concert = Concert::usual(&pair.db).await;
    pair.until_standby_reads().await;

    let mut standby = pair.standby.connect().await;
    run(&mut standby, "select pg_wal_replay_pause()").await;
    until("the standby stands still", async || {
        let state = sqlx::query_scalar("select pg_get_wal_replay_pause_state()");
        let state: String = state.fetch_one(&mut standby).await.unwrap();
        state == "paused"
    })
    .await;
    // What the standby lacks is found all the same.
    sqlx::query(
        "insert into program_posters (program_id, version, thumbnail, small, large)
         values ($1, '0123456789abcdef', 'small', 'small', 'small')",
    )
    .bind(concert.program_id)
    .execute(&pair.db)
    .await
    .unwrap();
    let poster = format!("/posters/{}/0123456789abcdef/small.jpg", concert.slug);
    let person = pair.office.stranger();
    let read = person.asks(reqwest::Method::GET, &poster, "image/*").send().await.unwrap();
    assert_eq!(read.status(), 200);
    // It never gets this one while it stands still.
    let late = Concert::usual(&pair.db).await;
    until("a program is listed that the standby does not have", async || {
        person.visit("/").await.body.contains(&late.slug)
    })
    .await;

    run(&mut standby, "select pg_wal_replay_resume()").await;
    pair.until_standby_reads().await;
    assert!(person.visit("/").await.body.contains(&late.slug));
    pair.close().await;
}

#[tokio::test]
async fn a_standby_that_dies_fails_no_page_and_is_read_from_when_it_is_back() {
    let mut pair = Pair::open().await;
    let concert = Concert::usual(&pair.db).await;
    pair.until_standby_reads().await;
    pair.standby.crash();
    let person = pair.office.stranger();
    // Each a second old at most: some are read at the standby's end, the others after it was noticed.
    for _ in 0..30 {
        let pages = ["/", "/sitemap.xml", "/popular", &format!("/programs/{}", concert.slug)];
        for page in pages {
            let answer = person.visit(page).await;
            assert_eq!(answer.status, 200, "{page}: {}", answer.body);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(person.get("/readyz").await.status, 200, "a standby fails no readiness");
    pair.standby.restart().await;
    pair.until_standby_reads().await;
    pair.close().await;
}

#[tokio::test]
async fn while_the_primary_is_away_the_home_page_is_read_and_nothing_is_sold() {
    /// Longer than the staleness that is borne beside a primary that answers, and the cache's second.
    const LONGER: Duration = Duration::from_secs(7);
    let pair = Pair::open().await;
    let concert = Concert::usual(&pair.db).await;
    let ada = pair.office.sign_in("Ada").await;
    admit(&pair.db, &concert, std::slice::from_ref(&ada)).await;
    pair.until_standby_reads().await;
    pair.primary.crash();
    let died = Instant::now();
    let person = pair.office.stranger();
    until("the list is read though the primary is long gone", async || {
        let page = person.visit("/").await;
        let is_listed = page.status == 200 && page.body.contains(&concert.slug);
        let is_late = died.elapsed() > LONGER;
        is_listed && is_late
    })
    .await;
    let refused = hold_places(&ada, &concert, 1).await;
    assert_eq!((refused.status, refused.code()), (503, "unavailable".to_owned()));
    pair.office.close_as_it_is().await;
}
