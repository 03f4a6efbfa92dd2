//! The log in words: who did what, to what that is called today.

use sqlx::PgPool;
use uuid::Uuid;

use super::{field, make_venue, program};
use crate::support::{Answer, Concert, Hold, Office, Purchase, run_sql, run_sql_with};

/// The sentences of a page of the log, newest first.
fn sentences(page: &Answer) -> Vec<String> {
    assert_eq!(page.status, 200, "{}", page.body);
    page.texts(".log__sentence")
}

/// The ids that a person reads on a page.
fn ids_shown(page: &Answer) -> Vec<String> {
    let texts = page.texts(".admin__page");
    let words =
        texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '-'));
    words.filter(|word| word.parse::<Uuid>().is_ok()).map(str::to_owned).collect()
}

#[sqlx::test]
async fn an_act_is_told_in_a_sentence_whose_names_lead_to_their_pages(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("mina", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    let venue = make_venue(&admin, "Stalls, 1, 2").await;
    let made = admin.post("/admin/programs", &program("Hamlet", "hamlet")).await;
    let show = format!("/admin/programs/{}", field(&made, "id").as_str().unwrap());
    let moment = [("venue_id", venue.as_str()), ("starts_at", "2030-03-01T20:00")];
    let added = admin.post(&format!("{show}/schedules"), &moment).await;
    let performance = format!("/admin/schedules/{}", field(&added, "id").as_str().unwrap());
    run_sql(&db, "update programs set status = 'PUBLISHED'").await;
    let paused = admin.post(&format!("{show}/queue/pause"), &[("version", "0")]).await;
    assert_eq!(paused.status, 200, "{}", paused.body);
    let person = format!("/admin/people/{}", ada.account_id);
    let lock = [("reason", "asked by phone")];
    assert_eq!(admin.post(&format!("{person}/lock"), &lock).await.status, 200);

    let page = admin.visit("/admin/audit").await;
    assert_eq!(
        sentences(&page)[..4],
        [
            "mina locked the account of ada",
            "mina paused the line of Hamlet",
            "mina added the performance Hamlet, Fri 1 Mar 2030, 20:00 KST",
            "mina created Hamlet",
        ]
    );
    let me = format!("/admin/people/{}", admin.account_id);
    for href in [&me, &person, &show, &performance, &format!("/admin/venues/{venue}")] {
        assert!(page.has(&format!(".log__sentence a[href='{href}']")), "{href}: {}", page.body);
    }
    assert_eq!(ids_shown(&page), [""; 0]);
    let first = admin.visit("/admin").await;
    assert_eq!(sentences(&first)[..], sentences(&page)[..]);
    assert!(ids_shown(&first).is_empty());
    let of_ada = admin.visit(&person).await;
    let told = of_ada.texts(".timeline__item");
    assert!(told.iter().any(|text| text.contains("mina locked the account of ada")), "{told:?}");

    // What is renamed is called as it is called now.
    run_sql(&db, "update programs set title = 'Macbeth'").await;
    let page = admin.visit("/admin/audit?act=queue-paused").await;
    assert_eq!(sentences(&page), ["mina paused the line of Macbeth"]);
    let korean = [("lang", "ko"), ("next", "/")];
    assert_eq!(admin.submit("/language", &korean).await.status, 303);
    let page = admin.visit("/admin/audit?act=queue-paused").await;
    assert_eq!(sentences(&page), ["mina님이 Macbeth 대기열을 일시 정지했어요"]);
    office.close().await;
}

#[sqlx::test]
async fn what_was_deleted_is_called_as_it_was_called_and_leads_nowhere(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("mina", "ADMIN").await;
    let venue = make_venue(&admin, "Stalls, 1, 2").await;
    let path = format!("/admin/venues/{venue}");
    let deleted = admin.post(&format!("{path}/deletion"), &[("version", "1")]).await;
    assert_eq!(deleted.status, 200, "{}", deleted.body);
    let page = admin.visit(&format!("/admin/audit?subject={venue}")).await;
    let told = [
        "mina deleted the venue A hall (deleted)",
        "mina replaced the seats of A hall (deleted)",
        "mina created the venue A hall (deleted)",
    ];
    assert_eq!(sentences(&page), told);
    assert!(!page.has(&format!("a[href='{path}']")), "{}", page.body);
    assert!(page.body.contains("Only what was done to A hall (deleted)."), "{}", page.body);
    assert!(ids_shown(&page).is_empty(), "{}", page.body);
    office.close().await;
}

#[sqlx::test]
async fn a_reservation_and_a_ticket_are_called_by_their_short_numbers(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let (admin, ada) = (office.employ("mina", "ADMIN").await, office.sign_in("ada").await);
    let seats = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let purchase = Purchase::make(&db, &concert, &ada, seats).await;
    let code = purchase.codes[0].as_str();
    run_sql_with(
        &db,
        "insert into audit_log (id, account_id, act, subject_kind, subject_id)
         select gen_random_uuid(), $1, 'checked-in', 'ticket', id from tickets",
        admin.account_id,
    )
    .await;
    let page = admin.visit("/admin/audit").await;
    let told = format!("mina let in ticket …{} (A concert)", &code[code.len() - 6..]);
    assert_eq!(sentences(&page), [told]);
    let reservation = format!("/admin/reservations/{}", purchase.reservation_id);
    assert!(page.has(&format!(".log__sentence a[href='{reservation}']")), "{}", page.body);

    let refund = [("share", "all"), ("reason", "asked by phone")];
    let refunded = admin.post(&format!("{reservation}/refund"), &refund).await;
    assert!(refunded.status < 300, "{}", refunded.body);
    let number = admin.visit(&reservation).await.texts("header .soft").join(" ");
    let number = number.split_whitespace().last().unwrap().to_owned();
    let told = format!("mina refunded reservation {number} (A concert)");
    let page = admin.visit("/admin/audit?act=refunded").await;
    assert_eq!(sentences(&page), [told]);
    assert!(ids_shown(&page).is_empty(), "{}", page.body);
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn changed_fields_are_called_as_in_the_forms_and_times_are_read(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("mina", "ADMIN").await;
    let form = program("Hamlet", "hamlet");
    let made = admin.post("/admin/programs", &form).await;
    let path = format!("/admin/programs/{}", field(&made, "id").as_str().unwrap());
    let edit = super::with(&form, &[("version", "0"), ("hold_minutes", "4:30")]);
    assert_eq!(admin.post(&path, &edit).await.status, 200);
    let page = admin.visit("/admin/audit?act=program-edited").await;
    assert_eq!(page.texts(".log__changes dt"), ["Time to pay (minutes)"]);
    assert_eq!(
        (page.texts("del"), page.texts("ins")),
        (vec!["5".to_owned()], vec!["4:30".to_owned()])
    );
    let page = admin.visit("/admin/audit?act=program-created").await;
    let values = page.texts("ins");
    assert!(values.contains(&"Wed 2 Jan 2030, 19:00 KST".to_owned()), "{values:?}");
    assert!(values.contains(&"Draft".to_owned()), "{values:?}");
    office.close().await;
}
