//! A person who prefers a language reads it on pages, in mails and on tickets.

use reqwest::Method;
use sqlx::PgPool;

use crate::support::{
    Answer, Concert, ConcertOptions, Hold, MailServer, Office, Pdf, Person, Purchase, run_sql,
    run_sql_with,
};

/// What a browser sends whose owner reads German, else Japanese, else English.
const PREFERRED: &str = "de, ja-JP;q=0.8, en;q=0.5";

async fn visit(person: &Person, path: &str) -> Answer {
    let asked = person.asks(Method::GET, path, "text/html").header("accept-language", PREFERRED);
    person.send(asked).await
}

/// Makes a concert in Tokyo that one person at a time may buy for.
async fn concert_in_tokyo(db: &PgPool) -> Concert {
    let options = ConcertOptions { queue_capacity: Some(1), ..ConcertOptions::default() };
    let concert = Concert::with(db, options).await;
    run_sql(db, "update programs set title = '冬の夜のソナタ'").await;
    run_sql(db, "update venues set name = '渋谷公会堂', time_zone = 'Asia/Tokyo'").await;
    run_sql(db, "update schedules set starts_at = '2031-05-02T10:30:00Z'").await;
    concert
}

#[sqlx::test]
async fn whoever_prefers_japanese_reads_it_on_every_page(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = concert_in_tokyo(&db).await;
    let (people, stranger) = (office.crowd(2, "haru").await, office.stranger());
    let (haru, next) = (&people[0], &people[1]);
    let queue = format!("/programs/{}/queue", concert.slug);
    for person in &people {
        assert_eq!(person.submit(&queue, &()).await.status, 303);
    }
    let (program, map) =
        (format!("/programs/{}", concert.slug), format!("/schedules/{}", concert.schedule_id));
    for (person, path, texts) in [
        (&stranger, "/", ["いい席を、公平に。", "冬の夜のソナタ"]),
        (&stranger, program.as_str(), ["ログインして申し込みに進む", "2031年5月2日(金) 19:30 JST"]),
        (&stranger, "/nowhere", ["ページが見つかりません", "公演一覧を見る"]),
        (next, queue.as_str(), ["順番をお待ちください", "待ち番号"]),
        (haru, map.as_str(), ["座席を確保する", "A列 1番"]),
        (haru, "/wallet", ["ポイントを追加", "使えるポイント"]),
        (haru, "/account", ["ページと同じ言語", "退会する"]),
    ] {
        let page = visit(person, path).await;
        assert!(page.has("html[lang='ja']"), "{path}: {}", page.body);
        for text in texts {
            assert!(page.body.contains(text), "{path}, {text}: {}", page.body);
        }
    }
    office.close().await;
}

#[sqlx::test]
async fn whoever_chose_japanese_reads_it_in_mails_and_on_tickets(db: PgPool) {
    let server = MailServer::start();
    let url = server.url();
    let settings = [
        ("SMTP_URL", url.as_str()),
        ("MAIL_FROM", "tickets@office.example"),
        ("PUBLIC_URL", "http://tickets.localhost"),
    ];
    let office = Office::open_with(db.clone(), 1, &settings).await;
    let concert = concert_in_tokyo(&db).await;
    let haru = &office.sign_in("haru").await;
    assert_eq!(haru.submit("/language", &[("lang", "ja")]).await.status, 303);
    run_sql_with(&db, "update accounts set name = '髙橋 春' where id = $1", haru.account_id).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let bought = Purchase::make(&db, &concert, haru, hold).await;
    let mails = server.until_received(1).await;
    assert_eq!(mails[0].header("Subject"), "「冬の夜のソナタ」のチケット");
    for text in ["髙橋 春 様", "ご購入が完了しました", "A列 1番", "50,000ポイント"]
    {
        assert!(mails[0].text.contains(text), "{text}: {}", mails[0].text);
    }
    let ticket = Pdf::download(haru, &format!("/tickets/{}.pdf", bought.codes[0])).await;
    assert_eq!(ticket.qr_codes(), bought.codes);
    let words = ticket.words();
    for text in
        ["冬の夜のソナタ", "2031年5月2日(金) 19:30 JST", "渋谷公会堂", "髙橋 春", "入場時に"]
    {
        assert!(words.contains(text), "{text}: {words}");
    }
    let fonts = ticket.fonts();
    for font in ["Pretendard-Bold", "Pretendard-Regular", "NotoSansCJKjp-Bold", "NotoSansCJKjp-"] {
        assert!(fonts.iter().any(|listed| listed.contains(font)), "{font}: {fonts:?}");
    }
    assert!(ticket.bytes.len() <= 60 * 1024, "{} bytes", ticket.bytes.len());
    office.close().await;
}
