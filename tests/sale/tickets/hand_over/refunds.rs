//! Refunds of what was handed over: the payer is paid back, and not while another person has a
//! ticket.

use sqlx::PgPool;

use super::{Evening, accepted, act, handed, kinds, offered};
use crate::support::{
    AttachedFile, Concert, MailServer, Office, Pdf, email_of, ledger::balance, read_all,
    run_sql_with, until,
};

const CHARGED: i64 = 1_000_000;

#[sqlx::test]
async fn whoever_paid_gets_no_refund_until_the_ticket_comes_back(db: PgPool) {
    let evening = Evening::with(&db, Concert::usual(&db).await, 2).await;
    let Evening { ada, bob, bought, .. } = &evening;
    let reservation = format!("/reservations/{}", bought.reservation_id);
    assert!(ada.visit(&reservation).await.has("details.leave"));
    let path = offered(&db, ada, &bought.codes[0], bob).await;
    let refused = evening.refund().await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "ticket-offered"));
    let page = ada.visit(&reservation).await;
    assert!(page.body.contains("is waiting for somebody") && !page.has("details.leave"));
    let code = accepted(bob, &path).await;
    let refused = evening.refund().await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "ticket-handed-over"));
    let page = ada.visit(&reservation).await;
    assert!(page.body.contains("Somebody else has one ticket of this reservation."));
    assert!(!page.has("details.leave") && page.has("a[download]"), "{}", page.body);
    let bobs = bob.post(&format!("{reservation}/cancellation"), &()).await;
    assert_eq!(bobs.status, 404, "the reservation is not his");

    let code = handed(&db, bob, &code, ada).await;
    assert!(!bought.codes.contains(&code));
    assert_eq!(evening.refund().await.status, 200);
    assert_eq!(balance(&db, ada.account_id).await, CHARGED);
    assert_eq!(read_all::<String>(&db, "select status from tickets").await, ["VOID"; 2]);
    evening.office.close().await;
}

#[sqlx::test]
async fn a_cancelled_program_pays_back_whoever_paid_and_voids_the_ticket_whoever_has_it(
    db: PgPool,
) {
    let evening = Evening::with(&db, Concert::usual(&db).await, 3).await;
    let Evening { office, concert, ada, bob, bought } = &evening;
    let admin = office.employ("admin", "ADMIN").await;
    let new = handed(&db, ada, &bought.codes[0], bob).await;
    let path = offered(&db, ada, &bought.codes[1], bob).await;
    let cancellation = format!("/admin/programs/{}/cancellation", concert.program_id);
    let form = [("version", "0"), ("reason", "the singer is ill")];
    assert_eq!(admin.submit(&cancellation, &form).await.status, 303);
    until("it is refunded", async || balance(&db, ada.account_id).await == CHARGED).await;
    assert_eq!(balance(&db, bob.account_id).await, 0);
    assert_eq!(read_all::<String>(&db, "select status from tickets").await, ["VOID"; 3]);
    assert_eq!(bob.get(&format!("/tickets/{new}")).await.json()["status"], "VOID");
    let late = act(bob, &path, "acceptance").await;
    assert_eq!((late.status, late.code().as_str()), (409, "hand-over-ended"));
    assert_eq!(late.json()["hand_over_status"], "VOIDED");

    let mut told: Vec<(String, String)> = sqlx::query_as(
        "select kind, recipient from outbox where kind in
         ('hand-over-ended', 'hand-over-withdrawn', 'ticket-voided', 'program-cancelled')",
    )
    .fetch_all(&db)
    .await
    .unwrap();
    let (adas, bobs) = (email_of(&db, ada.account_id).await, email_of(&db, bob.account_id).await);
    told.sort();
    let expected = [
        ("hand-over-ended", &adas), // Of the ticket that bob accepted.
        ("hand-over-ended", &adas), // Of the one that was on offer.
        ("hand-over-withdrawn", &bobs),
        ("program-cancelled", &adas),
        ("ticket-voided", &bobs),
    ];
    assert_eq!(told, expected.map(|(kind, to)| (kind.to_owned(), to.clone())));
    evening.office.close().await;
}

#[sqlx::test]
async fn a_full_refund_by_an_administrator_voids_what_was_handed_over(db: PgPool) {
    let evening = Evening::with(&db, Concert::usual(&db).await, 2).await;
    let Evening { office, ada, bob, bought, .. } = &evening;
    let admin = office.employ("admin", "ADMIN").await;
    handed(&db, ada, &bought.codes[0], bob).await;
    offered(&db, ada, &bought.codes[1], bob).await;
    let path = format!("/admin/reservations/{}/refund", bought.reservation_id);
    let agreed = admin.post(&path, &[("share", "agreed"), ("reason", "ada asked")]).await;
    assert_eq!((agreed.status, agreed.code().as_str()), (409, "ticket-handed-over"));
    let all = admin.post(&path, &[("share", "all"), ("reason", "stolen")]).await;
    assert_eq!(all.status, 200, "{}", all.body);
    assert_eq!(balance(&db, ada.account_id).await, CHARGED);
    assert_eq!(read_all::<String>(&db, "select status from tickets").await, ["VOID"; 2]);
    let told = kinds(&db).await;
    assert_eq!(told.iter().filter(|kind| *kind == "ticket-voided").count(), 1, "{told:?}");
    evening.office.close().await;
}

#[sqlx::test]
async fn what_is_saved_are_the_tickets_that_one_has(db: PgPool) {
    let evening = Evening::with(&db, Concert::usual(&db).await, 2).await;
    let Evening { ada, bob, bought, .. } = &evening;
    let reservation = format!("/reservations/{}", bought.reservation_id);
    let pdf = format!("{reservation}/tickets.pdf");
    let new = handed(&db, ada, &bought.codes[0], bob).await;
    assert_eq!(Pdf::download(ada, &pdf).await.qr_codes(), [bought.codes[1].clone()]);
    assert_eq!(bob.visit(&pdf).await.status, 404, "the reservation is not his");
    let his = Pdf::download(bob, &format!("/tickets/{new}.pdf")).await;
    assert_eq!(his.qr_codes(), std::slice::from_ref(&new));
    assert!(
        his.words().contains("Ticket 1 of 1") && his.words().contains("bob"),
        "{}",
        his.words()
    );
    let calendar = bob.visit(&format!("/tickets/{new}.ics")).await;
    assert!(!calendar.body.contains("/reservations/"), "{}", calendar.body);
    handed(&db, ada, &bought.codes[1], bob).await;
    assert_eq!(ada.visit(&pdf).await.status, 404, "none is left");
    assert!(!ada.visit(&reservation).await.has("a[download]"));
    evening.office.close().await;
}

/// The mail about a purchase that is sent late carries the tickets that its reader still has.
#[sqlx::test]
async fn a_late_mail_carries_no_code_of_somebody_else(db: PgPool) {
    let evening = Evening::with(&db, Concert::usual(&db).await, 2).await;
    let Evening { ada, bob, bought, .. } = &evening;
    handed(&db, ada, &bought.codes[0], bob).await;
    let server = MailServer::start();
    let settings = [
        ("SMTP_URL", server.url()),
        ("MAIL_FROM", "tickets@office.example".to_owned()),
        ("PUBLIC_URL", "http://tickets.localhost".to_owned()),
    ];
    let settings = settings.each_ref().map(|(name, value)| (*name, value.as_str()));
    let sending = Office::open_with(db.clone(), 1, &settings).await;
    let mails = server.until_received(3).await;
    let files: Vec<&AttachedFile> = mails.iter().flat_map(|mail| &mail.files).collect();
    let pdf = files.iter().find(|file| file.name == "tickets.pdf").unwrap();
    assert_eq!(Pdf::new(pdf.bytes()).qr_codes(), [bought.codes[1].clone()]);
    assert_eq!(files.len(), 2, "the file and the calendar entry of one mail");
    sending.close().await;
    evening.office.close().await;
}

#[sqlx::test]
async fn each_mail_about_a_hand_over_says_what_became_of_the_ticket(db: PgPool) {
    let evening = Evening::with(&db, Concert::usual(&db).await, 3).await;
    let Evening { office, ada, bob, bought, .. } = &evening;
    run_sql_with(&db, "update accounts set locale = 'ko' where id = $1", bob.account_id).await;
    let admin = office.employ("admin", "ADMIN").await;
    handed(&db, ada, &bought.codes[0], bob).await;
    let declined = offered(&db, ada, &bought.codes[1], bob).await;
    assert_eq!(act(bob, &declined, "declining").await.status, 200);
    offered(&db, ada, &bought.codes[1], bob).await;
    let path = format!("/admin/reservations/{}/refund", bought.reservation_id);
    let all = admin.post(&path, &[("share", "all"), ("reason", "stolen")]).await;
    assert_eq!(all.status, 200, "{}", all.body);
    let list = admin.get("/admin/mails").await.json();
    let mut subjects = Vec::new();
    for mail in list["mails"].as_array().unwrap() {
        let path = format!("/admin/mails/{}", mail["id"].as_str().unwrap());
        subjects.push(admin.get(&path).await.json()["subject"].as_str().unwrap().to_owned());
    }
    for subject in [
        "받을 티켓이 있어요",
        "받기로 한 티켓을 받을 수 없게 됐어요",
        "받은 티켓을 더 이상 쓸 수 없어요",
        "Your ticket has been accepted",
        "Your ticket was declined",
        "A ticket you offered is no longer valid",
    ] {
        assert!(subjects.iter().any(|found| found == subject), "{subject}: {subjects:?}");
    }
    evening.office.close().await;
}
