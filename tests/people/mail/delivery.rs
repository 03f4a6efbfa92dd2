//! Servers that are away, busy or slow, and instances that are killed: no mail is lost, and the
//! mails of one subject come in order.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::PgPool;
use uuid::Uuid;

use super::{buy, counts, hurry, office_with};
use crate::support::{
    ChildInstance, Concert, ConcertOptions, MailServer, Office, free_port, read_all, read_one,
    run_sql, until,
};

#[sqlx::test]
async fn a_busy_server_is_asked_again_and_a_refusal_is_final(db: PgPool) {
    let server = MailServer::start();
    let office = office_with(&db, 2, &server.url()).await;
    let concert = Concert::usual(&db).await;
    let (busy, refused) = (office.sign_in("busy").await, office.sign_in("refused").await);
    buy(&db, &concert, &busy, 0).await;
    buy(&db, &concert, &refused, 1).await;
    until("a refusal of both", async || {
        let waiting = "select count(*) from outbox where last_error is null";
        read_one::<i64>(&db, waiting).await == 0
    })
    .await;
    assert_eq!(counts(&db).await, (0, 1, 1));
    until("the mail after two attempts", async || {
        hurry(&db).await;
        counts(&db).await == (1, 0, 1)
    })
    .await;
    let (attempts, error): (i32, String) =
        sqlx::query_as("select attempts, last_error from outbox where failed_at is not null")
            .fetch_one(&db)
            .await
            .unwrap();
    assert_eq!(attempts, 1);
    assert!(error.contains("550") && error.contains("No such mailbox"), "{error}");
    let tried: i32 = read_one(&db, "select attempts from outbox where sent_at is not null").await;
    assert_eq!((tried, server.received().len()), (2, 1));
    office.close().await;
}

#[sqlx::test]
async fn a_mail_whose_answer_is_missing_is_given_up_after_so_many_attempts_and_not_one_refused_for_now(
    db: PgPool,
) {
    let server = MailServer::start();
    let concert = Concert::usual(&db).await;
    // Nothing is sent yet.
    let office = Office::open(db.clone()).await;
    let (busy, cut) = (office.sign_in("busy").await, office.sign_in("cut").await);
    buy(&db, &concert, &busy, 0).await;
    buy(&db, &concert, &cut, 1).await;
    run_sql(&db, "update outbox set attempts = 19, unheard = 19").await;
    office.close_as_it_is().await;
    let office = office_with(&db, 1, &server.url()).await;
    until("one end", async || {
        // The twentieth pause is long, and longer than a claim.
        let due = "update outbox set next_attempt_at = now() where next_attempt_at > now() + interval '6 minutes'";
        run_sql(&db, due).await;
        counts(&db).await == (1, 0, 1)
    })
    .await;
    let given_up = "select left(recipient, 3) from outbox where failed_at is not null";
    assert_eq!(read_one::<String>(&db, given_up).await, "cut");
    assert_eq!(server.received().len(), 1);
    office.close().await;
}

/// An instance of the version before meets mails of kinds that it does not know, while a later one starts beside it.
#[sqlx::test]
async fn a_mail_of_a_kind_that_only_a_later_version_knows_waits_for_that_version(db: PgPool) {
    let server = MailServer::start();
    let office = office_with(&db, 1, &server.url()).await;
    let (concert, person) = (Concert::usual(&db).await, office.sign_in("late").await);
    let later = "create function as_a_later_version() returns trigger language plpgsql as $$
        begin new.kind := new.kind || '-later'; return new; end $$;";
    run_sql(&db, later).await;
    run_sql(
        &db,
        "create trigger as_a_later_version before insert on outbox
         for each row execute function as_a_later_version()",
    )
    .await;
    buy(&db, &concert, &person, 0).await;
    until("an attempt", async || {
        let tried = "select count(*) from outbox where attempts > 0";
        read_one::<i64>(&db, tried).await == 1
    })
    .await;
    assert_eq!(counts(&db).await, (0, 1, 0), "it is put off, and not given up");
    run_sql(&db, "update outbox set kind = replace(kind, '-later', ''), next_attempt_at = now()")
        .await;
    until("the mail", async || {
        hurry(&db).await;
        counts(&db).await == (1, 0, 0)
    })
    .await;
    office.close().await;
}

#[sqlx::test]
async fn a_server_that_is_away_costs_no_attempt_and_no_mail(db: PgPool) {
    const BUYERS: usize = 8;
    let port = free_port();
    let office = office_with(&db, 2, &format!("smtp://127.0.0.1:{port}")).await;
    let concert = Concert::usual(&db).await;
    let people = office.crowd(BUYERS, "buyer").await;
    for (nth, person) in people.iter().enumerate() {
        buy(&db, &concert, person, nth).await;
    }
    for _ in 0..3 {
        run_sql(&db, "update outbox set last_error = null, next_attempt_at = now()").await;
        until("an attempt for each", async || {
            read_one::<i64>(&db, "select count(last_error) from outbox").await == 8
        })
        .await;
    }
    let attempts: i64 = read_one(&db, "select sum(attempts) from outbox").await;
    assert_eq!((attempts, counts(&db).await), (0, (0, 8, 0)));

    let server = MailServer::start_at(port);
    hurry(&db).await;
    until("every mail", async || counts(&db).await == (8, 0, 0)).await;
    let to: BTreeSet<String> =
        server.received().into_iter().flat_map(|mail| mail.recipients).collect();
    assert_eq!((to.len(), server.received().len()), (BUYERS, BUYERS));
    office.close().await;
}

/// Mails of one thing wait for each other, also in different instances.
#[sqlx::test]
async fn two_instances_send_each_mail_once_and_a_refund_after_its_payment(db: PgPool) {
    const BUYERS: usize = 30;
    let port = free_port();
    let office = office_with(&db, 3, &format!("smtp://127.0.0.1:{port}")).await;
    let seats = i32::try_from(BUYERS).unwrap();
    let concert = Concert::with(&db, ConcertOptions { seats, ..ConcertOptions::default() }).await;
    let people = office.crowd(BUYERS, "buyer").await;
    for (nth, person) in people.iter().enumerate() {
        let bought = buy(&db, &concert, person, nth).await;
        let path = format!("/reservations/{}/cancellation", bought.reservation_id);
        let refunded = person.post(&path, &()).await;
        assert_eq!(refunded.status, 200, "{}", refunded.body);
    }
    let server = MailServer::start_at(port);
    until("every mail", async || {
        hurry(&db).await;
        counts(&db).await == (60, 0, 0)
    })
    .await;
    let received = server.received();
    let ids: BTreeSet<&str> = received.iter().map(|mail| mail.header("Message-ID")).collect();
    assert_eq!((ids.len(), received.len()), (2 * BUYERS, 2 * BUYERS));
    let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for mail in &received {
        let subject = mail.header("Subject").to_owned();
        told.entry(mail.recipients[0].clone()).or_default().push(subject);
    }
    for subjects in told.values() {
        assert!(subjects[0].starts_with("Your tickets"), "{subjects:?}");
        assert!(subjects[1].starts_with("Refund"), "{subjects:?}");
    }
    office.close().await;
}

/// An earlier mail that waits keeps the later ones of its thing back, and no others.
#[sqlx::test]
async fn a_mail_that_waits_holds_up_only_what_follows_it(db: PgPool) {
    let server = MailServer::start();
    let office = office_with(&db, 2, &server.url()).await;
    let concert = Concert::usual(&db).await;
    let (busy, other) = (office.sign_in("busy").await, office.sign_in("other").await);
    let bought = buy(&db, &concert, &busy, 0).await;
    let path = format!("/reservations/{}/cancellation", bought.reservation_id);
    assert_eq!(busy.post(&path, &()).await.status, 200);
    buy(&db, &concert, &other, 1).await;
    server.until_received(1).await;
    until("the first attempt", async || {
        read_one::<i64>(&db, "select count(*) from outbox where attempts > 0").await == 1
    })
    .await;
    let kinds: Vec<String> =
        read_all(&db, "select kind from outbox where sent_at is null and claims = 0").await;
    assert_eq!(kinds, ["reservation-refunded"]);
    // What is given up holds nothing up.
    run_sql(&db, "update outbox set failed_at = now() where attempts > 0 and sent_at is null")
        .await;
    until("the refund's mail", async || {
        hurry(&db).await;
        counts(&db).await == (2, 0, 1)
    })
    .await;
    office.close().await;
}

#[sqlx::test]
async fn a_mail_whose_sender_was_killed_is_sent_again_with_the_same_id(db: PgPool) {
    let server = MailServer::start();
    let mut office = Office::open(db.clone()).await;
    let (concert, person) = (Concert::usual(&db).await, office.sign_in("stalled").await);
    buy(&db, &concert, &person, 0).await;
    office.leave().await;
    let url = server.url();
    let settings = [("SMTP_URL", url.as_str()), ("MAIL_FROM", super::FROM)];
    let mut child = ChildInstance::start_with(&office, &settings).await;
    // The server has taken the mail, and its answer is never read.
    server.until_received(1).await;
    child.kill();
    assert_eq!(counts(&db).await, (0, 1, 0));

    // As if its claim had ended.
    run_sql(&db, "update outbox set next_attempt_at = now()").await;
    let _second = ChildInstance::start_with(&office, &settings).await;
    until("the mail again", async || counts(&db).await == (1, 0, 0)).await;
    let received = server.received();
    let ids: Vec<&str> = received.iter().map(|mail| mail.header("Message-ID")).collect();
    assert_eq!((ids.len(), ids[0]), (2, ids[1]));
    assert_eq!(received[0].header("Date"), received[1].header("Date"));
    let id: Uuid = read_one(&db, "select id from outbox").await;
    assert!(ids[0].contains(&id.to_string()));
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_mail_to_an_address_that_takes_none_holds_up_no_other_of_the_account(db: PgPool) {
    let server = MailServer::start();
    let office = office_with(&db, 1, &server.url()).await;
    let (person, password) = (office.stranger(), "correct otter lantern");
    let form = [("email", "busy@example.com"), ("name", "Somebody"), ("password", password)];
    assert_eq!(person.post("/signup", &form).await.status, 201);
    let form = [("email", "ada@example.com"), ("password", password)];
    assert_eq!(person.post("/account/address", &form).await.status, 202);

    let link = server.until_received(1).await[0].text.clone();
    let token = link.split("token=").nth(1).unwrap().split_whitespace().next().unwrap();
    assert_eq!(person.post("/address/confirmation", &[("token", token)]).await.status, 200);
    until("the mail about the change", async || {
        let to_ada = server.received().into_iter();
        to_ada.filter(|mail| mail.recipients == ["ada@example.com"]).count() == 2
    })
    .await;
    let waiting = "select kind from outbox where sent_at is null order by position";
    let waiting: Vec<String> = read_all(&db, waiting).await;
    assert_eq!(waiting[..2], ["confirm-address", "address-change-asked"]);
    office.close().await;
}
