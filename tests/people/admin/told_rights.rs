//! Changes that give the right to a full refund because the office says so, and what stays of others on the tickets.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::{
    told_changes::{calendar, sequence},
    told_moves::{Show, cancel, moment, now},
};
use crate::support::{Hold, Purchase, run_sql};

#[sqlx::test]
async fn somebody_who_does_not_take_part_is_told_and_gives_all_of_it_back_if_the_office_says_so(
    db: PgPool,
) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    let bought = show.buy(&ada, 0).await;
    let page = show.admin.visit(&show.program_path()).await;
    assert!(page.has("form input[name=cancelled_act]"), "{}", page.body);
    assert!(page.has("form input[name=refundable]"), "{}", page.body);
    show.program(&json!({ "cancelled_act": "The Trio", "words_en": "They are stuck." })).await;
    show.program(&json!({ "cancelled_act": "The Choir", "refundable": true })).await;
    let letters = show.letters().await;
    for (letter, words) in
        letters.iter().zip([["The Trio", "They are stuck."], ["The Choir", "full refund until"]])
    {
        for word in words {
            assert!(letter.contains(word), "{word}: {letter}");
        }
    }
    assert!(!letters[0].contains("full refund until"), "{}", letters[0]);
    let order = format!("/reservations/{}", bought.reservation_id);
    for path in [&order, &format!("/tickets/{}", bought.codes[0])] {
        let page = ada.visit(path).await;
        for word in ["The Trio does not take part", "The Choir does not take part"] {
            assert!(page.body.contains(word), "{word}: {}", page.body);
        }
    }
    let told = ada.get(&order).await.json();
    assert!(moment(&told["full_refund_until"]) > now(&db).await, "{told}");
    let entry = calendar(&ada, &bought).await;
    assert!(entry.contains("The Trio does not take part"), "{entry}");
    let refunded = cancel(&ada, bought.reservation_id).await;
    assert_eq!((refunded.status, &refunded.json()["refunded"]), (200, &json!(50_000)));
    show.office.close().await;
}

#[sqlx::test]
async fn an_artist_who_takes_part_after_all_is_told_and_leaves_the_tickets_and_another_is_refused(
    db: PgPool,
) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    let bought = show.buy(&ada, 0).await;
    assert!(!show.admin.visit(&show.program_path()).await.has("select[name=returned_act]"));
    for name in ["The Trio", "The Choir"] {
        show.program(&json!({ "cancelled_act": name })).await;
    }
    let form = show.program_form(&json!({ "returned_act": "The Quartet" })).await;
    let refused = show.admin.post_json(&show.program_path(), &form).await;
    assert_eq!(refused.status, 422, "{}", refused.body);
    assert!(refused.json()["fields"]["returned_act"].is_string(), "{}", refused.body);
    let listed = show.admin.get(&show.program_path()).await.json();
    assert_eq!(listed["cancelled_acts"], json!(["The Choir", "The Trio"]));
    let page = show.admin.visit(&show.program_path()).await;
    assert_eq!(page.body.matches("<option>The ").count(), 2, "{}", page.body);

    let form = json!({ "returned_act": "The Trio", "cancelled_act": "The Band", "words": "Well!" });
    show.program(&form).await;
    let letter = show.letters().await.pop().unwrap();
    for word in ["Takes part after all", "The Trio", "Does not take part", "The Band", "Well!"] {
        assert!(letter.contains(word), "{word}: {letter}");
    }
    let page = ada.visit(&format!("/tickets/{}", bought.codes[0])).await;
    for (name, is_out) in [("The Trio", false), ("The Choir", true), ("The Band", true)] {
        let note = format!("{name} does not take part");
        assert_eq!(page.body.contains(&note), is_out, "{name}: {}", page.body);
    }
    let listed = show.admin.get(&show.program_path()).await.json();
    assert_eq!(listed["cancelled_acts"], json!(["The Band", "The Choir"]));
    // Whom it is said of again does not take part again.
    show.program(&json!({ "cancelled_act": "The Trio" })).await;
    let page = ada.visit(&format!("/tickets/{}", bought.codes[0])).await;
    assert!(page.body.contains("The Trio does not take part"), "{}", page.body);
    show.office.close().await;
}

#[sqlx::test]
async fn another_clock_alone_stays_on_the_tickets_and_an_address_that_was_not_said_is_another_place(
    db: PgPool,
) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    let bought = show.buy(&ada, 0).await;
    let before = calendar(&ada, &bought).await;
    show.venue(&json!({ "time_zone": "Australia/Sydney", "kept": "moment" })).await;
    let ticket = format!("/tickets/{}", bought.codes[0]);
    let page = ada.visit(&ticket).await;
    assert!(page.body.contains("It was shown as"), "{}", page.body);
    assert!(page.body.contains("19:30 KST"), "{}", page.body);
    let after = calendar(&ada, &bought).await;
    assert!(sequence(&after) > sequence(&before) && after.contains("19:30 KST"), "{after}");
    show.venue(&json!({ "time_zone": "Asia/Seoul", "kept": "moment" })).await;
    let page = ada.visit(&ticket).await;
    assert!(!page.body.contains("It was shown as"), "again as it was: {}", page.body);

    run_sql(&db, "delete from outbox").await;
    show.venue(&json!({ "address": "9 Far Away", "elsewhere": true, "words_en": "We moved." }))
        .await;
    let letters = show.letters().await;
    for word in ["9 Far Away", "We moved.", "full refund until"] {
        assert!(letters[0].contains(word), "{word}: {}", letters[0]);
    }
    let told = ada.get(&format!("/reservations/{}", bought.reservation_id)).await.json();
    assert!(moment(&told["full_refund_until"]) > now(&db).await, "{told}");
    assert!(ada.visit(&ticket).await.body.contains("Address: not said before"));
    show.office.close().await;
}

#[sqlx::test]
async fn another_zone_that_is_another_place_gives_all_of_it_back(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let (ada, bob) = (show.office.sign_in("ada").await, show.office.sign_in("bob").await);
    let hold = Hold { places: 1, refund_percent: 0, ..Hold::default() };
    let bought = Purchase::make(&db, &show.concert, &ada, hold).await;
    let seats = &show.concert.seat_ids[..1];
    let hold = Hold { seat_ids: seats, refund_percent: 0, ..Hold::default() };
    let seated = Purchase::make(&db, &show.concert, &bob, hold).await;
    let version = show.version().await;
    let path = format!("{}/zones/{}", show.path(), show.concert.zone_id);
    let form = json!({
        "version": version, "name": "Behind", "price": 30_000, "capacity": 100, "elsewhere": true,
    });
    let saved = show.admin.post_json(&path, &form).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    let told = bob.get(&format!("/reservations/{}", seated.reservation_id)).await.json();
    assert_eq!(told["full_refund_until"], Value::Null, "the seats are where they were: {told}");
    for (person, id, points) in
        [(&ada, bought.reservation_id, 30_000), (&bob, seated.reservation_id, 0)]
    {
        let refunded = cancel(person, id).await;
        assert_eq!((refunded.status, &refunded.json()["refunded"]), (200, &json!(points)));
    }
    show.office.close().await;
}
