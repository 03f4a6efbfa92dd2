//! The page that people pay on.

use sqlx::PgPool;

use super::{charge, held, pay};
use crate::support::{Concert, Hold, Office};

#[sqlx::test]
async fn the_page_says_what_is_bought_what_is_left_and_has_one_button_with_the_price(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, id) = held(&office, 120_000, 2).await;
    let path = format!("/reservations/{id}/payment");
    let page = ada.visit(&path).await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert_eq!(page.count(".button--primary"), 1);
    assert_eq!(page.texts(&format!("form[action='{path}'] button")), ["Pay 100,000 points"]);
    let sums = page.texts(".sum > div");
    for line in [
        "Stalls, row A, seat 150,000 points",
        "Stalls, row A, seat 250,000 points",
        "Total100,000 points",
        "In your wallet120,000 points",
        "Left after paying20,000 points",
    ] {
        assert!(sums.iter().any(|sum| sum == line), "{line}: {sums:?}");
    }
    for part in [".summary__poster svg", "time[datetime]", "[data-countdown]", "#policy"] {
        assert!(page.has(part), "{part}: {}", page.body);
    }
    assert!(page.body.contains("Full refund to your wallet until"), "{}", page.body);
    // Until it is paid the page of the reservation is this one, so the buyer needs no further step.
    let reservation = ada.visit(&format!("/reservations/{id}")).await;
    assert!(reservation.has(&format!("form[action='{path}'] button")), "{}", reservation.body);

    let told = ada.get(&path).await;
    assert_eq!(told.status, 200, "{}", told.body);
    assert_eq!(told.json()["total"], 100_000);
    assert_eq!((&told.json()["usable"], &told.json()["lacking"]), (&120_000.into(), &0.into()));
    let bob = office.sign_in("bob").await;
    assert_eq!(bob.visit(&path).await.status, 404);
    office.close().await;
}

#[sqlx::test]
async fn who_lacks_points_is_offered_the_missing_ones_and_no_payment(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, id) = held(&office, 20_000, 2).await;
    let path = format!("/reservations/{id}/payment");
    let page = ada.visit(&path).await;
    assert!(!page.has(&format!("form[action='{path}']")), "{}", page.body);
    assert_eq!(page.texts(".checkout__short"), ["Still to pay80,000 points"]);
    assert_eq!(page.texts(".button--primary"), ["Top up 80,000 points"]);
    let next = page.attribute("form[action='/wallet/charges'] [name='next']", "value");
    assert_eq!(next, path);
    let charged = ada.submit("/wallet/charges", &[("amount", "80000"), ("next", &next)]).await;
    assert_eq!((charged.status, charged.location()), (303, path.as_str()));
    assert!(ada.visit(&path).await.has(&format!("form[action='{path}'] button")));
    office.close().await;
}

/// A refusal of the charge form stays in the purchase: the page of the hold with its time, and the form as typed.
#[sqlx::test]
async fn a_mistyped_amount_of_points_is_refused_on_the_page_that_is_paid_on(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, id) = held(&office, 20_000, 2).await;
    let path = format!("/reservations/{id}/payment");
    for (amount, typed) in [("8o000", "8o000"), ("0", "0"), ("", "")] {
        let form = [("amount", amount), ("next", &path)];
        let refused = ada.submit("/wallet/charges", &form).await;
        assert_eq!(refused.status, 422, "{}", refused.body);
        assert!(refused.has("[data-countdown]"), "{amount}: {}", refused.body);
        assert!(refused.has(&format!("form[action='/reservations/{id}/cancellation']")));
        assert_eq!(refused.texts(".checkout__short"), ["Still to pay80,000 points"]);
        assert_eq!(refused.count("[role='alert'].form__refusal"), 1, "{}", refused.body);
        assert_eq!(refused.attribute("#charge-amount", "value"), typed);
        let next = "form[action='/wallet/charges'] [name='next']";
        assert_eq!(refused.attribute(next, "value"), path);
    }
    // Points that came meanwhile, by another page.
    charge(&ada, 80_000).await;
    let refused = ada.submit("/wallet/charges", &[("amount", "x"), ("next", &path)]).await;
    assert_eq!(refused.status, 422, "{}", refused.body);
    assert!(refused.has("[role='alert'].form__refusal"), "{}", refused.body);
    assert!(refused.has(&format!("form[action='{path}'] button")), "{}", refused.body);
    // For the reservation of another account, and without one, the wallet page has the refusal.
    let bob = office.sign_in("bob").await;
    for next in [path.as_str(), "/wallet"] {
        let refused = bob.submit("/wallet/charges", &[("amount", "x"), ("next", next)]).await;
        assert_eq!(refused.status, 422, "{}", refused.body);
        assert!(refused.has("form[action='/wallet/transfers']"), "{}", refused.body);
        assert!(!refused.body.contains(&id.to_string()) || next == path, "{}", refused.body);
    }
    let json = ada.post("/wallet/charges", &[("amount", "x"), ("next", &path)]).await;
    assert_eq!((json.status, json.code().as_str()), (422, "invalid"), "{}", json.body);
    office.close().await;
}

/// The way back after a payment, a reload, and a page that was left open.
#[sqlx::test]
async fn once_nothing_is_to_be_paid_the_page_leads_on_to_the_reservation(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, paid) = held(&office, 50_000, 1).await;
    assert_eq!(pay(&ada, paid).await.status, 201);
    let path = |id| format!("/reservations/{id}/payment");
    let led = ada.visit(&path(paid)).await;
    assert_eq!((led.status, led.location()), (303, format!("/reservations/{paid}").as_str()));
    assert_eq!(ada.get(&path(paid)).await.json()["status"], "CONFIRMED");

    let concert = Concert::usual(&db).await;
    let ended = Hold { seat_ids: &concert.seat_ids[..1], ends_in_secs: -1, ..Hold::default() };
    let ended = ended.write(&db, &concert, ada.account_id).await;
    let led = ada.visit(&path(ended)).await;
    assert_eq!((led.status, led.location()), (303, format!("/reservations/{ended}").as_str()));
    let page = ada.visit(led.location()).await;
    assert!(page.body.contains("Time ran out"), "{}", page.body);
    // What a page that was left open sends is refused with a page, and a reload of that one leads on.
    let late = ada.submit(&path(ended), &()).await;
    assert_eq!(late.status, 410, "{}", late.body);
    assert!(late.has("a[href^='/schedules/']"), "{}", late.body);
    office.close().await;
}

#[sqlx::test]
async fn where_people_pay_together_the_page_says_how_much_is_paid(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, id) = held(&office, 200_000, 2).await;
    let shares = format!("/reservations/{id}/shares");
    let place = ada.visit(&format!("{shares}/new")).await.attribute("[name='places']", "value");
    let made = ada.submit(&shares, &[("places", &place)]).await;
    assert_eq!(made.status, 303, "{}", made.body);
    let path = format!("/reservations/{id}/payment");
    let page = ada.visit(&path).await;
    assert!(page.body.contains("Paid so far: 0 of 100,000 points"), "{}", page.body);
    let link = ada.visit(&shares).await.attribute(".share-link__url", "value");
    let link = &link[link.find("/shares/").unwrap()..];
    let bob = office.sign_in("bob").await;
    charge(&bob, 50_000).await;
    assert_eq!(bob.submit(&format!("{link}/payment"), &()).await.status, 303);
    let page = ada.visit(&path).await;
    assert!(page.body.contains("Paid so far: 50,000 of 100,000 points"), "{}", page.body);
    assert!(page.has(&format!("a[href='{shares}']")), "{}", page.body);
    office.close().await;
}
