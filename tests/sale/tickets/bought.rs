//! The tickets of one reservation, side by side: where a payment leads to.

use sqlx::PgPool;
use uuid::Uuid;

use super::buy;
use crate::support::{Concert, Office, Pdf, Person, read_one_with, run_sql, run_sql_with};

async fn reservation_of(db: &PgPool, person: &Person) -> Uuid {
    let found = "select id from reservations where account_id = $1";
    read_one_with(db, found, person.account_id).await
}

#[sqlx::test]
async fn the_page_has_each_ticket_and_what_happens_next(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, codes) = buy(&office, &concert, 1, 1).await;
    let id = reservation_of(&db, &ada).await;
    let path = format!("/reservations/{id}/tickets");
    let page = ada.visit(&path).await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert_eq!(page.texts(".pass__place"), ["Stalls, row A, seat 1", "Standing, standing"]);
    for code in &codes {
        for part in [
            format!(".pass img[src='/tickets/{code}.svg']"),
            format!(".pass[id='{code}'] a[href='/tickets/{code}']"),
            format!(".bought__numbers a[href='#{code}']"),
        ] {
            assert!(page.has(&part), "{part}: {}", page.body);
        }
        let ticket = ada.visit(&format!("/tickets/{code}")).await;
        assert!(ticket.has(&format!("a[href='{path}#{code}']")), "{}", ticket.body);
    }
    for file in ["tickets.ics", "tickets.pdf", "tickets-a4.pdf"] {
        assert!(page.has(&format!("a[href='/reservations/{id}/{file}']")), "{file}");
    }
    let shared = page.attribute("[data-share]", "href");
    assert!(shared.ends_with(&format!("/programs/{}", concert.slug)), "{shared}");
    // The organiser has not said when the doors open, and no mail server is set.
    assert!(!page.body.contains("Doors open"), "{}", page.body);
    assert!(!page.body.contains("on their way to your email"), "{}", page.body);
    assert!(page.body.contains("Or cancel for a refund until"), "{}", page.body);
    let told = ada.get(&path).await.json();
    assert_eq!(told["tickets"].as_array().unwrap().len(), 2);
    let number = told["number"].as_str().unwrap();
    assert!(page.body.contains(&format!("Reservation {number}")), "{}", page.body);
    office.close().await;
}

/// The joy is of the first moment: a reload is calm.
#[sqlx::test]
async fn a_payment_opens_it_with_joy_and_a_second_look_is_calm(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    assert_eq!(ada.post("/wallet/charges", &[("amount", 50_000)]).await.status, 201);
    let hold = crate::support::Hold { seat_ids: &concert.seat_ids[..1], ..Default::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    let paid = ada.submit(&format!("/reservations/{id}/payment"), &()).await;
    let first = ada.visit(paid.location()).await;
    assert!(first.has(".joy"), "{}", first.body);
    assert_eq!(first.texts("h1"), ["The seats are yours"]);
    assert!(first.has(".notice--good[role='status']"), "{}", first.body);
    let second = ada.visit(paid.location()).await;
    assert!(!second.has(".joy") && second.has(".pass"), "{}", second.body);
    office.close().await;
}

#[sqlx::test]
async fn it_shows_only_what_one_has_and_ends_with_the_tickets(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, codes) = buy(&office, &concert, 2, 0).await;
    let id = reservation_of(&db, &ada).await;
    let path = format!("/reservations/{id}/tickets");
    let bob = office.sign_in("bob").await;
    for path in [&path, &format!("{path}.ics"), &format!("/reservations/{id}/tickets-a4.pdf")] {
        assert_eq!(bob.visit(path).await.status, 404, "{path}");
        assert!(office.stranger().visit(path).await.location().starts_with("/login"), "{path}");
    }
    // As after a hand-over: each has one of them.
    let new_code = "A".repeat(26);
    sqlx::query("update tickets set account_id = $1, code = $2 where code = $3")
        .bind(bob.account_id)
        .bind(&new_code)
        .bind(&codes[1])
        .execute(&db)
        .await
        .unwrap();
    for (person, code) in [(&ada, &codes[0]), (&bob, &new_code)] {
        let page = person.visit(&path).await;
        assert_eq!(page.count(".pass"), 1, "{}", page.body);
        assert!(page.has(&format!(".pass[id='{code}']")), "{}", page.body);
    }
    // Files of the whole reservation, and its refund, are its owner's.
    let page = bob.visit(&path).await;
    assert!(!page.has("a[href$='.pdf']") && !page.body.contains("refund until"), "{}", page.body);
    let calendar = bob.get(&format!("{path}.ics")).await;
    assert_eq!(calendar.status, 200);
    let (second, first) = ("Stalls\\, row A\\, seat 2", "Stalls\\, row A\\, seat 1");
    assert!(calendar.body.contains(second) && !calendar.body.contains(first), "{}", calendar.body);
    run_sql(&db, "update tickets set status = 'VOID'").await;
    let gone = ada.visit(&path).await;
    assert_eq!((gone.status, gone.location()), (303, "/tickets"));
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn many_tickets_are_shown_up_to_a_bound_and_the_others_are_named(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    run_sql(&db, "update programs set places_per_account_max = 100").await;
    let (ada, _) = buy(&office, &concert, 0, 30).await;
    let id = reservation_of(&db, &ada).await;
    let page = ada.visit(&format!("/reservations/{id}/tickets")).await;
    assert_eq!(page.count(".pass"), 24, "{}", page.status);
    assert!(page.body.contains("6 more are in the list of your tickets"), "{}", page.body);
    office.close().await;
}

#[sqlx::test]
async fn four_tickets_stand_on_a_sheet_of_paper(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, codes) = buy(&office, &concert, 5, 0).await;
    let id = reservation_of(&db, &ada).await;
    let print = Pdf::download(&ada, &format!("/reservations/{id}/tickets-a4.pdf")).await;
    let pages = print.pages();
    assert_eq!(pages.len(), 2, "{pages:?}");
    for nth in 1..=4 {
        assert!(pages[0].contains(&format!("Ticket {nth} of 5")), "{}", pages[0]);
    }
    assert!(pages[1].contains("Ticket 5 of 5"), "{}", pages[1]);
    let (mut found, mut known) = (print.qr_codes_of_quarters(), codes);
    found.sort();
    known.sort();
    assert_eq!(found, known);
    office.close().await;
}

/// One entry for all places, which ends with the performance and rings when the doors open.
#[sqlx::test]
async fn the_calendar_has_one_entry_for_all_tickets(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, codes) = buy(&office, &concert, 2, 0).await;
    let id = reservation_of(&db, &ada).await;
    run_sql(&db, "update programs set title = 'Song, and Dance; a night', running_mins = 95").await;
    run_sql(&db, "update schedules set starts_at = '2031-05-02T10:30:00Z'").await;
    run_sql_with(&db, "update venues set address = $1", "330 Yeouido-dong, Seoul").await;
    let file = ada.get(&format!("/reservations/{id}/tickets.ics")).await;
    assert_eq!(file.header("content-type"), "text/calendar; charset=utf-8");
    let unfolded = file.body.replace("\r\n ", "");
    let lines: Vec<&str> = unfolded.split("\r\n").collect();
    let link = format!("/reservations/{id}");
    for line in [
        &format!("UID:{id}@stagedoor"),
        "DTSTART:20310502T103000Z",
        "DTEND:20310502T120500Z",
        "SUMMARY:Song\\, and Dance\\; a night",
        "DESCRIPTION:Stalls\\, row A\\, seat 1\\nStalls\\, row A\\, seat 2",
        "STATUS:CONFIRMED",
        "BEGIN:VALARM",
    ] {
        assert!(lines.contains(&line), "{line}: {lines:?}");
    }
    assert_eq!(lines.iter().filter(|line| **line == "BEGIN:VEVENT").count(), 1);
    assert!(lines.iter().any(|line| line.starts_with("TRIGGER:-PT")), "{lines:?}");
    let place = lines.iter().find(|line| line.starts_with("LOCATION:")).unwrap();
    assert!(place.ends_with("330 Yeouido-dong\\, Seoul"), "{place}");
    assert!(lines.iter().any(|line| line.starts_with("URL:") && line.ends_with(&link)));
    assert!(codes.iter().all(|code| !file.body.contains(code.as_str())), "calendars are shared");
    office.close().await;
}
