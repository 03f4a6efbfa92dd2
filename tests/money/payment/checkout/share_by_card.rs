//! A friend's share, paid by card: the missing points, and then the seat.

use sqlx::PgPool;
use uuid::Uuid;

use super::{give_points, make_due};
use crate::support::{
    Answer, Concert, Hold, Office, Person, StripeStandIn,
    ledger::{balance, entries},
    read_one, run_sql, run_sql_with, storm, until,
};

const FORM: &str = "form:has([name='share'])";
const STATUS: &str = "select status from shares where code_hash is not null";
const WITHHELD: &str = "select pending from wallets where account_id = $1";

/// An office that takes cards, where ada holds two seats at 700 and has made a link for one.
struct Together {
    stripe: StripeStandIn,
    office: Office,
    ada: Person,
    bob: Person,
    reservation_id: Uuid,
    link: String,
}

impl Together {
    async fn open(db: &PgPool) -> Self {
        let stripe = StripeStandIn::start().await;
        let office = stripe.office(db, 2).await;
        let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
        let concert = Concert::usual(db).await;
        run_sql_with(db, "update schedule_seats set price = $1", 700_i64).await;
        let hold = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
        let reservation_id = hold.write(db, &concert, ada.account_id).await;
        let shares = format!("/reservations/{reservation_id}/shares");
        let left = ada.get(&shares).await.json()["left"].clone();
        let form = serde_json::json!({ "places": [left[0]["place"]] });
        let made = ada.post_json(&shares, &form).await.json();
        let url = made["url"].as_str().unwrap();
        let link = url[url.find("/shares/").unwrap()..].to_owned();
        Self { stripe, office, ada, bob, reservation_id, link }
    }

    fn code(&self) -> &str {
        self.link.strip_prefix("/shares/").unwrap()
    }

    /// Presses the button of bob's page, and returns the checkout.
    async fn press(&self) -> (Answer, String) {
        let page = self.bob.visit(&self.link).await;
        assert!(!page.has(&format!("form[action='{}/payment']", self.link)), "{}", page.body);
        let buttons = page.texts(&format!("{FORM} button"));
        assert!(buttons[0].starts_with("Pay "), "{buttons:?}");
        let value = |name: &str| {
            let field = page.attribute(&format!("{FORM} [name='{name}']"), "value");
            (name.to_owned(), field)
        };
        let form = ["request_key", "share", "amount", "next"].map(value);
        let sent = self.bob.submit("/wallet/charges", &form).await;
        assert_eq!(sent.status, 303, "{}", sent.body);
        let session = sent.location().rsplit('/').next().unwrap().to_owned();
        (sent, session)
    }

    /// Orders points for the share of the link as a program does.
    async fn order(&self, person: &Person, code: &str) -> Answer {
        let form = serde_json::json!({ "amount": 700, "share": code });
        person.post_json("/wallet/charges", &form).await
    }

    async fn pay_rest(&self) -> Answer {
        self.ada.post(&format!("/reservations/{}/rest/payment", self.reservation_id), &()).await
    }
}

async fn share_status(db: &PgPool) -> String {
    read_one(db, STATUS).await
}

async fn charge_path(db: &PgPool) -> String {
    format!("/wallet/charges/{}", read_one::<Uuid>(db, "select id from charges").await)
}

#[sqlx::test]
async fn a_friend_without_points_pays_by_card_in_one_go_and_once(db: PgPool) {
    let party = Together::open(&db).await;
    let (_, session) = party.press().await;
    let path = charge_path(&db).await;
    let event = party.stripe.completed(&party.stripe.change(&session, "paid").await).await;
    let news = (0..20).map(|idx| {
        let (bob, event, path) =
            (party.office.moved(&party.bob, idx / 2), event.clone(), path.clone());
        async move { if idx % 2 == 0 { event.deliver(&bob).await } else { bob.visit(&path).await } }
    });
    let answers = storm(news).await;
    assert!(answers.iter().all(|answer| answer.status == 200), "{answers:?}");
    assert_eq!(share_status(&db).await, "WITHHELD");
    let bob = party.bob.account_id;
    let withheld: i64 = sqlx::query_scalar(WITHHELD).bind(bob).fetch_one(&db).await.unwrap();
    assert_eq!((balance(&db, bob).await, withheld), (700, 700));
    let page = party.bob.visit(&path).await;
    assert!(page.body.contains("Your share is paid"), "{}", page.body);
    assert_eq!(page.attribute(".actions .button--primary", "href"), party.link);
    let is_kept = "select exists (select from charges where charges::text like '%' || $1 || '%')";
    let is_kept: bool =
        sqlx::query_scalar(is_kept).bind(party.code()).fetch_one(&db).await.unwrap();
    assert!(!is_kept, "whoever reads the database could pay with the code of a link");

    give_points(&db, party.ada.account_id, 700).await;
    assert_eq!(party.pay_rest().await.json()["status"], "PAID");
    assert_eq!((balance(&db, bob).await, entries(&db, bob, "PAYMENT").await), (0, 1));
    let tickets = party.bob.get("/tickets").await.json();
    assert_eq!(tickets["tickets"].as_array().unwrap().len(), 1, "{tickets}");
    party.office.verify().await;
    party.office.close().await;
}

#[sqlx::test]
async fn what_is_lacking_is_all_that_the_card_pays(db: PgPool) {
    let party = Together::open(&db).await;
    give_points(&db, party.bob.account_id, 200).await;
    let page = party.bob.visit(&party.link).await;
    assert_eq!(page.attribute(&format!("{FORM} [name='amount']"), "value"), "500");
    assert!(page.texts(&format!("{FORM} button"))[0].starts_with("Pay the rest by card"));
    let cleo = party.office.sign_in("cleo").await;
    give_points(&db, cleo.account_id, 700).await;
    let page = cleo.visit(&party.link).await;
    assert!(!page.has(FORM) && page.has(&format!("form[action='{}/payment']", party.link)));
    party.office.close().await;
}

#[sqlx::test]
async fn nothing_is_charged_for_a_share_that_could_not_be_paid(db: PgPool) {
    let party = Together::open(&db).await;
    let code = party.code().to_owned();
    let refused = async |person: &Person, code: &str, status: u16, expected: &str| {
        let answer = party.order(person, code).await;
        assert_eq!((answer.status, &*answer.code()), (status, expected), "{}", answer.body);
    };
    refused(&party.ada, &code, 422, "share-own-link").await;
    refused(&party.bob, "nonsense", 404, "not-found").await;
    refused(&party.bob, &"A".repeat(43), 404, "not-found").await;
    run_sql(&db, "update programs set join_confirmed_address = true").await;
    run_sql(&db, "update accounts set email_confirmed_at = null where email like 'bob%'").await;
    refused(&party.bob, &code, 403, "share-unconfirmed").await;
    run_sql(&db, "update programs set join_confirmed_address = false").await;
    let cleo = party.office.sign_in("cleo").await;
    give_points(&db, cleo.account_id, 700).await;
    assert_eq!(cleo.post(&format!("{}/payment", party.link), &()).await.status, 201);
    refused(&party.bob, &code, 409, "share-taken").await;
    assert_eq!(cleo.post(&format!("{}/withdrawal", party.link), &()).await.status, 200);
    refused(&party.bob, &code, 410, "share-ended").await;
    assert_eq!(
        read_one::<i64>(&db, "select count(*) from charges where share_id is not null").await,
        0
    );
    party.office.close().await;
}

#[sqlx::test]
async fn a_page_that_was_left_open_charges_nothing_once_the_hold_is_over(db: PgPool) {
    let party = Together::open(&db).await;
    run_sql(&db, "update reservations set expires_at = now() - interval '1 second'").await;
    assert_eq!(party.order(&party.bob, party.code()).await.code(), "share-hold-over");
    let form = [("amount", "700"), ("share", party.code()), ("next", &*party.link)];
    let page = party.bob.submit("/wallet/charges", &form).await;
    assert_eq!(page.status, 410, "{}", page.body);
    let told = &page.texts(".form__refusal")[0];
    assert!(told.contains("no longer reserved"), "{told}");
    assert_eq!(read_one::<i64>(&db, "select count(*) from charges").await, 0);
    party.office.close_as_it_is().await;
}

/// What is wrong is said on the page of the share, whatever it is.
#[sqlx::test]
async fn a_refusal_for_another_reason_says_that_and_not_that_the_seats_are_gone(db: PgPool) {
    let party = Together::open(&db).await;
    let form = [("amount", "700"), ("share", party.code()), ("next", &*party.link)];
    run_sql(&db, "update programs set join_confirmed_address = true").await;
    run_sql(&db, "update accounts set email_confirmed_at = null where email like 'bob%'").await;
    let page = party.bob.submit("/wallet/charges", &form).await;
    assert_eq!(page.status, 403, "{}", page.body);
    let told = &page.texts(".form__refusal")[0];
    assert!(told.contains("confirm") && !told.contains("no longer"), "{told}");
    assert_eq!(page.attribute("[data-read-again]", "data-read-again"), party.link);
    party.office.close().await;
}

/// A press that is repeated after the money came leads to what it bought, and charges nothing more.
#[sqlx::test]
async fn a_press_that_is_repeated_after_the_payment_leads_to_it(db: PgPool) {
    let party = Together::open(&db).await;
    let key = Uuid::now_v7().to_string();
    let form = [("amount", "700"), ("share", party.code()), ("request_key", &*key)];
    let sent = party.bob.submit("/wallet/charges", &form).await;
    let session = sent.location().rsplit('/').next().unwrap();
    let event = party.stripe.completed(&party.stripe.change(session, "paid").await).await;
    assert_eq!(event.deliver(&party.bob).await.status, 200);
    assert_eq!(share_status(&db).await, "WITHHELD");
    let again = party.bob.submit("/wallet/charges", &form).await;
    assert_eq!((again.status, again.location()), (303, &*charge_path(&db).await));
    let anew = party.order(&party.bob, party.code()).await;
    assert_eq!((anew.status, &*anew.code()), (409, "share-taken"), "another press is refused");
    assert_eq!(read_one::<i64>(&db, "select count(*) from charges").await, 1);
    party.office.close().await;
}

#[sqlx::test]
async fn money_that_comes_too_late_stays_in_the_wallet_and_the_page_says_so(db: PgPool) {
    let party = Together::open(&db).await;
    let (_, session) = party.press().await;
    let path = format!("/reservations/{}/cancellation", party.reservation_id);
    assert_eq!(party.ada.post(&path, &()).await.status, 200);
    let event = party.stripe.completed(&party.stripe.change(&session, "paid").await).await;
    assert_eq!(event.deliver(&party.bob).await.status, 200);
    assert_eq!(balance(&db, party.bob.account_id).await, 700);
    assert!(!read_one::<bool>(&db, "select pays from charges").await);
    let page = party.bob.visit(&charge_path(&db).await).await;
    assert!(page.body.contains("no longer reserved when the payment arrived"), "{}", page.body);
    assert_eq!(page.attribute(".actions .button--primary", "href"), party.link);
    party.office.close().await;
}

/// As where the process that settled the charge dies before it pays.
#[sqlx::test]
async fn a_worker_pays_a_share_that_was_left_unpaid(db: PgPool) {
    let party = Together::open(&db).await;
    let (_, session) = party.press().await;
    party.stripe.change(&session, "paid").await;
    for statement in [
        "create function refuse() returns trigger language plpgsql as
        $$ begin raise exception 'no' using errcode = '57014'; end $$",
        "create trigger refused before update on shares for each row execute function refuse()",
    ] {
        run_sql(&db, statement).await;
    }
    make_due(&db).await;
    until("a credit", async || balance(&db, party.bob.account_id).await == 700).await;
    assert!(read_one::<bool>(&db, "select pays from charges").await);
    run_sql(&db, "drop trigger refused on shares").await;
    until("a payment", async || share_status(&db).await == "WITHHELD").await;
    until("its note", async || !read_one::<bool>(&db, "select pays from charges").await).await;
    party.office.close().await;
}
