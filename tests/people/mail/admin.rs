//! Mails on the administrators' pages, and what becomes of old ones.

use sqlx::PgPool;
use uuid::Uuid;

use super::{buy, counts, office_with};
use crate::support::{Concert, MailServer, Office, acts, email_of, read_one, run_sql, until};

#[sqlx::test]
async fn without_a_mail_server_mails_are_kept_and_shown(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (concert, person) = (Concert::usual(&db).await, office.sign_in("buyer").await);
    let admin = office.employ("admin", "ADMIN").await;
    buy(&db, &concert, &person, 0).await;
    let list = admin.get("/admin/mails?state=waiting").await;
    assert_eq!((list.status, list.json()["is_kept"].as_bool()), (200, Some(true)));
    let mails = list.json()["mails"].as_array().unwrap().clone();
    assert_eq!(mails.len(), 1, "{}", list.body);
    assert_eq!(mails[0]["to"], email_of(&db, person.account_id).await);
    let page = admin.visit("/admin/mails").await;
    assert!(page.has(".notice") && page.count(".running__item") == 1, "{}", page.body);

    let path = format!("/admin/mails/{}", mails[0]["id"].as_str().unwrap());
    let shown = admin.visit(&path).await;
    assert!(shown.texts("pre")[0].contains("Your tickets are ready"), "{}", shown.body);
    assert!(admin.get(&path).await.json()["text"].as_str().unwrap().contains("50,000 points"));
    let html = admin.visit(&format!("{path}/html")).await;
    let policy = html.header("content-security-policy");
    assert!(policy.contains("sandbox") && policy.contains("default-src 'none'"), "{policy}");
    assert!(!policy.contains("script"), "{policy}");
    assert!(html.has(".button"), "{}", html.body);
    for (stranger, status) in [(&person, 403), (&office.employ("staff", "STAFF").await, 403)] {
        for path in ["/admin/mails", &path, &format!("{path}/html")] {
            assert_eq!(stranger.get(path).await.status, status, "{path}");
        }
    }
    assert_eq!(counts(&db).await, (0, 1, 0));
    office.close().await;
}

#[sqlx::test]
async fn a_mail_that_was_given_up_is_sent_again_once_and_the_act_is_recorded(db: PgPool) {
    let server = MailServer::start();
    let office = office_with(&db, 2, &server.url()).await;
    let (concert, person) = (Concert::usual(&db).await, office.sign_in("refused").await);
    let admin = office.employ("admin", "ADMIN").await;
    buy(&db, &concert, &person, 0).await;
    until("a refusal", async || counts(&db).await == (0, 0, 1)).await;
    let id: Uuid = read_one(&db, "select id from outbox").await;
    let page = admin.visit(&format!("/admin/mails/{id}")).await;
    assert!(page.has("form[action$='/sending']") && page.body.contains("No such mailbox"));

    run_sql(&db, "update outbox set recipient = 'fixed@example.com'").await;
    let path = format!("/admin/mails/{id}/sending");
    assert_eq!(person.post(&path, &()).await.status, 403);
    assert_eq!(admin.post(&path, &()).await.status, 200);
    let mails = server.until_received(1).await;
    assert_eq!(mails[0].recipients, ["fixed@example.com"]);
    until("the end", async || counts(&db).await == (1, 0, 0)).await;
    assert_eq!(admin.post(&path, &()).await.code(), "mail-not-failed");
    assert_eq!(acts(&db).await, ["mail-sent-again"]);
    let nowhere = format!("/admin/mails/{}/sending", Uuid::now_v7());
    assert_eq!(admin.post(&nowhere, &()).await.status, 404);
    office.close().await;
}

#[sqlx::test]
async fn what_is_late_is_given_up_and_what_is_old_goes(db: PgPool) {
    let office = Office::open(db.clone()).await;
    run_sql(
        &db,
        "insert into outbox (id, kind, payload, secret, recipient, locale, order_key, dedupe_key,
             expires_at, created_at)
         select gen_random_uuid(), kind, 'null', secret, 'ada@example.com', 'en', kind, kind,
             now() - interval '1 minute', now() - make_interval(days => days)
         from (values ('reset-password', 'a token', 1), ('password-changed', null, 1),
             ('address-changed', null, 31)) mails (kind, secret, days)",
    )
    .await;
    stagedoor::outbox::end_old(&office.app.db, false).await.unwrap();
    let secrets: i64 = read_one(&db, "select count(secret) from outbox").await;
    assert_eq!((secrets, counts(&db).await), (0, (0, 1, 1)));
    stagedoor::outbox::end_old(&office.app.db, true).await.unwrap();
    assert_eq!(counts(&db).await, (0, 0, 2));
    office.close().await;
}
