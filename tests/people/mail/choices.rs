//! Which mails a person wants, in which language, and the link that ends them.

use reqwest::Method;
use serde_json::json;
use sqlx::PgPool;

use super::{buy, kinds, offer, office_with};
use crate::support::{Concert, MailServer, Office, Person, read_all, read_one, run_sql};

/// Gives `person` points to offer.
async fn charge(person: &Person) {
    assert_eq!(person.post("/wallet/charges", &[("amount", 1_000)]).await.status, 201);
}

/// Returns which mails `person` wants.
async fn choices_of(person: &Person) -> serde_json::Value {
    person.get("/account").await.json()["mails"].clone()
}

/// Returns the path and query of a link of this site.
fn path_of(link: &str) -> &str {
    link.strip_prefix("http://tickets.localhost").unwrap_or_else(|| panic!("{link}"))
}

#[sqlx::test]
async fn declined_mails_are_not_written_and_what_was_paid_always_is(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let all = json!({ "language": null, "transfers": true, "turn": true, "letters": true });
    assert_eq!(choices_of(&bob).await, all);
    let page = bob.visit("/account").await;
    assert_eq!(page.count("#mails [type=checkbox][checked]"), 3, "{}", page.body);

    // A browser leaves out what is not checked.
    let saved = bob.submit("/account/mails", &[("language", ""), ("turn", "on")]).await;
    assert_eq!((saved.status, saved.location()), (303, "/account#mails"));
    let declined = json!({ "language": null, "transfers": false, "turn": true, "letters": false });
    assert_eq!(choices_of(&bob).await, declined);
    charge(&ada).await;
    offer(&db, &ada, &bob, 100).await;
    buy(&db, &concert, &bob, 0).await;
    assert_eq!(kinds(&db).await, ["reservation-paid"]);

    assert_eq!(bob.post_json("/account/mails", &json!({ "transfers": true })).await.status, 200);
    offer(&db, &ada, &bob, 100).await;
    assert_eq!(kinds(&db).await, ["reservation-paid", "transfer-received"]);
    for wrong in [json!({ "language": "tlh" }), json!({ "transfers": "perhaps" })] {
        assert_eq!(bob.post_json("/account/mails", &wrong).await.code(), "invalid", "{wrong}");
    }
    office.close().await;
}

#[sqlx::test]
async fn mails_are_in_the_language_that_was_chosen_or_else_in_that_of_the_pages(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada).await;
    for (chosen, pages, expected) in
        [("", "en", "en"), ("", "ko", "ko"), ("en", "ko", "en"), ("ko", "en", "ko")]
    {
        run_sql(&db, "delete from outbox").await;
        let form = [("language", chosen), ("transfers", "on")];
        assert_eq!(bob.post("/account/mails", &form).await.status, 200);
        let switched = bob.submit("/language", &[("lang", pages), ("next", "/")]).await;
        assert_eq!(switched.status, 303);
        offer(&db, &ada, &bob, 10).await;
        assert_eq!(bob.post("/account/address/confirmation", &()).await.status, 202);
        let locales: Vec<String> = read_all(&db, "select locale from outbox").await;
        // Of links there are three an hour.
        assert!(!locales.is_empty(), "{chosen} {pages}");
        assert!(locales.iter().all(|locale| locale == expected), "{chosen} {pages}: {locales:?}");
    }
    office.close().await;
}

#[sqlx::test]
async fn a_link_ends_its_kind_of_mails_without_a_log_in_and_reading_it_ends_nothing(db: PgPool) {
    let server = MailServer::start();
    let office = office_with(&db, 2, &server.url()).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada).await;
    buy(&db, &concert, &bob, 0).await;
    server.until_received(1).await;
    offer(&db, &ada, &bob, 100).await;
    let mails = server.until_received(2).await;
    assert!(mails[0].all("List-Unsubscribe").is_empty(), "{}", mails[0].raw);
    assert_eq!(mails[1].header("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    let link = mails[1].header("List-Unsubscribe").trim_matches(['<', '>']).to_owned();
    for part in [&mails[1].text, &mails[1].html] {
        assert!(part.contains(&link), "{part}");
        assert!(part.contains("http://tickets.localhost/account#mails"), "{part}");
    }

    let stranger = office.moved(&office.stranger(), 1);
    let page = stranger.visit(path_of(&link)).await;
    assert!(page.status == 200 && page.has("form[method=post] button"), "{}", page.body);
    assert_eq!(page.header("referrer-policy"), "strict-origin");
    assert_eq!(choices_of(&bob).await["transfers"], true);
    let pressed = stranger.submit(&page.attribute("main form", "action"), &()).await;
    assert_eq!((pressed.status, pressed.location()), (303, path_of(&link)));
    assert!(!stranger.visit(path_of(&link)).await.has("main form"));
    assert_eq!(
        choices_of(&bob).await,
        json!({ "language": null, "transfers": false, "turn": true, "letters": true })
    );
    offer(&db, &ada, &bob, 100).await;
    assert_eq!(kinds(&db).await, ["reservation-paid", "transfer-received"]);
    office.close().await;
}

/// RFC 8058: one POST, in either form, without cookies; its answer is no redirect.
#[sqlx::test]
async fn a_mail_program_ends_them_with_one_post(db: PgPool) {
    let server = MailServer::start();
    let office = office_with(&db, 1, &server.url()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada).await;
    offer(&db, &ada, &bob, 100).await;
    let mails = server.until_received(1).await;
    let link = mails[0].header("List-Unsubscribe").trim_matches(['<', '>']).to_owned();
    let multipart = "--x\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\n\
                     One-Click\r\n--x--\r\n";
    for (media_type, body) in [
        ("application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"),
        ("multipart/form-data; boundary=x", multipart),
    ] {
        run_sql(&db, "update accounts set mails_transfers = true").await;
        let program = office.stranger();
        let post = program.asks(Method::POST, path_of(&link), "*/*");
        let post = post.header("content-type", media_type).body(body);
        let answer = program.send(post).await;
        assert_eq!((answer.status, answer.location()), (200, ""), "{}", answer.body);
        assert_eq!(choices_of(&bob).await["transfers"], false, "{media_type}");
    }
    assert_eq!(choices_of(&ada).await["transfers"], true);
    office.close().await;
}

#[sqlx::test]
async fn a_link_dies_with_its_account(db: PgPool) {
    let server = MailServer::start();
    let office = office_with(&db, 1, &server.url()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada).await;
    let path = offer(&db, &ada, &bob, 100).await;
    let mails = server.until_received(1).await;
    let link = mails[0].header("List-Unsubscribe").trim_matches(['<', '>']).to_owned();
    let rejected = bob.post(&format!("{path}/rejection"), &()).await;
    assert_eq!(rejected.status, 200, "{}", rejected.body);
    let deleted = bob.post("/account/deletion", &()).await;
    assert_eq!(deleted.status, 200, "{}", deleted.body);

    let stranger = office.stranger();
    let form = [("List-Unsubscribe", "One-Click")];
    for answer in [stranger.get(path_of(&link)).await, stranger.post(path_of(&link), &form).await] {
        let told = (answer.status, answer.code());
        assert_eq!(told, (410, "unsubscription-dead".to_owned()), "{}", answer.body);
    }
    office.close().await;
}

#[sqlx::test]
async fn a_link_that_was_not_signed_here_ends_nothing_and_others_see_none_that_works(db: PgPool) {
    // No server listens there.
    let office = office_with(&db, 1, "smtp://127.0.0.1:9").await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada).await;
    offer(&db, &ada, &bob, 100).await;
    for token in ["", "nonsense", "e30.e30.e30"] {
        let path = format!("/mails/unsubscription?token={token}");
        assert_eq!(office.stranger().get(&path).await.code(), "unsubscription-dead", "{token}");
        let posted = office.stranger().post(&path, &()).await;
        assert_eq!((posted.status, posted.code()), (410, "unsubscription-dead".to_owned()));
    }
    assert_eq!(choices_of(&bob).await["transfers"], true);
    let admin = office.employ("admin", "ADMIN").await;
    let id: uuid::Uuid = read_one(&db, "select id from outbox").await;
    let shown = admin.get(&format!("/admin/mails/{id}")).await.json()["text"].to_string();
    assert!(shown.contains("/mails/unsubscription?token=...") && !shown.contains("eyJ"), "{shown}");
    office.close().await;
}
