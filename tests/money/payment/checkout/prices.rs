//! Prices in money: where points are sold for it, each price that a person or a program reads is in it.

use reqwest::Method;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{
    Answer, Concert, Hold, Office, Pdf, Person, StripeStandIn, admit, expect_money, ledger,
    read_all, read_one, run_sql, stripe::order_points, until,
};

/// What a page of `path` says, as its reader sees it.
fn words(page: &Answer) -> String {
    page.texts("body").join(" ")
}

struct Told {
    office: Office,
    concert: Concert,
    ada: Person,
    admin: Person,
    stripe: StripeStandIn,
}

impl Told {
    async fn open(db: &PgPool) -> Self {
        let stripe = StripeStandIn::start().await;
        let office = stripe.office(db, 1).await;
        let concert = Concert::usual(db).await;
        let ada = office.sign_in("ada").await;
        let admin = office.employ("admin", "ADMIN").await;
        admit(db, &concert, std::slice::from_ref(&ada)).await;
        Self { office, concert, ada, admin, stripe }
    }

    async fn see(&self, person: &Person, path: &str) -> String {
        let page = person.visit(path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        let text = words(&page);
        expect_money(path, &text);
        text
    }
}

#[sqlx::test]
async fn from_home_to_the_ticket_every_price_is_in_money(db: PgPool) {
    let told = Told::open(&db).await;
    let (ada, concert) = (&told.ada, &told.concert);
    for path in ["/".to_owned(), format!("/programs/{}", concert.slug)] {
        assert!(told.see(ada, &path).await.contains("\u{20a9}30,000"), "{path}");
    }
    let show = ada.visit(&format!("/programs/{}", concert.slug)).await;
    assert_eq!(show.attribute("[itemprop=lowPrice]", "content"), "30000");
    assert_eq!(show.attribute("[itemprop=priceCurrency]", "content"), "KRW");
    let map = told.see(ada, &format!("/schedules/{}", concert.schedule_id)).await;
    assert!(map.contains("\u{20a9}50,000") && map.contains("\u{20a9}30,000"), "{map}");

    // Also where a script hears of them.
    let path = format!("/schedules/{}/changes?since=0", concert.schedule_id);
    let mut changes = ada.asks(Method::GET, &path, "text/event-stream").send().await.unwrap();
    let mut heard = String::new();
    until("an event", async || {
        let chunk = changes.chunk().await.unwrap().unwrap();
        heard.push_str(&String::from_utf8_lossy(&chunk));
        heard.split_once("data: ").is_some_and(|(_, data)| data.contains("\n\n"))
    })
    .await;
    assert!(heard.contains("\"price_minor\":50000,") && heard.contains("\"KRW\""), "{heard}");

    let held = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
    let id = held.write(&db, concert, ada.account_id).await;
    let pay = told.see(ada, &format!("/reservations/{id}")).await;
    assert!(pay.contains("Pay \u{20a9}100,000"), "{pay}");
    told.see(ada, &format!("/reservations/{id}/shares/new")).await;
    let document = ada.get(&format!("/reservations/{id}/payment")).await.json();
    assert_eq!(document["total"], 100_000, "{document}");
    assert_eq!((&document["total_minor"], &document["currency"]), (&100_000.into(), &"KRW".into()));
    let short = ada.post(&format!("/reservations/{id}/payment"), &()).await;
    assert_eq!(short.code(), "insufficient-points", "{}", short.body);
    let detail = short.json()["detail"].as_str().unwrap().to_owned();
    assert_eq!(detail, "You have \u{20a9}0 to use; this needs \u{20a9}100,000.");
    told.office.close().await;
}

#[sqlx::test]
async fn what_was_bought_is_told_in_money_on_pages_tickets_files_and_in_mails(db: PgPool) {
    let told = Told::open(&db).await;
    let (ada, concert) = (&told.ada, &told.concert);
    let held = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
    let id = held.write(&db, concert, ada.account_id).await;
    let (_, session) = order_points(ada, 100_000).await;
    let event = told.stripe.completed(&told.stripe.change(&session, "paid").await).await;
    assert_eq!(event.deliver(ada).await.status, 200);
    let paid = ada.post(&format!("/reservations/{id}/payment"), &()).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    let code = paid.json()["tickets"][0].as_str().unwrap().to_owned();
    for path in [
        "/reservations".to_owned(),
        format!("/reservations/{id}"),
        format!("/tickets/{code}"),
        format!("/tickets/{code}/refund"),
    ] {
        told.see(ada, &path).await;
    }
    let ticket = ada.get(&format!("/tickets/{code}")).await.json();
    assert_eq!((&ticket["price"], &ticket["price_minor"]), (&50_000.into(), &50_000.into()));
    let file = Pdf::download(ada, &format!("/tickets/{code}.pdf")).await;
    assert!(
        file.words().contains("50,000") && !file.words().contains("points"),
        "{}",
        file.words()
    );

    let sales = format!("/admin/programs/{}/sales.csv", concert.program_id);
    let sold = told.admin.get(&sales).await.records();
    assert_eq!(sold[0][13..], ["total_minor", "discount_minor", "currency"], "{sold:?}");
    assert_eq!(sold[1][13..], ["100000", "0", "KRW"], "{sold:?}");
    let refunded = ada.post(&format!("/reservations/{id}/cancellation"), &()).await;
    assert_eq!(refunded.status, 200, "{}", refunded.body);
    for mail in read_all::<Uuid>(&db, "select id from outbox order by position").await {
        let letter = told.admin.visit(&format!("/admin/mails/{mail}")).await;
        let text = words(&letter);
        expect_money("a mail", &text);
        assert!(text.contains('\u{20a9}'), "{text}");
    }
    for path in [
        format!("/admin/reservations/{id}"),
        format!("/admin/programs/{}/sales", concert.program_id),
        format!("/admin/people/{}", ada.account_id),
    ] {
        let page = told.admin.visit(&path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        assert!(page.body.contains('\u{20a9}'), "{path}: {}", page.body);
    }
    assert!(ledger::balance(&db, ada.account_id).await > 0);
    let wallet = told.ada.visit("/wallet").await;
    assert!(wallet.body.contains("points") && wallet.body.contains('\u{20a9}'), "{}", wallet.body);
    told.office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_currency_with_cents_has_them_on_pages_and_in_the_patterns_of_scripts(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let mut settings: Vec<(&str, String)> = stripe.settings();
    settings.extend([("CURRENCY", "EUR".to_owned()), ("POINT_PRICE_MINOR", "2".to_owned())]);
    let settings: Vec<(&str, &str)> =
        settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let office = Office::open_with(db.clone(), 1, &settings).await;
    let concert = Concert::usual(&db).await;
    run_sql(&db, "update schedule_seats set price = 3050").await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    let map = ada.visit(&format!("/schedules/{}", concert.schedule_id)).await;
    let form = "[data-seat-form]";
    assert_eq!(map.attribute(form, "data-text-amount"), "\u{20ac}{points}");
    assert_eq!(map.attribute(form, "data-point-minor"), "2");
    assert_eq!(map.attribute(form, "data-price-digits"), "2");
    assert!(words(&map).contains("\u{20ac}61.00"), "{}", words(&map));
    let prices: i64 = read_one(&db, "select count(*) from schedule_seats where price = 3050").await;
    assert!(prices > 0);
    office.close().await;
}
