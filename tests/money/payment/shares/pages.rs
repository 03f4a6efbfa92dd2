//! Pages of shares in a browser.

use super::*;
use crate::support::{eventually, run_sql};

#[sqlx::test]
async fn the_pages_lead_from_the_reservation_to_the_tickets(db: PgPool) {
    let party = Party::new(&db, 2, 1).await;
    let (ada, bob, id) = (&party.ada, &party.friends[0], party.id);
    let reservation = ada.visit(&format!("/reservations/{id}")).await;
    let shares = format!("/reservations/{id}/shares");
    assert!(reservation.body.contains(&format!("href=\"{shares}\"")), "{}", reservation.body);
    let form = ada.visit(&format!("{shares}/new")).await;
    assert_eq!(form.body.matches("type=\"checkbox\"").count(), 2, "{}", form.body);
    let nothing = ada.submit(&shares, &()).await;
    assert_eq!(nothing.status, 422);
    assert!(nothing.body.contains("Please choose at least one seat"), "{}", nothing.body);
    let place = party.left().await.remove(0);
    let made = ada.submit(&shares, &[("places", &place)]).await;
    assert_eq!((made.status, made.location()), (303, shares.as_str()));
    let page = ada.visit(&shares).await;
    let path = path_of(&party.shown().await["shares"][0]);
    assert!(page.body.contains(&path) && page.body.contains("Here is the link"), "{}", page.body);

    let seen = bob.visit(&path).await;
    assert!(seen.body.contains("ada is going with you"), "{}", seen.body);
    assert_eq!(seen.header("referrer-policy"), "strict-origin");
    let paid = bob.submit(&format!("{path}/payment"), &()).await;
    assert_eq!((paid.status, paid.location()), (303, path.as_str()));
    let seen = bob.visit(&path).await;
    assert!(seen.body.contains("Waiting for the others"), "{}", seen.body);
    let again = bob.submit(&format!("{path}/payment"), &()).await;
    assert_eq!(again.status, 409);
    assert!(again.body.contains("You were not charged"), "{}", again.body);

    let live = ada.visit(&shares).await;
    assert!(live.body.contains("data-live-part=\"shares\""), "{}", live.body);
    assert!(live.body.contains("50,000 of 100,000 points"), "{}", live.body);
    assert!(!live.body.contains(&path), "a link that is paid is not shown: {}", live.body);
    let last = ada.submit(&format!("/reservations/{id}/rest/payment"), &()).await;
    assert_eq!((last.status, last.location()), (303, shares.as_str()));
    assert!(ada.visit(&shares).await.body.contains("Everybody has their own ticket"));
    assert!(bob.visit(&path).await.body.contains("The seat is yours"));
    party.office.close().await;
}

#[sqlx::test]
async fn a_friend_who_is_asked_reads_what_has_changed_since_the_places_were_held(db: PgPool) {
    let party = Party::new(&db, 2, 1).await;
    let (bob, path) = (&party.friends[0], party.share_each(1).await.remove(0));
    let before = bob.get(&path).await.json();
    assert!(before.get("previous_starts_at").is_none() && before.get("changes").is_none());
    let admin = party.office.employ("admin", "ADMIN").await;
    let schedule = format!("/admin/schedules/{}", party.concert.schedule_id);
    let version = admin.get(&schedule).await.json()["schedule"]["version"].clone();
    let moved = json!({ "version": version, "starts_at": "2031-06-16T20:00" });
    assert_eq!(admin.post_json(&schedule, &moved).await.status, 200);
    run_sql(
        &db,
        "insert into schedule_changes (schedule_id, part, was, is_now)
         select id, 'VENUE', 'The Barn', 'A hall' from schedules",
    )
    .await;
    let asked = bob.get(&path).await.json();
    assert_eq!(asked["previous_starts_at"], before["starts_at"], "{asked}");
    assert_eq!(asked["changes"][0]["was"], "The Barn", "{asked}");
    let page = bob.visit(&path).await.body;
    assert!(page.contains("16 Jun 2031") && page.contains("The Barn"), "{page}");
    assert_eq!(page.matches("Moved. It was to begin").count(), 1, "{page}");
    party.office.close().await;
}

#[sqlx::test]
async fn a_friend_hears_the_office_and_sees_the_time_that_is_given_back(db: PgPool) {
    let party = Party::new(&db, 2, 1).await;
    let (bob, path) = (&party.friends[0], party.share_each(1).await.remove(0));
    let admin = party.office.employ("admin", "ADMIN").await;
    let before = bob.visit(&path).await.attribute("[data-countdown]", "data-expires-at");
    let give = format!("/admin/programs/{}/queue/given-time", party.concert.program_id);
    let body = json!({ "minutes": 5, "reason": "the card network was slow" });
    assert_eq!(admin.post_json(&give, &body).await.status, 200);
    // An instance knows of another's change of a program a moment later.
    let page = eventually("the note", async || {
        let page = bob.visit(&path).await;
        let notes = page.texts("[data-given-time] .notice");
        if notes.iter().any(|note| note.contains("5 minutes more")) { Ok(page) } else { Err(notes) }
    })
    .await;
    assert_ne!(page.attribute("[data-countdown]", "data-expires-at"), before);
    let heard = format!("/programs/{}/announcements", party.concert.slug);
    assert_eq!(page.attribute("[data-announcements]", "data-announcements"), heard);
    assert!(page.has("script[src*='announcements']") && page.has("[data-told-end]"));
    party.office.close().await;
}

#[sqlx::test]
async fn who_lacks_points_is_led_to_the_wallet(db: PgPool) {
    let party = Party::new(&db, 2, 0).await;
    let path = party.share_each(1).await.remove(0);
    let bob = party.office.sign_in("bob").await;
    let page = bob.visit(&path).await;
    assert!(page.body.contains("You&#39;re 50,000 points short"), "{}", page.body);
    assert!(!page.body.contains("/payment\""), "{}", page.body);
    party.office.close().await;
}
