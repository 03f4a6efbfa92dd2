//! What cannot be undone asks for the password again.

use reqwest::Method;
use sqlx::PgPool;
use stagedoor::routes;
use uuid::Uuid;

use crate::support::{Concert, Office, Person, read_one, run_sql};

const PASSWORD: &str = "a long enough one";
/// Everything that asks; `docs/SECURITY-EVENTS.md` has the same list.
const ASKS: [&str; 19] = [
    "/account/deletion",
    "/admin/api-keys",
    "/admin/letters/{id}/release",
    "/admin/payouts/attempts",
    "/admin/payouts/{id}/attempts",
    "/admin/people/{id}/adjustments",
    "/admin/people/{id}/debt-write-offs",
    "/admin/people/{id}/role",
    "/admin/people/{id}/second-factor/removal",
    "/admin/programs/{id}/cancellation",
    "/admin/programs/{id}/queue/draw/beacon-omission",
    "/admin/programs/{id}/queue/purge",
    "/admin/reservations/{id}/refund",
    "/admin/schedules/{id}/cancellation",
    "/admin/setbacks/{id}/end",
    "/admin/webhooks",
    "/admin/webhooks/{id}",
    "/admin/webhooks/{id}/deletion",
    "/admin/webhooks/{id}/secret",
];

/// An admin with a password, whose session was confirmed a while ago.
async fn unconfirmed(office: &Office) -> Person {
    let admin = office.stranger();
    let form = [("email", "boss@example.com"), ("name", "Ada"), ("password", PASSWORD)];
    assert_eq!(admin.post("/signup", &form).await.status, 201);
    let change = [
        "update accounts set role = 'ADMIN', is_demo = true",
        "update sessions set confirmed_at = now() - interval '11 minutes'",
    ];
    for change in change {
        run_sql(&office.db, change).await;
    }
    admin
}

#[sqlx::test]
async fn what_cannot_be_undone_asks_and_nothing_else_does(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let admin = unconfirmed(&office).await;
    let mut asking = Vec::new();
    for path in routes::all() {
        let pattern = path.pattern();
        if !(pattern.starts_with("/admin") || pattern == "/account/deletion")
            || !path.methods().any(|method| *method == actix_web::http::Method::POST)
        {
            continue;
        }
        let example = pattern.replace("{id}", &Uuid::nil().to_string());
        let answer = admin.post(&example.replace("{zone_id}", &Uuid::nil().to_string()), &()).await;
        if answer.code() == "confirmation-required" {
            assert_eq!(answer.status, 403);
            asking.push(pattern);
        }
    }
    asking.sort_unstable();
    assert_eq!(asking, ASKS);
    let reference = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/SECURITY-EVENTS.md"));
    for pattern in ASKS {
        assert!(
            reference.contains(&format!("`POST {pattern}`")),
            "{pattern} is not in the reference"
        );
    }
    office.close().await;
}

#[sqlx::test]
async fn the_right_password_leads_back_and_opens_the_door_for_a_while(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = unconfirmed(&office).await;
    let page = format!("/admin/programs/{}/cancellation", concert.program_id);
    let order = [("version", "0"), ("reason", "the hall is flooded")];
    let form = admin.asks(Method::POST, &page, "text/html");
    let form = form.header("referer", format!("{}{page}", office.base(0)));
    let asked = admin.send_form(form, &order).await;
    let target = format!("/account/confirmation?next={}", page.replace('/', "%2F"));
    assert_eq!((asked.status, asked.location()), (303, target.as_str()));
    let shown = admin.visit(&target).await;
    assert!(shown.status == 200 && shown.has(&format!("[value='{page}']")), "{}", shown.body);

    let confirm = |password: &str| [("password", password.to_owned()), ("next", page.clone())];
    let wrong = admin.submit("/account/confirmation", &confirm("a guess or so")).await;
    assert!(wrong.status == 422 && wrong.has("[role='alert']"), "{}", wrong.body);
    assert_eq!(admin.post(&page, &order).await.code(), "confirmation-required");
    let right = admin.submit("/account/confirmation", &confirm(PASSWORD)).await;
    assert_eq!((right.status, right.location()), (303, page.as_str()));
    assert_eq!(admin.post(&page, &order).await.status, 200);

    // The other session of the same account was not asked.
    let owner: Uuid = read_one(&db, "select account_id from sessions").await;
    let other = office.log_in(&office.person(owner, 0), 0).await;
    run_sql(&db, "update sessions set confirmed_at = now() - interval '11 minutes'").await;
    assert_eq!(admin.post("/account/confirmation", &confirm(PASSWORD)).await.status, 200);
    assert_eq!(other.post(&page, &order).await.code(), "confirmation-required");
    office.close().await;
}

/// A thief with a session must not guess on at the password it lacks.
#[sqlx::test]
async fn guesses_at_the_confirmation_are_counted_as_at_the_log_in(db: PgPool) {
    let office = Office::open_with(db, 1, &[("TEST_LOGIN_PER_MINUTE", "3")]).await;
    let admin = unconfirmed(&office).await;
    for _ in 0..3 {
        let guess = admin.post("/account/confirmation", &[("password", "a guess or so")]).await;
        assert_eq!((guess.status, guess.code().as_str()), (422, "wrong-password"));
    }
    let refused = admin.post("/account/confirmation", &[("password", PASSWORD)]).await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "rate-limited"));
    office.close().await;
}

/// Whichever form it is: the person was on the way to somewhere.
#[sqlx::test]
async fn an_error_leads_back_to_the_form_and_on_to_where_the_person_was_going(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = unconfirmed(&office).await;
    run_sql(
        &db,
        "create function fail() returns trigger language plpgsql as
         $$ begin raise exception 'the test refuses it'; end $$",
    )
    .await;
    for table in ["sessions", "account_tokens"] {
        let sql = format!(
            "create trigger {table}_fail before insert or update on {table}
             for each row execute function fail()"
        );
        run_sql(&db, sqlx::AssertSqlSafe(sql)).await;
    }
    let stranger = office.stranger();
    let (way, password) = ("/wallet", PASSWORD);
    for (person, form, fields) in [
        (&stranger, "/login", vec![("email", "boss@example.com"), ("password", password)]),
        (
            &stranger,
            "/signup",
            vec![("email", "new@example.com"), ("name", "New"), ("password", password)],
        ),
        (&admin, "/account/confirmation", vec![("password", password)]),
        (&admin, "/account/address/confirmation", vec![]),
    ] {
        let sent = [fields, vec![("next", way)]].concat();
        let failed = person.submit(form, &sent).await;
        assert_eq!(failed.status, 500, "{form}: {}", failed.body);
        let back = format!("main a.button[href='{form}?next=%2Fwallet']");
        assert!(failed.has(&back), "{form}: {}", failed.body);
    }
    office.close_as_it_is().await;
}
