//! The live page of a sale.

use std::{collections::BTreeSet, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::verify;

use crate::support::{
    Answer, Concert, ConcertOptions, Hold, Office, Person, PrivateRedis, Purchase, acts, admit,
    eventually, hold, read_one, run_sql, run_sql_with, until,
};

fn live_path(concert: &Concert) -> String {
    format!("/admin/programs/{}/live", concert.program_id)
}

async fn with_line(db: &PgPool, capacity: i32) -> Concert {
    let options = ConcertOptions { queue_capacity: Some(capacity), ..ConcertOptions::default() };
    Concert::with(db, options).await
}

/// Looks at the live figures until `find` finds what it looks for; they are a moment old.
async fn eventually_live<T>(
    admin: &Person,
    concert: &Concert,
    what: &str,
    find: impl Fn(&Value) -> Option<T>,
) -> T {
    eventually(what, async || {
        let live = admin.get(&live_path(concert)).await.json();
        find(&live).ok_or(live)
    })
    .await
}

/// Returns how often the program was refused with `code`, and how often the rest of the office was.
fn refused(live: &Value, code: &str) -> (u64, u64) {
    let reasons = live["refusals"].as_array().unwrap().iter();
    let of_code = reasons.filter(|reason| reason["code"] == code);
    of_code.fold((0, 0), |(of_program, of_office), reason| {
        let count = reason["count"].as_u64().unwrap();
        match reason["is_of_office"].as_bool().unwrap() {
            true => (of_program, of_office + count),
            false => (of_program + count, of_office),
        }
    })
}

async fn join(person: &Person, concert: &Concert) -> Answer {
    person.post(&format!("/programs/{}/queue", concert.slug), &()).await
}

#[sqlx::test]
async fn the_line_is_shown_in_figures_with_what_other_limits_would_do(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = with_line(&db, 1).await;
    let admin = office.employ("admin", "ADMIN").await;
    // Some came and left long ago.
    run_sql_with(
        &db,
        "with gone as (
             insert into queue_tokens (id, program_id, account_id, queue_number, status, issued_at, ended_at)
             select gen_random_uuid(), p.id, $1, n, 'CANCELLED', now() - interval '50 minutes',
                 now() - interval '40 minutes'
             from programs p, generate_series(1, 25) n
         )
         update queue_numbers set next_number = 26",
        admin.account_id,
    )
    .await;
    for person in office.crowd(4, "ada").await {
        assert_eq!(join(&person, &concert).await.status, 201);
    }
    run_sql(
        &db,
        "update queue_tokens set admitted_at = now() - interval '2 minutes', status = 'COMPLETED',
         ended_at = now() - interval '1 minute', stay_ends_at = now(), expires_at = now()
         where queue_number = 29",
    )
    .await;
    let figures = |live: &Value| {
        let line = &live["line"];
        [
            &line["waiting"],
            &live["inside"],
            &line["joined_last_minute"],
            &live["admitted_last_minute"],
        ]
        .map(Value::as_i64)
    };
    eventually_live(&admin, &concert, "the line", |live| {
        (figures(live) == [Some(2), Some(1), Some(4), Some(1)]).then_some(())
    })
    .await;

    let page = admin.visit(&live_path(&concert)).await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.has("[data-live-part='figures'][data-live-secs='2']"), "{}", page.body);
    assert_eq!(page.texts(".live__figure:first-child dd"), ["2"]);
    assert!(page.body.contains("of 1") && page.body.contains("On sale"), "{}", page.body);
    let asked =
        format!("{}?predict=1&queue_capacity=2&queue_rate_per_second=", live_path(&concert));
    // Who is let in at once begins a line anew: these have waited.
    run_sql(&db, "alter table queue_tokens disable trigger queue_tokens_entry_kept").await;
    let waited = "update queue_tokens set issued_at = issued_at - interval '10 minutes'
        where admitted_at is not null";
    run_sql(&db, waited).await;
    let words = "Now: 0.2 a minute, 10 min. With these: 0.4 a minute, 5 min.";
    until("the prediction", async || {
        admin.visit(&asked).await.texts("#limits [role=status]") == [words]
    })
    .await;
    assert_eq!(admin.get(&asked).await.json()["with_these"]["per_minute"], 0.4);
    assert!(acts(&db).await.is_empty(), "nothing was changed");
    let nonsense = format!("{}?predict=1&queue_capacity=many", live_path(&concert));
    assert_eq!(admin.visit(&nonsense).await.status, 422);
    assert_eq!(office.employ("eve", "STAFF").await.get(&live_path(&concert)).await.status, 403);
    office.close().await;
}

#[sqlx::test]
async fn what_is_sold_held_and_free_is_shown_by_section_and_without_a_line_none_is_named(
    db: PgPool,
) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    let bought = Hold { seat_ids: &concert.seat_ids[..2], places: 3, ..Hold::default() };
    Purchase::make(&db, &concert, &ada, bought).await;
    let held = Hold { seat_ids: &concert.seat_ids[5..6], places: 1, ..Hold::default() };
    held.write(&db, &concert, ada.account_id).await;

    let parts = eventually_live(&admin, &concert, "counts", |live| {
        let parts = live["performances"][0]["parts"].as_array()?.iter();
        let of_part = |part: &Value| ["sold", "held", "free"].map(|name| part[name].as_i64());
        let parts: Vec<_> = parts.map(of_part).collect();
        (!parts.is_empty()).then_some(parts)
    })
    .await;
    let whole = |counts: [i64; 3]| counts.map(Some);
    assert_eq!(parts, [whole([2, 1, 17]), whole([3, 1, 96])]);
    let sold = admin.get(&format!("/admin/programs/{}/sales", concert.program_id)).await.json();
    assert_eq!(sold["sections"][1]["sold"], 3, "the page of sales says the same");

    let page = admin.visit(&live_path(&concert)).await;
    assert_eq!(page.texts("li.live__part:first-child dd"), ["2", "1", "17"], "{}", page.body);
    assert_eq!(page.attribute("li.live__part:first-child .inventory__sold", "width"), "100");
    assert_eq!(page.texts("div.live__part dd"), ["5", "2", "113"], "all of it first");
    let told = page.texts(".live").concat();
    for word in ["line", "Waiting", "Joined", "Let in"] {
        assert!(!told.contains(word), "{word}: {told}");
    }
    assert!(!page.has("#limits") && !page.has("main a[href$='/queue']"), "{}", page.body);
    assert!(page.body.contains("Choosing seats"), "{}", page.body);
    assert!(admin.get(&live_path(&concert)).await.json()["line"].is_null());
    for leading in ["", "/queue"] {
        let from = admin.visit(&format!("/admin/programs/{}{leading}", concert.program_id)).await;
        assert!(from.has(&format!("a[href='{}']", live_path(&concert))), "{}", from.body);
    }
    office.close().await;
}

#[sqlx::test]
async fn refusals_of_all_instances_are_counted_by_reason_each_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(3, "ada").await;
    admit(&db, &concert, &people).await;
    let seat = &concert.seat_ids[..1];
    let taken = hold(&people[0], &concert, seat).await;
    assert_eq!(taken.status, 201, "{}", taken.body);
    for person in &people[1..] {
        assert_eq!(hold(person, &concert, seat).await.code(), "seat-unavailable");
    }
    // A browser is answered with the map again, which is one refusal too.
    let form = [("seat_ids", seat[0].to_string())];
    let path = format!("/schedules/{}/reservations", concert.schedule_id);
    assert_eq!(people[1].submit(&path, &form).await.status, 409);
    assert_eq!(join(&people[1], &concert).await.code(), "token-already-issued");
    // A payment names no program.
    let id = taken.json()["reservation_id"].as_str().unwrap().to_owned();
    let unpaid = people[0].post(&format!("/reservations/{id}/payment"), &()).await;
    assert_eq!(unpaid.code(), "insufficient-points");
    // Neither a stranger nor a reader is refused by the sale.
    assert_eq!(hold(&office.stranger(), &concert, seat).await.status, 401);
    assert_eq!(admin.get(&format!("/programs/{}/queue", concert.slug)).await.status, 404);

    let counts = |live: &Value| {
        let codes = ["seat-unavailable", "token-already-issued", "insufficient-points"];
        codes.map(|code| refused(live, code))
    };
    let live = eventually_live(&admin, &concert, "all refusals", |live| {
        (counts(live) == [(3, 0), (1, 0), (0, 1)]).then(|| live.clone())
    })
    .await;
    assert_eq!(live["refusals"].as_array().unwrap().len(), 3, "{live}");
    assert_eq!(live["refusals"][0]["code"], "seat-unavailable", "the most frequent first");
    let elsewhere = office.moved(&admin, 1).visit(&live_path(&concert)).await;
    let told = elsewhere.texts(".live__reason");
    assert!(told[0].ends_with(" 3") && !told[0].contains("seat-unavailable"), "{told:?}");
    assert!(told.iter().any(|reason| reason.contains("whole office")), "{told:?}");

    let other = Concert::usual(&db).await;
    let live = admin.get(&live_path(&other)).await.json();
    assert_eq!(counts(&live), [(0, 0), (0, 0), (0, 1)], "another program has its own");
    office.close().await;
}

#[sqlx::test]
async fn without_redis_the_page_says_what_it_does_not_know(db: PgPool) {
    let mut redis = PrivateRedis::start().await;
    let office = Office::open_with(db.clone(), 1, &[("REDIS_URL", &redis.url())]).await;
    let concert = with_line(&db, 5).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    assert_eq!(join(&ada, &concert).await.status, 201);
    let clocks = eventually_live(&admin, &concert, "an instance", |live| {
        let instances = live["office"]["instances"].as_array()?;
        instances.first().map(|instance| (instances.len(), instance["clock_ahead_ms"].as_i64()))
    })
    .await;
    assert!(matches!(clocks, (1, Some(_))), "{clocks:?}");
    redis.kill();
    eventually_live(&admin, &concert, "unknown refusals", |live| {
        (live["refusals"].is_null() && live["office"]["instances"].is_null()).then_some(())
    })
    .await;
    let page = admin.visit(&live_path(&concert)).await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert_eq!(page.texts(".live__word"), ["not known right now"], "{}", page.body);
    let live = admin.get(&live_path(&concert)).await.json();
    assert_eq!(live["inside"], 1, "PostgreSQL knows the line: {live}");
    redis.restart().await;
    office.close().await;
}

#[sqlx::test]
async fn the_last_verification_is_told_and_old_ones_are_forgotten(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    for path in ["/admin".to_owned(), live_path(&concert)] {
        let page = admin.visit(&path).await;
        assert!(page.body.contains("Never run"), "{path}: {}", page.body);
    }
    run_sql(
        &db,
        "insert into verifications (id, began_at, took_ms, n_checks, n_violations, broken)
         select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
             now() - make_interval(days => 131 - n), 5, 1, 0, '{}'
         from generate_series(1, 130) n",
    )
    .await;
    let violations = verify::verify(&office.app.db, &office.app.redis).await.unwrap();
    let took = Duration::from_millis(1_200);
    verify::keep_outcome(&office.app.db, took, &violations).await.unwrap();
    let kept: i64 = read_one(&db, "select count(*) from verifications").await;
    assert_eq!(kept, 100);
    let told = admin.get("/admin").await.json()["verification"].clone();
    assert_eq!((&told["took_ms"], &told["n_violations"]), (&json!(1_200), &json!(0)));
    let is_begin = "select max(began_at) <= now() - interval '1.2 seconds' from verifications";
    assert!(read_one::<bool>(&db, is_begin).await, "{told}");
    let page = admin.visit("/admin").await;
    let all = format!("all {} checks hold", told["n_checks"]);
    assert!(page.body.contains(&all), "{}", page.body);

    let charged = admin.post("/wallet/charges", &[("amount", 5)]).await;
    assert_eq!(charged.status, 201, "{}", charged.body);
    run_sql(&db, "update wallets set balance = balance + 5").await;
    let violations = verify::verify(&office.app.db, &office.app.redis).await.unwrap();
    assert!(!violations.is_empty());
    verify::keep_outcome(&office.app.db, took, &violations).await.unwrap();
    let broken = eventually_live(&admin, &concert, "the violations", |live| {
        let told = &live["office"]["verification"];
        (told["n_violations"].as_i64() > Some(0)).then(|| told["broken"].clone())
    })
    .await;
    assert!(broken.as_array().unwrap().contains(&json!("W1")), "{broken}");
    let page = admin.visit(&live_path(&concert)).await;
    let told = page.texts(".live__news .live__fault").concat();
    assert!(told.contains("W1") && told.contains("faults"), "{told}");
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_sale_that_is_paused_sold_out_or_cancelled_says_so(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = with_line(&db, 5).await;
    let admin = office.employ("admin", "ADMIN").await;
    let until = async |state: &'static str, words: &str| {
        eventually_live(&admin, &concert, state, |live| (live["state"] == state).then_some(()))
            .await;
        let page = admin.visit(&live_path(&concert)).await;
        let told = page.texts(".live__state").concat();
        assert!(told.contains(words), "{told}");
        page
    };
    until("on-sale", "On sale").await;
    run_sql(&db, "update schedule_seats set status = 'BLOCKED'").await;
    run_sql(&db, "update zones set hidden_at = now()").await;
    until("sold-out", "Sold out").await;
    let program = format!("/admin/programs/{}", concert.program_id);
    assert_eq!(
        admin.submit(&format!("{program}/queue/pause"), &[("version", "0")]).await.status,
        303
    );
    let page = until("paused", "Paused: nobody is let in").await;
    assert!(page.has(".live__state--stopped"), "{}", page.body);
    run_sql(&db, "update programs set status = 'CANCELLED', cancelled_at = now()").await;
    let page = until("cancelled", "Cancelled").await;
    assert!(!page.has("li.live__part"), "nothing of it is on sale: {}", page.body);
    let unknown = format!("/admin/programs/{}/live", uuid::Uuid::nil());
    assert_eq!(admin.get(&unknown).await.status, 404);
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn one_field_finds_a_person_a_ticket_a_number_and_a_seat_of_this_show(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (concert, other) = (Concert::usual(&db).await, Concert::usual(&db).await);
    let admin = office.employ("admin", "ADMIN").await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let mut bought = Vec::new();
    for show in [&concert, &other] {
        let hold = Hold { seat_ids: &show.seat_ids[..1], ..Hold::default() };
        bought.push(Purchase::make(&db, show, &ada, hold).await);
    }
    let page = admin.visit(&live_path(&concert)).await;
    let form = page.form("form[role=search]");
    assert!(form.contains(&("program".to_owned(), concert.program_id.to_string())), "{form:?}");
    assert_eq!(page.attribute("form[role=search]", "action"), "/admin/reservations");
    let find = async |text: &str| {
        let text = text.replace(' ', "%20");
        let path = format!("/admin/reservations?program={}&q={text}", concert.program_id);
        let found = admin.get(&path).await.json();
        let ids = |list: &str, id: &str| {
            let rows = found[list].as_array().unwrap().iter();
            rows.map(|row| row[id].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>()
        };
        (ids("people", "account_id"), ids("reservations", "id"))
    };
    let theirs: BTreeSet<_> = bought.iter().map(|each| each.reservation_id.to_string()).collect();
    let first = BTreeSet::from([bought[0].reservation_id.to_string()]);
    let who = |person: &Person| BTreeSet::from([person.account_id.to_string()]);
    assert_eq!(find("ada").await, (who(&ada), theirs));
    assert_eq!(find("bob").await, (who(&bob), BTreeSet::new()), "who has nothing is found too");
    let place: String = read_one(
        &db,
        "select s.section || ' ' || s.row_label || '-' || s.number
         from reservation_items i
         join schedule_seats c on c.id = i.schedule_seat_id join seats s on s.id = c.seat_id
         limit 1",
    )
    .await;
    let page = ada.visit(&format!("/reservations/{}", bought[0].reservation_id)).await;
    let number = page.texts("article > p.small.soft").pop().unwrap();
    let number = number.rsplit(' ').next().unwrap().to_owned();
    for text in [&bought[0].codes[0], &number, &place] {
        assert_eq!(find(text).await.1, first, "{text}");
    }
    let shown = admin.visit("/admin/reservations?q=bob").await;
    assert!(shown.has(&format!("a[href='/admin/people/{}']", bob.account_id)), "{}", shown.body);
    office.close().await;
}

#[sqlx::test]
async fn viewers_of_one_second_share_its_figures(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = with_line(&db, 5).await;
    let admin = office.employ("admin", "ADMIN").await;
    let path = live_path(&concert);
    let looks = (0..60).map(|_| admin.get(&path));
    let read = async |look: Answer| -> DateTime<Utc> {
        look.json()["at"].as_str().unwrap().parse().unwrap()
    };
    let mut moments = BTreeSet::new();
    for look in futures_util::future::join_all(looks).await {
        moments.insert(read(look).await);
    }
    moments.insert(read(admin.get(&path).await).await);
    let moments: Vec<_> = moments.into_iter().collect();
    for pair in moments.windows(2) {
        assert!(pair[1] - pair[0] >= TimeDelta::seconds(1), "read twice in a second: {pair:?}");
    }
    office.close().await;
}
