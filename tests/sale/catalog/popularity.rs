//! What is booked most, by day and over a week, and what sold out fastest.

use serde_json::Value;
use sqlx::{Connection, PgPool};
use stagedoor::catalog::popularity;
use uuid::Uuid;

use crate::support::{
    Concert, Hold, Office, Person, Purchase, eventually, read_all, read_one, run_sql, until,
};

const SPANS: [&str; 2] = ["day", "week"];

/// Buys the concert's seats from `first` until before `end` in one order.
pub(super) async fn buy(
    office: &Office,
    concert: &Concert,
    first: usize,
    end: usize,
) -> (Person, Purchase) {
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[first..end], places: 0, ..Hold::default() };
    let bought = Purchase::make(&office.db, concert, &ada, hold).await;
    (ada, bought)
}

async fn give_back(owner: &Person, reservation_id: Uuid) {
    let path = format!("/reservations/{reservation_id}/cancellation");
    let given_back = owner.post(&path, &()).await;
    assert_eq!(given_back.status, 200, "{}", given_back.body);
}

/// Rank, bookings and revenue of what is ranked.
pub(super) fn figures(told: &Value) -> Vec<(i64, String, i64, i64)> {
    let of = |line: &Value| {
        let number = |name: &str| line[name].as_i64().unwrap();
        let slug = line["slug"].as_str().unwrap().to_owned();
        (number("rank"), slug, number("bookings"), number("revenue"))
    };
    told["ranked"].as_array().unwrap().iter().map(of).collect()
}

#[sqlx::test]
async fn what_is_booked_is_ranked_net_of_what_was_refunded(db: PgPool) {
    let office = Office::open_with(db, 2, &[]).await;
    let admin = office.employ("root", "ADMIN").await;
    let (quiet, loud) = (Concert::usual(&office.db).await, Concert::usual(&office.db).await);
    assert_eq!(figures(&admin.get("/admin/popularity").await.json()), []);
    buy(&office, &quiet, 0, 2).await;
    for seat in 0..3 {
        buy(&office, &loud, seat, seat + 1).await;
    }
    let price = 50_000;
    let expected = [(1, loud.slug.clone(), 3, 3 * price), (2, quiet.slug.clone(), 1, 2 * price)];
    for of in ["programs", "performances"] {
        for over in SPANS {
            let path = format!("/admin/popularity?of={of}&over={over}");
            until("all are ranked", async || figures(&admin.get(&path).await.json()) == expected)
                .await;
        }
    }
    let home = office.stranger().get("/").await.json();
    assert_eq!(home["popular"][0]["slug"], loud.slug, "{home}");
    let public = office.stranger().get("/popular?over=week").await.json();
    assert_eq!(
        (&public["ranked"][1]["rank"], &public["ranked"][1]["slug"]),
        (&2.into(), &quiet.slug.clone().into())
    );
    assert!(public["ranked"][1]["bookings"].is_null(), "how many is nobody's business: {public}");
    for (concert, rank) in [(&loud, 1), (&quiet, 2)] {
        let told = office.stranger().get(&format!("/programs/{}", concert.slug)).await.json();
        assert_eq!(
            told["popularity"],
            serde_json::json!({ "today": rank, "week": rank }),
            "{told}"
        );
        let found = admin.get(&format!("/admin/popularity?slug={}", concert.slug)).await.json();
        assert_eq!(found["found"]["rank"], rank, "{found}");
    }

    // What is given back counts for nothing.
    let (bob, bought) = buy(&office, &loud, 5, 6).await;
    give_back(&bob, bought.reservation_id).await;
    let (cyd, most) = buy(&office, &quiet, 6, 9).await;
    let by_revenue = [(1, quiet.slug.clone(), 2, 5 * price), (2, loud.slug.clone(), 3, 3 * price)];
    until("the refund is counted", async || {
        figures(&admin.get("/admin/popularity?by=revenue").await.json()) == by_revenue
    })
    .await;
    give_back(&cyd, most.reservation_id).await;
    until("and another", async || {
        figures(&admin.get("/admin/popularity").await.json()) == expected
    })
    .await;
    office.close().await;
}

/// Daily sales of `n` programs over a week, with many that are equal.
async fn sell_made_up(office: &Office, n: usize) -> Vec<Concert> {
    let mut concerts = Vec::new();
    for _ in 0..n {
        concerts.push(Concert::usual(&office.db).await);
    }
    run_sql(
        &office.db,
        "insert into daily_sales (day, schedule_id, program_id, bookings, revenue, changed_in)
         select (now() at time zone 'Asia/Seoul')::date - days, id, program_id,
             abs(hashtext(id::text || days)) % 7 - 2, abs(hashtext(days || id::text)) % 5 * 1000 - 1000,
             days + 1
         from schedules cross join generate_series(0, 8) as days",
    )
    .await;
    run_sql(&office.db, "update daily_sales_progress set counts = 100").await;
    concerts
}

/// Asks every page of every ranking.
async fn every_page(admin: &Person) -> Vec<Value> {
    let mut pages = Vec::new();
    for of in ["programs", "performances"] {
        for by in ["bookings", "revenue"] {
            for over in SPANS {
                for page in 1..=4 {
                    let query = format!("of={of}&by={by}&over={over}&n=7&page={page}");
                    pages.push(admin.get(&format!("/admin/popularity?{query}")).await.json());
                }
            }
        }
    }
    pages
}

async fn keys_of(office: &Office) -> Vec<String> {
    office.app.redis.list_keys("{popular}:", 100_000).await.unwrap()
}

async fn forget(office: &Office, keys: &[String]) {
    if keys.is_empty() {
        return;
    }
    let mut forget = redis::cmd("DEL");
    forget.arg(keys);
    office.app.redis.query::<i64>(&forget).await.unwrap();
}

/// Waits until Redis has every change.
async fn until_whole(office: &Office) {
    let newest = "select coalesce(max(changed_in), 0) from daily_sales";
    until("the view is whole", async || {
        let newest: i64 = read_one(&office.db, newest).await;
        let mut read = redis::cmd("GET");
        read.arg(office.app.redis.key("{popular}:cursor"));
        let cursor: Option<String> = office.app.redis.query(&read).await.unwrap();
        let is_newest = cursor.is_some_and(|cursor| cursor.starts_with(&format!("{newest} ")));
        is_newest && keys_of(office).await.iter().any(|key| key.ends_with(":whole"))
    })
    .await;
}

/// Asks every page while the view is lost. No worker gets further than the progress while it is locked, so
/// PostgreSQL ranks.
async fn by_postgresql(office: &Office, admin: &Person) -> Vec<Value> {
    let mut watch = office.db.begin().await.unwrap();
    run_sql(&mut *watch, "lock table daily_sales_progress in access exclusive mode").await;
    let pages = eventually("a moment without the view", async || {
        forget(office, &keys_of(office).await).await;
        let pages = every_page(admin).await;
        let left = keys_of(office).await;
        if left.is_empty() { Ok(pages) } else { Err(left) }
    })
    .await;
    watch.commit().await.unwrap();
    pages
}

#[sqlx::test]
async fn redis_ranks_as_postgresql_does_and_has_everything_again_after_a_loss(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let admin = office.employ("root", "ADMIN").await;
    sell_made_up(&office, 20).await;
    until_whole(&office).await;
    let by_redis = every_page(&admin).await;
    // Of twenty concerts with made-up sales a few have none today.
    let ranked = u64::try_from(by_redis[0]["ranked"].as_array().unwrap().len()).unwrap();
    let all = by_redis[0]["all"].as_u64().unwrap();
    assert!(ranked > 0 && ranked == all.min(7), "{}", by_redis[0]);

    let n_keys = keys_of(&office).await.len();
    for (page, by_redis) in by_postgresql(&office, &admin).await.iter().zip(&by_redis) {
        assert_eq!(page, by_redis);
    }
    until("all is there again", async || keys_of(&office).await.len() == n_keys).await;
    until_whole(&office).await;
    assert_eq!(every_page(&admin).await, by_redis);
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn what_redis_knew_before_it_went_back_in_time_is_not_added_twice(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &[]).await;
    let admin = office.employ("root", "ADMIN").await;
    let concerts = sell_made_up(&office, 2).await;
    // The second stays ahead by one, unless a change is added to what it changes.
    for (concert, bookings) in concerts.iter().zip([5, 7]) {
        let sold = "update daily_sales set bookings = $2, changed_in = 50 where schedule_id = $1";
        let sold = sqlx::query(sold).bind(concert.schedule_id).bind(bookings);
        sold.execute(&db).await.unwrap();
    }
    until_whole(&office).await;
    let before = every_page(&admin).await;
    let keys = keys_of(&office).await;
    let mut kept = Vec::new();
    for key in &keys {
        let mut dump = redis::cmd("DUMP");
        kept.push(office.app.redis.query::<Vec<u8>>(dump.arg(key)).await.unwrap());
    }
    buy(&office, &concerts[0], 0, 1).await;
    until("it is counted", async || every_page(&admin).await != before).await;
    until_whole(&office).await;
    assert_eq!(every_page(&admin).await, by_postgresql(&office, &admin).await);
    let after = by_postgresql(&office, &admin).await;
    for (key, kept) in keys.iter().zip(&kept) {
        let mut restore = redis::cmd("RESTORE");
        restore.arg(key).arg(0).arg(kept.as_slice()).arg("REPLACE");
        office.app.redis.query::<()>(&restore).await.unwrap();
    }
    until("it is counted again", async || every_page(&admin).await == after).await;
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_sale_that_commits_late_is_counted_on_its_day(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &[]).await;
    let admin = office.employ("root", "ADMIN").await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    let is_up_to_date =
        "select counted_until > now() - interval '2 minutes' from daily_sales_progress";
    until("the days before are counted", async || read_one(&db, is_up_to_date).await).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], places: 0, ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    // Another process has paid it, and its commit is on its way.
    let mut late = sqlx::PgConnection::connect_with(&db.connect_options()).await.unwrap();
    let mut tx = late.begin().await.unwrap();
    sqlx::query(
        "update reservations set status = 'CONFIRMED', confirmed_at = clock_timestamp(),
             settled_at = clock_timestamp() where id = $1",
    )
    .bind(id)
    .execute(&mut *tx)
    .await
    .unwrap();
    buy(&office, &concert, 1, 2).await;
    let has_passed = "select counted_until > (select max(confirmed_at) from reservations)
        from daily_sales_progress";
    for _ in 0..5 {
        popularity::count(&office.app).await.unwrap();
    }
    let has_passed: bool = read_one(&db, has_passed).await;
    assert!(!has_passed, "counted beyond a sale that may still commit");
    tx.commit().await.unwrap();
    until("both are counted", async || {
        let told = admin.get("/admin/popularity").await.json();
        figures(&told) == [(1, concert.slug.clone(), 2, 100_000)]
    })
    .await;
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn what_is_sold_after_postgres_clock_was_set_back_is_counted_and_nothing_twice(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &[]).await;
    let admin = office.employ("root", "ADMIN").await;
    let concert = Concert::usual(&db).await;
    let counted = async |bookings: i64| {
        until("they are counted", async || {
            let told = admin.get("/admin/popularity").await.json();
            figures(&told) == [(1, concert.slug.clone(), bookings, bookings * 50_000)]
        })
        .await;
    };
    buy(&office, &concert, 0, 1).await;
    counted(1).await;
    // As if the clock had been an hour ahead until now.
    run_sql(&db, "update daily_sales_progress set counted_until = now() + interval '1 hour'").await;
    buy(&office, &concert, 1, 2).await;
    counted(2).await;
    office.close().await;
}

#[sqlx::test]
async fn a_ranking_that_makes_no_sense_is_refused_with_the_field(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("root", "ADMIN").await;
    let draft = Concert::usual(&db).await;
    run_sql(&db, "update programs set status = 'DRAFT'").await;
    for (query, field) in [
        ("day=tomorrow", "day"),
        ("day=2999-01-01", "day"),
        ("day=2001-01-01", "day"),
        ("day=-262143-01-01", "day"),
        ("n=1000000", "n"),
        ("n=0", "n"),
        ("page=0", "page"),
        ("page=4294967295", "page"),
        ("over=month", "over"),
        ("by=luck", "by"),
        ("of=people", "of"),
        ("slug=nobody-knows", "slug"),
        (&format!("slug={}", draft.slug), "slug"),
    ] {
        let answer = admin.get(&format!("/admin/popularity?{query}")).await;
        assert_eq!((answer.status, answer.code().as_str()), (422, "invalid"), "{query}");
        assert!(answer.json()["fields"][field].is_string(), "{query}: {}", answer.body);
        if !query.starts_with("slug") {
            let page = office.stranger().visit(&format!("/popular?{query}")).await;
            assert_eq!(page.status, 422, "{query}");
            let has_reason = !page.body.contains("highlighted fields");
            assert!(has_reason, "{query}: {}", page.body);
            assert!(page.body.contains("href=\"/popular\""), "{query}");
        }
    }
    let none = admin.get("/admin/popularity?page=10000&n=100").await;
    assert_eq!((none.status, figures(&none.json())), (200, Vec::new()));
    office.close().await;
}

#[sqlx::test]
async fn days_that_are_no_longer_kept_are_forgotten(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[("POPULARITY_DAYS", "7")]).await;
    sell_made_up(&office, 2).await;
    run_sql(&db, "update daily_sales set day = day - 100").await;
    run_sql(&db, "update daily_sales set day = day + 99").await;
    popularity::forget_old_days(&office.app).await.unwrap();
    let days: Vec<i32> = read_all(
        &db,
        "select distinct (now() at time zone 'Asia/Seoul')::date - day from daily_sales order by 1",
    )
    .await;
    assert_eq!(days, [1, 2, 3, 4, 5, 6, 7, 8], "seven are kept, and two that may still end");
    office.close_as_it_is().await;
}
