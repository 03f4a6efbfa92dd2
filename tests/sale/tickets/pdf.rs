//! Tickets as a PDF file, as other programs read it.

use sqlx::PgPool;

use super::buy;
use crate::support::{Concert, Office, Pdf, Person, read_one_with, run_sql, run_sql_with};

async fn reservation_of(db: &PgPool, person: &Person) -> String {
    let found = "select id::text from reservations where account_id = $1";
    read_one_with(db, found, person.account_id).await
}

#[sqlx::test]
async fn a_file_has_a_page_a_ticket_with_what_the_door_needs(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, codes) = buy(&office, &concert, 1, 1).await;
    run_sql(&db, "update venues set name = 'Han River Hall', address = '330 Yeouido-dong'").await;
    run_sql(&db, "update programs set title = 'Night of the Sonatas'").await;
    run_sql(&db, "update schedules set starts_at = '2031-05-02T10:30:00Z'").await;
    let id = reservation_of(&db, &ada).await;
    let pdf = Pdf::download(&ada, &format!("/reservations/{id}/tickets.pdf")).await;

    assert_eq!(pdf.qr_codes(), codes);
    let pages = pdf.pages();
    assert_eq!(pages.len(), 2, "{pages:?}");
    let page = ada.visit(&format!("/reservations/{id}")).await;
    let shown = page.texts("article > p.small.soft").pop().unwrap();
    let number = shown.rsplit(' ').next().unwrap();
    for page in &pages {
        for text in [
            "Night of the Sonatas",
            "Fri 2 May 2031, 19:30 KST",
            "Han River Hall",
            "330 Yeouido",
            "ada",
            number,
        ] {
            assert!(page.contains(text), "{text}: {page}");
        }
    }
    for text in ["Ticket 1 of 2", "Stalls, row A, seat 1", "50,000 points"] {
        assert!(pages[0].contains(text), "{text}: {}", pages[0]);
    }
    for text in ["Ticket 2 of 2", "Standing, standing", "30,000 points"] {
        assert!(pages[1].contains(text), "{text}: {}", pages[1]);
    }
    let fonts = pdf.fonts();
    assert_eq!(fonts.len(), 2, "{fonts:?}");
    for (font, name) in fonts.iter().zip(["Bold", "Regular"]) {
        assert!(font.contains(&format!("+Pretendard-{name}")), "{font}");
        // Embedded, a subset, with the letters' Unicode values.
        assert!(font.contains("yes yes yes"), "{font}");
    }
    assert!(pdf.bytes.len() <= 60 * 1024, "{} bytes", pdf.bytes.len());

    let one = Pdf::download(&ada, &format!("/tickets/{}.pdf", codes[1])).await;
    assert_eq!((one.pages().len(), one.qr_codes()), (1, vec![codes[1].clone()]));
    assert!(one.pages()[0].contains("Ticket 2 of 2"));
    let again = Pdf::download(&ada, &format!("/tickets/{}.pdf", codes[1])).await;
    assert_eq!(one.bytes, again.bytes);
    office.close().await;
}

#[sqlx::test]
async fn a_file_is_in_the_readers_language_and_can_be_searched(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, codes) = buy(&office, &concert, 1, 0).await;
    run_sql_with(&db, "update accounts set name = '김민서' where id = $1", ada.account_id).await;
    run_sql(&db, "update programs set title = '겨울밤의 소나타'").await;
    run_sql(&db, "update schedules set starts_at = '2031-05-02T10:30:00Z'").await;
    assert_eq!(ada.submit("/language", &[("lang", "ko")]).await.status, 303);
    let pdf = Pdf::download(&ada, &format!("/tickets/{}.pdf", codes[0])).await;
    let words = pdf.words();
    for text in
        ["겨울밤의 소나타", "2031년 5월 2일 (금) 19:30 KST", "김민서", "50,000포인트", "1번"]
    {
        assert!(words.contains(text), "{text}: {words}");
    }
    office.close().await;
}

#[sqlx::test]
async fn no_name_or_title_spoils_a_ticket(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, codes) = buy(&office, &concert, 1, 0).await;
    let path = format!("/tickets/{}.pdf", codes[0]);
    let long = "가나다라마바사아자차 ".repeat(20);
    for (title, name) in [
        (long.as_str(), &"W".repeat(80)),
        ("Night 🎻🎼 of 🎹", &"\u{5de}\u{5d9}\u{5e8}\u{5d9}\u{5dd} \u{202e}Ada".to_owned()),
        ("A\r\nB\tC", &"e\u{301} 김\u{200d}민서".to_owned()),
        ("\u{1f3fb}\u{fe0f}", &"\u{e000}".to_owned()),
    ] {
        sqlx::query("update programs set title = $1").bind(title).execute(&db).await.unwrap();
        let update = "update accounts set name = $1 where id = $2";
        sqlx::query(update).bind(name).bind(ada.account_id).execute(&db).await.unwrap();
        let pdf = Pdf::download(&ada, &path).await;
        assert_eq!((pdf.qr_codes(), pdf.pages().len()), (codes.clone(), 1), "{title}");
        let words = pdf.words();
        assert!(words.contains("50,000 points") && words.contains("Stalls, row A"), "{words}");
    }
    let drawn = Pdf::download(&ada, &path).await.words();
    assert!(drawn.contains('\u{e000}'), "what cannot be drawn can be searched: {drawn}");
    office.close().await;
}

#[sqlx::test]
async fn only_the_owner_of_a_valid_ticket_has_its_file(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, codes) = buy(&office, &concert, 1, 0).await;
    let id = reservation_of(&db, &ada).await;
    let paths = [format!("/reservations/{id}/tickets.pdf"), format!("/tickets/{}.pdf", codes[0])];
    let page = ada.visit(&format!("/reservations/{id}")).await;
    assert!(page.has(&format!("a[href='{}']", paths[0])), "{}", page.body);
    let page = ada.visit(&format!("/tickets/{}", codes[0])).await;
    assert!(page.has(&format!("a[href='{}']", paths[1])), "{}", page.body);

    let bob = office.sign_in("bob").await;
    for path in &paths {
        assert_eq!(bob.get(path).await.status, 404, "{path}");
        let stranger = office.stranger().visit(path).await;
        assert_eq!((stranger.status, stranger.location().starts_with("/login")), (303, true));
    }
    let cancellation = format!("/reservations/{id}/cancellation");
    assert_eq!(ada.post(&cancellation, &()).await.status, 200);
    for path in &paths {
        assert_eq!(ada.get(path).await.status, 404, "{path}");
    }
    let nonsense =
        ["/tickets/1.pdf", "/reservations/00000000-0000-0000-0000-000000000000/tickets.pdf"];
    for path in nonsense {
        assert_eq!(ada.get(path).await.status, 404, "{path}");
    }
    office.close().await;
}
