//! Accounts with unpaid places or wishes: a cancellation and new prices reach them by mail.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::told_moves::Show;
use crate::support::{
    Answer, Concert, Hold, MailServer, Person, eventually, read_all, read_one, run_sql, storm,
};

const CANCELLED: &str = "select left(recipient, 3) || ' ' || (payload ->> 'is_waiting') from outbox
    where kind = 'performance-cancelled' order by 1";
const REPRICED: &str =
    "select left(recipient, 3) from outbox where kind = 'prices-changed' order by 1";

/// Writes the wish `number` of a performance's list, for one place anywhere, at a price that none has.
pub(super) async fn wish(db: &PgPool, schedule_id: Uuid, account_id: Uuid, number: i64) {
    let sql = "with listed as (
            update waiting_lists set next_number = $3 + 1, waiting = waiting + 1 where schedule_id = $1
        )
        insert into wishes
            (id, schedule_id, program_id, account_id, number, places, price_max, is_together)
        select gen_random_uuid(), id, program_id, $2, $3, 1, 1, false from schedules where id = $1";
    let query = sqlx::query(sql).bind(schedule_id).bind(account_id).bind(number);
    query.execute(db).await.unwrap();
}

async fn told(db: &PgPool, sql: &'static str) -> Vec<String> {
    read_all(db, sql).await
}

async fn cancel(admin: &Person, path: &str, version: &str) -> Answer {
    let form = [("version", version), ("reason", "The singer is ill.")];
    admin.post(&format!("{path}/cancellation"), &form).await
}

/// Has ada pay, bob hold, and cleo and bob wait for one date, and cleo and dora for another.
async fn fill(show: &Show, other: &Concert) -> [Person; 4] {
    let db = &show.office.db;
    let names = ["ada", "bob", "cleo", "dora"];
    let mut people = Vec::new();
    for name in names {
        people.push(show.office.sign_in(name).await);
    }
    let [ada, bob, cleo, dora]: [Person; 4] = people.try_into().ok().unwrap();
    show.buy(&ada, 0).await;
    let held = Hold { seat_ids: &show.concert.seat_ids[1..2], ..Hold::default() };
    held.write(db, &show.concert, bob.account_id).await;
    for (number, person) in [(1, &cleo), (2, &bob)] {
        wish(db, show.concert.schedule_id, person.account_id, number).await;
    }
    for (number, person) in [(1, &cleo), (2, &dora)] {
        wish(db, other.schedule_id, person.account_id, number).await;
    }
    run_sql(db, "delete from outbox").await;
    [ada, bob, cleo, dora]
}

#[sqlx::test]
async fn who_holds_or_waits_for_places_of_a_cancelled_date_is_told_once_and_the_other_dates_are_not(
    db: PgPool,
) {
    let server = MailServer::start();
    let show = Show::open_mailing(&db, &server).await;
    let other = show.concert.another_date(&db, 1).await;
    fill(&show, &other).await;
    let asked = show.admin.get(&format!("{}/cancellation", show.path())).await.json();
    assert_eq!(
        (&asked["concerned"]["waiting"], &asked["concerned"]["held"]),
        (&2.into(), &1.into())
    );
    let form = cancel(&show.admin, &show.path(), &show.version().await).await;
    assert_eq!(form.status, 200, "{}", form.body);
    assert_eq!(told(&db, CANCELLED).await, ["bob false", "cle true"]);
    let mails = eventually("the mails about the end", async || {
        let mut mails = server.received();
        mails.retain(|mail| mail.header("Subject") == "A performance of A concert is cancelled");
        if mails.len() < 2 { Err(mails.len()) } else { Ok(mails) }
    })
    .await;
    for mail in &mails {
        let is_held = mail.header("To").contains("bob");
        assert_eq!(mail.text.contains("places that you held"), is_held, "{}", mail.text);
        assert_eq!(mail.text.contains("on the waiting list has ended"), !is_held, "{}", mail.text);
        for part in [&mail.text, &mail.html] {
            assert!(part.contains("2 May 2031") && part.contains(&show.concert.slug), "{part}");
            assert!(!part.contains("singer"), "the reason is for the log: {part}");
        }
    }
    let again = cancel(&show.admin, &show.path(), &show.version().await).await;
    assert_eq!(again.status, 409, "{}", again.body);
    assert_eq!(told(&db, CANCELLED).await.len(), 2);

    // The whole show: accounts with wishes for the other date get a mail about the show.
    let path = format!("/admin/programs/{}", show.concert.program_id);
    let version = show.admin.get(&path).await.json()["program"]["version"].to_string();
    let ended = cancel(&show.admin, &path, &version).await;
    assert_eq!(ended.status, 200, "{}", ended.body);
    assert_eq!(told(&db, CANCELLED).await, ["bob false", "cle true", "cle true", "dor true"]);
    let sql = "select id from outbox where kind = 'performance-cancelled'
        and payload ->> 'schedule_id' is null limit 1";
    let path = format!("/admin/mails/{}", read_one::<Uuid>(&db, sql).await);
    let letter = show.admin.visit(&path).await;
    assert!(letter.body.contains("A concert was cancelled"), "{}", letter.body);
    assert!(!letter.body.contains("2 May 2031"), "{}", letter.body);
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn the_end_of_a_show_is_told_once_however_many_of_its_dates_somebody_waits_for(db: PgPool) {
    let show = Show::open_on(&db, 2, &[]).await;
    let other = show.concert.another_date(&db, 1).await;
    fill(&show, &other).await;
    let path = format!("/admin/programs/{}", show.concert.program_id);
    let version = show.admin.get(&path).await.json()["program"]["version"].to_string();
    let answers = storm((0..4).map(|nth| {
        let (admin, path) = (show.office.moved(&show.admin, nth % 2), path.clone());
        let version = version.clone();
        async move { cancel(&admin, &path, &version).await }
    }))
    .await;
    let mut answers: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    answers.sort_unstable();
    assert_eq!(answers, [200, 409, 409, 409]);
    assert_eq!(told(&db, CANCELLED).await, ["bob false", "cle true", "dor true"]);
    let written = "select count(distinct id) from (
        select xmin::text as id from outbox where kind = 'performance-cancelled'
        union all select xmin::text from audit_log where act = 'program-cancelled') written";
    assert_eq!(read_one::<i64>(&db, written).await, 1, "in the transaction of the act");
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn who_waits_for_a_section_is_told_when_it_is_hidden_and_when_it_is_shown_again(db: PgPool) {
    const HIDDEN: &str = "select left(recipient, 3) || ' ' || (payload ->> 'is_hidden') from outbox
        where kind = 'section-hidden' order by position";
    let show = Show::open(&db, &[]).await;
    let other = show.concert.another_date(&db, 1).await;
    fill(&show, &other).await;
    let waits = "update wishes set section = z.name, zone_id = z.id from zones z
        where z.schedule_id = wishes.schedule_id and wishes.number = 2";
    run_sql(&db, waits).await;
    run_sql(&db, "update wishes set section = 'Stalls' where number = 1").await;
    let path = format!("{}/hidden-sections", show.path());
    let set = async |section: &str, act: &str| {
        let version = show.version().await;
        let form = json!({ "version": version, "section": section, "act": act });
        show.admin.post_json(&path, &form).await.json()["changed"].as_i64().unwrap()
    };
    assert!(set("Stalls", "hide").await > 0);
    assert_eq!(told(&db, HIDDEN).await, ["cle true"], "bob waits for the zone, dora for another");
    set("Stalls", "hide").await;
    assert_eq!(told(&db, HIDDEN).await.len(), 1, "it was hidden before");
    set("Standing", "hide").await;
    set("Stalls", "show").await;
    assert_eq!(told(&db, HIDDEN).await, ["cle true", "bob true", "cle false"]);
    let mails: Vec<Uuid> =
        read_all(&db, "select id from outbox where kind = 'section-hidden' order by position")
            .await;
    for (mail, words) in
        [(mails[0], "not on sale to everybody"), (mails[2], "on sale to everybody again")]
    {
        let letter = show.admin.visit(&format!("/admin/mails/{mail}")).await;
        for words in [words, "Stalls", "2 May 2031"] {
            assert!(letter.body.contains(words), "{words}: {}", letter.body);
        }
    }
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn who_waits_for_places_is_told_their_new_prices_and_who_waits_for_others_is_not(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let other = show.concert.another_date(&db, 1).await;
    let [ada, ..] = fill(&show, &other).await;
    let set = async |section: &str, price: i64| {
        let form = json!({ "version": show.version().await, "section": section, "price": price });
        let saved = show.admin.post_json(&format!("{}/prices", show.path()), &form).await;
        assert_eq!(saved.status, 200, "{}", saved.body);
    };
    set("Stalls", 50_000).await;
    assert_eq!(told(&db, REPRICED).await.len(), 0, "it is the price that they had");
    set("Stalls", 61_000).await;
    assert_eq!(told(&db, REPRICED).await, ["bob", "cle"], "ada has paid, dora waits for another");
    let sql = "select id from outbox where kind = 'prices-changed' limit 1";
    let mail: Uuid = read_one(&db, sql).await;
    let letter = show.admin.visit(&format!("/admin/mails/{mail}")).await;
    for word in ["Stalls", "61,000", "50,000", "waiting list you are on", "2 May 2031"] {
        assert!(letter.body.contains(word), "{word}: {}", letter.body);
    }
    let page = ada.get("/reservations").await;
    assert_eq!(page.status, 200, "{}", page.body);

    // A wish for the zone alone hears of its price, and not of the price of seats.
    run_sql(&db, "delete from outbox").await;
    run_sql(
        &db,
        "update wishes set section = 'Standing', zone_id = z.id from zones z
            where z.schedule_id = wishes.schedule_id and wishes.number = 2",
    )
    .await;
    set("Stalls", 62_000).await;
    assert_eq!(told(&db, REPRICED).await, ["cle"]);
    let zone = async |price: i64| {
        let path = format!("{}/zones/{}", show.path(), show.concert.zone_id);
        let form = json!({ "version": show.version().await, "name": "Standing", "price": price, "capacity": 100 });
        let saved = show.admin.post_json(&path, &form).await;
        assert_eq!(saved.status, 200, "{}", saved.body);
    };
    zone(30_000).await;
    assert_eq!(told(&db, REPRICED).await, ["cle"]);
    zone(33_000).await;
    assert_eq!(told(&db, REPRICED).await, ["bob", "cle", "cle"]);
    show.office.close_as_it_is().await;
}
