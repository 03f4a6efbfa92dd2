//! Tickets that are not exchanged, when an exchange is begun and when it is to be paid.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::{SEAT, Swap, begin, code_of, come_in_again, expect_refused, held};
use crate::{
    payment::{assert_sound, cancel, pay},
    support::{
        Answer, ConcertOptions, Hold, Purchase, admit, email_of, hold, hold_places, order_path,
        read_all, read_one, run_sql,
    },
};

async fn end(swap: &Swap) -> Answer {
    let id: Uuid =
        read_one(&swap.office.db, "select id from exchanges where status = 'OPEN'").await;
    swap.ada.post(&format!("/exchanges/{id}/cancellation"), &()).await
}

/// A show without a fee is exchanged by staff alone; an order keeps what its show offered when it was made.
#[sqlx::test]
async fn what_is_not_offered_or_over_is_not_exchanged(db: PgPool) {
    let swap = Swap::usual(&db).await;
    run_sql(&db, "update programs set exchange_fee = null").await;
    expect_refused(&swap.begin(&[0]).await, 409, "exchange-not-offered");
    let page = swap.ada.visit(&swap.path()).await;
    assert!(!page.has("[name='codes']"), "{}", page.body);
    let order = swap.ada.visit(&format!("/reservations/{}", swap.bought.reservation_id)).await;
    assert!(!order.has(&format!("a[href='{}']", swap.path())), "{}", order.body);
    run_sql(&db, "update programs set exchange_fee = 0, exchange_until_hours = 169").await;
    expect_refused(&swap.begin(&[0]).await, 409, "exchange-over");
    // A date that moves takes the end of its exchanges with it.
    run_sql(&db, "update schedules set starts_at = starts_at + interval '2 hours'").await;
    let begun = swap.begin(&[0]).await.json();
    assert_eq!(begun["worth"], SEAT, "{begun}");
    let order = held(&hold(&swap.ada, &swap.concert, &swap.concert.seat_ids[4..5]).await);
    run_sql(&db, "update schedules set starts_at = starts_at - interval '2 hours'").await;
    expect_refused(&pay(&swap.ada, order).await, 409, "exchange-over");
    assert_eq!(end(&swap).await.status, 200);
    assert_eq!(pay(&swap.ada, order).await.status, 201, "it is paid as any other");
    assert_eq!(swap.seat(0).await, "RESERVED");
    assert_sound(&swap.office).await;
    swap.office.close_as_it_is().await;
}

/// No other places are held after the end of the sale, so no exchange begins then; one that was begun before is paid.
#[sqlx::test]
async fn after_the_end_of_the_sale_none_is_begun_and_what_is_held_is_paid(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let order = swap.begun(&[0], 4).await;
    let page = format!("/reservations/{}", swap.bought.reservation_id);
    let link = format!("a[href='{}']", swap.path());
    assert!(swap.ada.visit(&page).await.has(&link));
    run_sql(&db, "update programs set off_sale_at = now()").await;
    assert_eq!(pay(&swap.ada, order).await.status, 201);
    expect_refused(&swap.begin(&[1]).await, 409, "exchange-over");
    assert!(!swap.ada.visit(&page).await.has(&link));
    let ticket = swap.ada.visit(&format!("/tickets/{}", swap.code(1).await)).await;
    assert!(!ticket.has(&link), "{}", ticket.body);
    assert_sound(&swap.office).await;
    swap.office.close().await;
}

/// Two tabs: what the second one asks for has gone with the first.
#[sqlx::test]
async fn the_form_of_an_order_whose_tickets_have_gone_says_why_it_is_refused(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let page = swap.ada.visit(&swap.path()).await;
    let form = [
        ("codes", page.attribute("[name='codes']", "value")),
        ("request_key", page.attribute("[name='request_key']", "value")),
    ];
    assert_eq!(cancel(&swap.ada, swap.bought.reservation_id).await.status, 200);
    let refused = swap.ada.submit(&swap.path(), &form).await;
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert!(refused.has(".notice--refusal, [role='alert']"), "{}", refused.body);
    swap.office.close().await;
}

#[sqlx::test]
async fn an_order_keeps_the_fee_and_the_end_that_were_said_when_it_was_made(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let order = held(&hold(&swap.ada, &swap.concert, &swap.concert.seat_ids[4..5]).await);
    run_sql(&db, "update programs set exchange_fee = 40000, exchange_until_hours = 8000").await;
    assert_eq!(pay(&swap.ada, order).await.status, 201);
    let codes = [code_of(&db, swap.concert.seat_ids[4]).await];
    let begun = begin(&swap.ada, order, &codes).await.json();
    assert_eq!(begun["worth"], 49_000, "{begun}");
    run_sql(&db, "update programs set exchange_fee = 60000").await;
    assert_eq!(end(&swap).await.status, 200);
    // What was not said goes by what the show says now, and no ticket is worth less than nothing.
    run_sql(&db, "update programs set exchange_until_hours = 0").await;
    let begun = swap.begin(&[0]).await.json();
    assert_eq!(begun["worth"], 0, "{begun}");
    swap.office.close().await;
}

#[sqlx::test]
async fn a_ticket_that_is_somewhere_else_is_not_exchanged(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let (ada, bob) = (&swap.ada, swap.office.sign_in("bob").await);
    let (first, second, id) = (swap.code(0).await, swap.code(1).await, swap.bought.reservation_id);
    expect_refused(&begin(&bob, id, std::slice::from_ref(&first)).await, 404, "not-found");
    expect_refused(&begin(ada, id, &[]).await, 422, "exchange-no-tickets");
    expect_refused(&begin(ada, id, &[first.clone(), first.clone()]).await, 422, "invalid");
    let put = ada.post_json(&format!("/tickets/{first}/returns"), &json!({})).await.json();
    expect_refused(&swap.begin(&[0]).await, 409, "ticket-refund-on-sale");
    let taken = format!("/returns/{}/cancellation", put["return_id"].as_str().unwrap());
    assert_eq!(ada.post(&taken, &()).await.status, 200);

    let to = json!({ "to": email_of(&db, bob.account_id).await });
    let offer = ada.post_json(&format!("/tickets/{second}/hand-overs"), &to).await.json();
    expect_refused(&swap.begin(&[1]).await, 409, "ticket-refund-offered");
    let path = format!("/hand-overs/{}/acceptance", offer["hand_over_id"].as_str().unwrap());
    let accepted = bob.post(&path, &()).await.json();
    let theirs = accepted["code"].as_str().unwrap().to_owned();
    expect_refused(&swap.begin(&[0, 1]).await, 404, "not-found");
    expect_refused(&begin(&bob, id, &[theirs]).await, 404, "not-found");

    let given = ada.post_json(&format!("/tickets/{first}/refund"), &json!({})).await;
    assert_eq!(given.status, 201, "{}", given.body);
    expect_refused(&swap.begin(&[0]).await, 409, "ticket-refund-not-valid");
    assert_sound(&swap.office).await;
    swap.office.close().await;
}

/// A cancelled date gives everything back, and its tickets pay for nothing until then.
#[sqlx::test]
async fn a_ticket_of_a_cancelled_date_does_not_pay(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let later = swap.concert.another_date(&db, 3).await;
    assert_eq!(swap.begin(&[0]).await.status, 201);
    let order = held(&hold_places(&swap.ada, &later, 1).await);
    let cancelled = "update schedules set cancelled_at = now() where starts_at = (select min(starts_at) from schedules)";
    run_sql(&db, cancelled).await;
    expect_refused(&pay(&swap.ada, order).await, 409, "ticket-refund-not-valid");
    swap.office.close_as_it_is().await;
}

/// An exchange keeps its tickets from nothing until it is paid, and what happened to them meanwhile is seen then.
#[sqlx::test]
async fn a_ticket_that_was_used_or_given_away_meanwhile_does_not_pay(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let (before, order) = (swap.balance().await, swap.begun(&[0, 1], 4).await);
    let used = "update tickets set status = 'USED', used_at = now() where code = $1";
    sqlx::query(used).bind(swap.code(1).await).execute(&db).await.unwrap();
    let late = pay(&swap.ada, order).await;
    expect_refused(&late, 409, "ticket-refund-not-valid");
    assert_eq!(late.json()["ticket_status"], "USED");
    assert_eq!((swap.balance().await, swap.seat(0).await), (before, "RESERVED".into()));
    expect_refused(&swap.begin(&[0]).await, 409, "exchange-held");
    assert_eq!(cancel(&swap.ada, order).await.status, 200);
    let (bob, order) = (swap.office.sign_in("bob").await, swap.begun(&[0], 4).await);
    let to = json!({ "to": email_of(&db, bob.account_id).await });
    let path = format!("/tickets/{}/hand-overs", swap.code(0).await);
    let offer = swap.ada.post_json(&path, &to).await.json();
    expect_refused(&pay(&swap.ada, order).await, 409, "ticket-refund-offered");
    let path = format!("/hand-overs/{}", offer["hand_over_id"].as_str().unwrap());
    let accepted = bob.post(&format!("{path}/acceptance"), &()).await.json();
    expect_refused(&pay(&swap.ada, order).await, 409, "exchange-given-away");
    let path = format!("/tickets/{}/hand-overs", accepted["code"].as_str().unwrap());
    let to = json!({ "to": email_of(&db, swap.ada.account_id).await });
    let offer = bob.post_json(&path, &to).await.json();
    let path = format!("/hand-overs/{}", offer["hand_over_id"].as_str().unwrap());
    assert_eq!(swap.ada.post(&format!("{path}/acceptance"), &()).await.status, 200);
    assert_eq!(cancel(&swap.ada, order).await.status, 200);
    let again = swap.begun(&[0], 4).await;
    assert_eq!(pay(&swap.ada, again).await.status, 201);
    assert_sound(&swap.office).await;
    swap.office.close().await;
}

#[sqlx::test]
async fn tickets_that_the_rest_of_their_order_needs_stay_in_it(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let (ada, seats) = (&swap.ada, &swap.concert.seat_ids);
    for sql in [
        "update seats set kind = 'WHEELCHAIR' where row_label = 'A' and number = 7",
        "update seats set kind = 'COMPANION', companion_of = 7 where row_label = 'A' and number = 8",
        "update schedule_seats c set kind = s.kind, wheelchair_seat_id = case s.kind
             when 'COMPANION' then (select id from seats where kind = 'WHEELCHAIR') end
         from seats s where s.id = c.seat_id",
    ] {
        run_sql(&db, sql).await;
    }
    let order = json!({ "seat_ids": &seats[6..8], "needed": true, "request_key": Uuid::now_v7() });
    let order = held(&ada.post_json(&order_path(&swap.concert), &order).await);
    assert_eq!(pay(ada, order).await.status, 201);
    come_in_again(ada, &swap.concert).await;
    let (chair, beside) = (code_of(&db, seats[6]).await, code_of(&db, seats[7]).await);
    let alone = begin(ada, order, std::slice::from_ref(&chair)).await;
    expect_refused(&alone, 409, "leaves-companion-alone");
    // Both together, or the companion's alone, leave nobody behind.
    assert_eq!(begin(ada, order, std::slice::from_ref(&beside)).await.status, 201);
    assert_eq!(begin(ada, order, &[chair, beside]).await.status, 201);
    let places = held(&hold_places(ada, &swap.concert, 2).await);
    assert_eq!(pay(ada, places).await.status, 201);
    run_sql(&db, "update reservations set places_min = 2").await;
    expect_refused(&swap.begin(&[0]).await, 409, "leaves-too-few");
    assert_eq!(swap.begin(&[0, 1]).await.status, 201);
    swap.office.close().await;
}

#[sqlx::test]
async fn the_places_of_given_tickets_are_beside_the_bound_until_the_exchange_ends(db: PgPool) {
    let options = ConcertOptions { places_per_account_max: 2, ..ConcertOptions::default() };
    let swap = Swap::with(&db, options).await;
    let (ada, concert) = (&swap.ada, &swap.concert);
    expect_refused(&hold(ada, concert, &concert.seat_ids[4..5]).await, 409, "account-limit");
    assert_eq!(swap.begin(&[0, 1]).await.status, 201);
    expect_refused(&hold(ada, concert, &concert.seat_ids[4..7]).await, 409, "account-limit");
    let order = held(&hold(ada, concert, &concert.seat_ids[4..6]).await);
    expect_refused(&hold(ada, concert, &concert.seat_ids[7..8]).await, 409, "account-limit");
    expect_refused(&end(&swap).await, 409, "exchange-needed");
    expect_refused(&swap.begin(&[0]).await, 409, "exchange-held");
    assert_eq!(cancel(ada, order).await.status, 200);
    assert_eq!(end(&swap).await.status, 200);
    expect_refused(&hold(ada, concert, &concert.seat_ids[4..5]).await, 409, "account-limit");
    assert_eq!(swap.begin(&[0, 1]).await.status, 201);
    let order = held(&hold(ada, concert, &concert.seat_ids[4..6]).await);
    assert_eq!(pay(ada, order).await.status, 201);
    assert_sound(&swap.office).await;
    swap.office.close().await;
}

#[sqlx::test]
async fn places_that_tickets_pay_for_are_not_shared_and_a_share_is_not_exchanged(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let (ada, bob) = (&swap.ada, swap.office.sign_in("bob").await);
    assert_eq!(bob.post("/wallet/charges", &[("amount", 200_000)]).await.status, 201);
    let order = swap.begun(&[0], 4).await;
    let shares = format!("/reservations/{order}/shares");
    let left = ada.get(&shares).await.json()["left"].clone();
    let refused = ada.post_json(&shares, &json!({ "places": [left[0]["place"]] })).await;
    expect_refused(&refused, 409, "share-of-exchange");
    assert_eq!(pay(ada, order).await.status, 201);

    let two = Hold { seat_ids: &swap.concert.seat_ids[6..8], ..Hold::default() };
    let shared = two.write(&db, &swap.concert, ada.account_id).await;
    let shares = format!("/reservations/{shared}/shares");
    let left = ada.get(&shares).await.json()["left"].clone();
    let share = ada.post_json(&shares, &json!({ "places": [left[0]["place"]] })).await.json();
    let url = share["url"].as_str().unwrap();
    let link = format!("{}/payment", &url[url.find("/shares/").unwrap()..]);
    assert_eq!(bob.post(&link, &()).await.status, 201);
    assert_eq!(ada.post(&format!("/reservations/{shared}/rest/payment"), &()).await.status, 201);
    let of_bob =
        "select code from tickets where account_id = (select payer_id from shares limit 1)";
    let of_bob: String = read_one(&db, of_bob).await;
    expect_refused(&begin(&bob, shared, &[of_bob]).await, 404, "not-found");
    let own = "select code from tickets t join reservation_items i on i.id = t.reservation_item_id
        join reservations r on r.id = i.reservation_id where r.is_shared and t.account_id = r.account_id";
    let own: String = read_one(&db, own).await;
    assert_eq!(begin(ada, shared, &[own]).await.status, 201);
    swap.office.close().await;
}

#[sqlx::test]
async fn tickets_of_two_orders_and_of_another_show_are_not_one_exchange(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let one = Hold { seat_ids: &swap.concert.seat_ids[8..9], ..Hold::default() };
    let other = Purchase::make(&db, &swap.concert, &swap.ada, one).await;
    let codes = [swap.code(0).await, other.codes[0].clone()];
    expect_refused(&begin(&swap.ada, swap.bought.reservation_id, &codes).await, 404, "not-found");
    expect_refused(
        &begin(&swap.ada, swap.bought.reservation_id, &other.codes).await,
        404,
        "not-found",
    );
    assert_eq!(swap.begin(&[0]).await.status, 201);
    let elsewhere = crate::support::Concert::usual(&db).await;
    admit(&db, &elsewhere, std::slice::from_ref(&swap.ada)).await;
    let order = held(&hold_places(&swap.ada, &elsewhere, 1).await);
    let before = swap.balance().await;
    assert_eq!(pay(&swap.ada, order).await.status, 201);
    assert_eq!(swap.balance().await, before - 30_000, "an exchange pays for its own show alone");
    assert_eq!(end(&swap).await.status, 200);
    swap.office.close().await;
}

#[sqlx::test]
async fn an_exchange_that_is_open_ends_with_its_account(db: PgPool) {
    let swap = Swap::usual(&db).await;
    assert_eq!(swap.begin(&[0]).await.status, 201);
    let mine = swap.ada.get("/account/data.json").await.json();
    assert_eq!(mine["exchanges"]["rows"][0]["status"], "OPEN", "{mine}");
    run_sql(&db, "update schedules set starts_at = now() - interval '1 hour'").await;
    let given_up = [("points", swap.balance().await)];
    let deleted = swap.ada.post("/account/deletion", &given_up).await;
    assert_eq!(deleted.status, 200, "{}", deleted.body);
    let statuses: Vec<String> = read_all(&db, "select status from exchanges").await;
    assert_eq!(statuses, ["ENDED"]);
    assert_sound(&swap.office).await;
    swap.office.close().await;
}
