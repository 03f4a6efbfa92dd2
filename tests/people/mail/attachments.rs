//! Files that mails carry, as another program's library reads them.

use sqlx::PgPool;

use super::{buy, counts, hurry, office_with};
use crate::support::{
    AttachedFile, Concert, Hold, MailServer, Pdf, Purchase, free_port, run_sql, run_sql_with, until,
};

fn named<'a>(files: &'a [AttachedFile], name: &str) -> &'a AttachedFile {
    let found = files.iter().find(|file| file.name == name);
    found.unwrap_or_else(|| panic!("{name}: {files:?}"))
}

#[sqlx::test]
async fn a_purchase_brings_its_tickets_and_an_entry_for_the_calendar(db: PgPool) {
    let server = MailServer::start();
    let office = office_with(&db, 1, &server.url()).await;
    let (concert, person) = (Concert::usual(&db).await, office.sign_in("minseo").await);
    run_sql_with(&db, "update accounts set locale = 'ko' where id = $1", person.account_id).await;
    run_sql(&db, "update programs set title = '겨울밤; 소나타', running_mins = 130").await;
    run_sql(&db, "update venues set name = '세종홀', address = '서울 종로구'").await;
    run_sql(&db, "update schedules set starts_at = '2031-05-02T10:30:00Z'").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &person, hold).await;

    let mails = server.until_received(1).await;
    let files = &mails[0].files;
    assert_eq!(files.len(), 2, "{files:?}");
    assert!(mails[0].raw.is_ascii() && mails[0].raw.lines().all(|line| line.len() <= 998));
    let pdf = named(files, "tickets.pdf");
    assert_eq!(pdf.media_type, "application/pdf");
    let pdf = Pdf::new(pdf.bytes());
    assert_eq!(pdf.qr_codes(), bought.codes);
    assert!(pdf.words().contains("겨울밤; 소나타"), "{}", pdf.words());

    let entry = named(files, "event.ics");
    assert_eq!(entry.media_type, "text/calendar");
    let entry = String::from_utf8(entry.bytes()).unwrap().replace("\r\n ", "");
    let lines: Vec<&str> = entry.split("\r\n").collect();
    let url = format!("URL:http://tickets.localhost/reservations/{}", bought.reservation_id);
    for line in [
        format!("UID:{}@stagedoor", bought.reservation_id).as_str(),
        "DTSTART:20310502T103000Z",
        "DTEND:20310502T124000Z",
        "SUMMARY:겨울밤\\; 소나타",
        "LOCATION:세종홀\\, 서울 종로구",
        "DESCRIPTION:Stalls A열 1번\\nStalls A열 2번",
        &url,
        "STATUS:CONFIRMED",
        "TRIGGER:-PT180M",
    ] {
        assert!(lines.contains(&line), "{line}: {entry}");
    }
    assert!(bought.codes.iter().all(|code| !entry.contains(code)), "calendars are shared");
    office.close().await;
}

#[sqlx::test]
async fn a_refund_before_the_mail_leaves_the_letter_and_no_ticket(db: PgPool) {
    let port = free_port();
    let office = office_with(&db, 1, &format!("smtp://127.0.0.1:{port}")).await;
    let (concert, person) = (Concert::usual(&db).await, office.sign_in("ada").await);
    let bought = buy(&db, &concert, &person, 0).await;
    let path = format!("/reservations/{}/cancellation", bought.reservation_id);
    assert_eq!(person.post(&path, &()).await.status, 200);
    let server = MailServer::start_at(port);
    until("both mails", async || {
        hurry(&db).await;
        counts(&db).await == (2, 0, 0)
    })
    .await;
    let mails = server.received();
    assert!(mails[0].files.is_empty(), "{:?}", mails[0].files);
    assert!(mails[0].header("Content-Type").starts_with("multipart/alternative"));
    let [entry] = &mails[1].files[..] else { panic!("{:?}", mails[1].files) };
    let entry = String::from_utf8(entry.bytes()).unwrap();
    let uid = format!("UID:{}@stagedoor", bought.reservation_id);
    assert!(entry.contains(&uid) && entry.contains("STATUS:CANCELLED"), "{entry}");
    let shown = person.get(&format!("/reservations/{}/tickets.ics", bought.reservation_id)).await;
    assert!(shown.body.contains("STATUS:CANCELLED") && shown.body.contains(&uid), "{}", shown.body);
    let alone = person.get(&format!("/tickets/{}.ics", bought.codes[0])).await;
    assert!(alone.body.contains(&uid), "one seat has one entry: {}", alone.body);
    office.close().await;
}

#[sqlx::test]
async fn files_that_cannot_be_made_keep_no_mail_back(db: PgPool) {
    let server = MailServer::start();
    let office = office_with(&db, 1, &server.url()).await;
    let (concert, person) = (Concert::usual(&db).await, office.sign_in("ada").await);
    // Only the files tell the address.
    run_sql(&db, "alter table venues rename column address to elsewhere").await;
    buy(&db, &concert, &person, 0).await;
    let mails = server.until_received(1).await;
    assert!(mails[0].files.is_empty());
    assert!(mails[0].text.contains("http://tickets.localhost/tickets"), "{}", mails[0].text);
    run_sql(&db, "alter table venues rename column elsewhere to address").await;
    office.close().await;
}
