//! Hand-overs that are refused, and what the refusals hide.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::{Evening, act, handed, kinds, offer, offered};
use crate::support::{
    Concert, ConcertOptions, Hold, Office, Purchase, count, email_of, eventually, read_one,
    run_sql, storm,
};

/// Pending hand-overs of one account, and hand-overs of one in an hour.
const OFFERS_MAX: usize = 20;
const OFFERS_AN_HOUR_MAX: usize = 30;

#[sqlx::test]
async fn what_cannot_be_handed_over_says_why(db: PgPool) {
    let evening = Evening::tonight(&db, 2).await;
    let Evening { office, ada, bob, bought, .. } = &evening;
    let (code, used) = (&bought.codes[0], &bought.codes[1]);
    let door = office.employ("door", "STAFF").await;
    assert_eq!(evening.scan(&door, used).await.status, 201);
    let mine = email_of(&db, ada.account_id).await;
    let his = email_of(&db, bob.account_id).await;
    for (person, code, to, status, refusal) in [
        (ada, used.as_str(), his.as_str(), 409, "hand-over-not-valid"),
        (ada, code, &mine.to_uppercase(), 422, "hand-over-to-oneself"),
        (ada, code, "no address", 422, "invalid"),
        (ada, code, "", 422, "invalid"),
        (bob, code, "carol@example.com", 404, "not-found"),
        (ada, "AAAAAAAAAAAAAAAAAAAAAAAAAA", &his, 404, "not-found"),
        (ada, "nonsense", &his, 404, "not-found"),
    ] {
        let path = format!("/tickets/{code}/hand-overs");
        let refused = person.post_json(&path, &json!({ "to": to })).await;
        assert_eq!((refused.status, refused.code().as_str()), (status, refusal), "{code} {to}");
    }
    offered(&db, ada, code, bob).await;
    let twice = offer(&db, ada, code, &door).await;
    assert_eq!((twice.status, twice.code().as_str()), (409, "hand-over-pending"));
    evening.office.close().await;
}

#[sqlx::test]
async fn once_the_performance_has_begun_or_is_cancelled_no_ticket_changes_hands(db: PgPool) {
    let evening = Evening::tonight(&db, 2).await;
    let Evening { ada, bob, bought, .. } = &evening;
    let path = offered(&db, ada, &bought.codes[0], bob).await;
    // Begun earlier than it was to begin when the ticket was offered.
    run_sql(&db, "update schedules set starts_at = now() - interval '1 second'").await;
    for refused in
        [act(bob, &path, "acceptance").await, offer(&db, ada, &bought.codes[1], bob).await]
    {
        assert_eq!((refused.status, refused.code().as_str()), (409, "hand-over-begun"));
    }
    let page = ada.visit(&format!("/tickets/{}", bought.codes[1])).await;
    assert!(!page.has("details.hand-over"), "{}", page.body);
    run_sql(&db, "update schedules set starts_at = now() + interval '1 hour'").await;
    // Not wound down yet: the worker has not come to this reservation.
    run_sql(
        &db,
        "update programs set status = 'CANCELLED', cancelled_at = now(), wound_down_at = now()",
    )
    .await;
    for refused in
        [act(bob, &path, "acceptance").await, offer(&db, ada, &bought.codes[1], bob).await]
    {
        assert_eq!((refused.status, refused.code().as_str()), (409, "hand-over-not-valid"));
    }
    assert_eq!(act(bob, &path, "declining").await.status, 200);
    evening.office.close_as_it_is().await;
}

#[sqlx::test]
async fn an_address_without_an_account_is_not_told_from_any_other(db: PgPool) {
    let evening = Evening::tonight(&db, 2).await;
    let Evening { ada, bob, bought, .. } = &evening;
    let his = email_of(&db, bob.account_id).await;
    let mut seen = Vec::new();
    for (code, to) in [(&bought.codes[0], his.as_str()), (&bought.codes[1], "nobody@example.com")] {
        let path = format!("/tickets/{code}/hand-overs");
        let answer = ada.post_json(&path, &json!({ "to": to })).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        let path = format!("/hand-overs/{}", answer.json()["hand_over_id"].as_str().unwrap());
        let mut document = ada.get(&path).await.json();
        assert_eq!(document["address"], to);
        for field in ["hand_over_id", "address", "created_at", "expires_at", "number"] {
            document.as_object_mut().unwrap().remove(field);
        }
        let mut page = ada.visit(&path).await.body;
        for own in [to, &path, code.as_str(), "seat 1", "seat 2"] {
            page = page.replace(own, "");
        }
        seen.push((document, page, path));
    }
    assert_eq!(seen[0].0, seen[1].0);
    assert_eq!(seen[0].1, seen[1].1);
    // No account can answer the second, and its sender can end it.
    let path = &seen[1].2;
    assert_eq!(act(bob, path, "acceptance").await.status, 404);
    assert_eq!(bob.get(path).await.status, 404);
    assert_eq!(kinds(&db).await, ["hand-over-offered", "hand-over-waiting"]);
    // A person who signs up later and confirms the address accepts it.
    let lou = evening.office.stranger();
    let form =
        [("email", "nobody@example.com"), ("name", "Lou"), ("password", "a long enough one")];
    assert_eq!(lou.post("/signup", &form).await.status, 201);
    assert_eq!(act(&lou, path, "acceptance").await.status, 404, "the address is not confirmed");
    run_sql(&db, "update accounts set email_confirmed_at = now() where name = 'Lou'").await;
    let answer = eventually("the offer is Lou's", async || {
        let answer = act(&lou, path, "acceptance").await;
        if answer.status == 200 { Ok(answer) } else { Err(answer.body) }
    })
    .await;
    assert!(answer.json()["code"].is_string(), "{}", answer.body);
    assert_eq!(ada.get(path).await.json()["to"], "Lou");
    evening.office.close().await;
}

#[sqlx::test]
async fn each_answer_is_up_to_one_of_the_two(db: PgPool) {
    let evening = Evening::tonight(&db, 1).await;
    let Evening { office, ada, bob, bought, .. } = &evening;
    let eve = office.sign_in("eve").await;
    let path = offered(&db, ada, &bought.codes[0], bob).await;
    for (person, how) in [
        (ada, "acceptance"),
        (ada, "declining"),
        (bob, "cancellation"),
        (&eve, "acceptance"),
        (&eve, "declining"),
        (&eve, "cancellation"),
    ] {
        let refused = act(person, &path, how).await;
        assert_eq!((refused.status, refused.code().as_str()), (404, "not-found"), "{how}");
        assert_eq!(person.submit(&format!("{path}/{how}"), &()).await.status, 404);
    }
    assert_eq!(eve.get(&path).await.status, 404);
    let nowhere = format!("/hand-overs/{}", Uuid::now_v7());
    assert_eq!(act(bob, &nowhere, "acceptance").await.status, 404);
    assert_eq!(act(bob, "/hand-overs/nonsense", "acceptance").await.status, 404);
    assert_eq!(ada.get(&path).await.json()["status"], "PENDING");
    evening.office.close().await;
}

#[sqlx::test]
async fn where_the_line_asks_for_a_confirmed_address_so_does_its_ticket(db: PgPool) {
    let evening = Evening::tonight(&db, 1).await;
    let Evening { ada, bob, bought, .. } = &evening;
    run_sql(&db, "update programs set join_confirmed_address = true").await;
    let path = offered(&db, ada, &bought.codes[0], bob).await;
    let refused = act(bob, &path, "acceptance").await;
    assert_eq!((refused.status, refused.code().as_str()), (403, "hand-over-unconfirmed"));
    let page = bob.submit(&format!("{path}/acceptance"), &()).await;
    let way = page.attribute("[role=alert] a", "href");
    assert_eq!(page.status, 403);
    assert!(way.starts_with("/account/address/confirmation?next=%2Fhand-overs%2F"), "{way}");
    assert_eq!(bob.visit(&way).await.status, 200);
    run_sql(&db, "update accounts set email_confirmed_at = now()").await;
    assert_eq!(act(bob, &path, "acceptance").await.status, 200);
    evening.office.close().await;
}

#[sqlx::test]
async fn a_flood_of_offers_stops_at_the_limit(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let options = ConcertOptions { places_per_account_max: 50, ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let places = i32::try_from(OFFERS_MAX).unwrap() + 5;
    let bought = Purchase::make(&db, &concert, &ada, Hold { places, ..Hold::default() }).await;
    let to = email_of(&db, bob.account_id).await;
    let answers = storm(bought.codes.iter().enumerate().map(|(idx, code)| {
        let (ada, path) = (office.moved(&ada, idx), format!("/tickets/{code}/hand-overs"));
        let form = json!({ "to": to });
        async move { ada.post_json(&path, &form).await }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), OFFERS_MAX, "{answers:?}");
    assert_eq!(count(&answers, 409, "hand-over-limit"), 5, "{answers:?}");

    // A sender who offers and cancels without end fills no mailbox.
    for answer in answers.iter().filter(|answer| answer.status == 201) {
        let path = format!("/hand-overs/{}", answer.json()["hand_over_id"].as_str().unwrap());
        assert_eq!(act(&ada, &path, "cancellation").await.status, 200);
    }
    for _ in OFFERS_MAX..OFFERS_AN_HOUR_MAX {
        let path = offered(&db, &ada, &bought.codes[0], &bob).await;
        assert_eq!(act(&ada, &path, "cancellation").await.status, 200);
    }
    let late = offer(&db, &ada, &bought.codes[0], &bob).await;
    assert_eq!((late.status, late.code().as_str()), (429, "hand-over-too-often"));
    assert!(!late.header("retry-after").is_empty());
    let told = "select count(*) from outbox where kind = 'hand-over-offered'";
    let told: i64 = read_one(&db, told).await;
    assert_eq!(usize::try_from(told).unwrap(), OFFERS_AN_HOUR_MAX);
    office.close().await;
}

#[sqlx::test]
async fn a_ticket_that_has_been_in_fifty_hands_stays_where_it_is(db: PgPool) {
    let evening = Evening::tonight(&db, 1).await;
    let Evening { ada, bob, bought, .. } = &evening;
    let code = handed(&db, ada, &bought.codes[0], bob).await;
    // As if it had gone to and fro since.
    for number in 2..=50 {
        let (from, to) = if number % 2 == 0 { (bob, ada) } else { (ada, bob) };
        let sql = "
            with made as (
                insert into ticket_hand_overs
                    (id, ticket_id, sender_id, recipient_id, status, expires_at, settled_at)
                select gen_random_uuid(), id, $2, $3, 'ACCEPTED', now(), now() from tickets
                returning id, ticket_id)
            insert into ticket_holder_changes (hand_over_id, ticket_id, number, code_hash)
            select id, ticket_id, $1, sha256(id::text::bytea) from made";
        let made = sqlx::query(sql).bind(number).bind(from.account_id).bind(to.account_id);
        made.execute(&db).await.unwrap();
    }
    sqlx::query("update tickets set account_id = $1, code = $2")
        .bind(ada.account_id)
        .bind(code.chars().rev().collect::<String>())
        .execute(&db)
        .await
        .unwrap();
    let code = ada.get("/tickets").await.json()["tickets"][0]["code"].as_str().unwrap().to_owned();
    let refused = offer(&db, ada, &code, bob).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "hand-over-too-many-hands"));
    assert_eq!(ada.visit(&format!("/tickets/{code}")).await.count(".holders__item"), 51);
    evening.office.close().await;
}

/// As where a stranger has logged in to an account and offered its ticket to another.
#[sqlx::test]
async fn no_ticket_is_accepted_from_a_locked_account(db: PgPool) {
    let evening = Evening::tonight(&db, 1).await;
    let Evening { office, ada, bob, bought, .. } = &evening;
    let boss = office.employ("boss", "ADMIN").await;
    let path = offered(&db, ada, &bought.codes[0], bob).await;
    let person = format!("/admin/people/{}", ada.account_id);
    let why = [("reason", "a stolen password")];
    assert_eq!(boss.post(&format!("{person}/lock"), &why).await.status, 200);
    let refused = act(bob, &path, "acceptance").await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "hand-over-frozen"));
    let holder = "select account_id from tickets";
    assert_eq!(read_one::<Uuid>(&db, holder).await, ada.account_id);
    assert_eq!(boss.post(&format!("{person}/unlock"), &why).await.status, 200);
    assert_eq!(act(bob, &path, "acceptance").await.status, 200);
    evening.office.close().await;
}
