//! Deleting the own account: what keeps it, what is given up, and what becomes of the rest.

mod debts;
mod late;
mod races;

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{
    Answer, Concert, ConcertOptions, Hold, Office, PASSWORD, Person, Purchase, Signed, email_of,
    ledger::{balance, entries},
    read_all, read_one, read_one_with, run_sql, run_sql_with, secret_of, sign_up, until,
};

const PATH: &str = "/account/deletion";

/// Deletes the account of `person`, who gives `points` up.
async fn delete(person: &Person, points: i64) -> Answer {
    person.post(PATH, &[("points", points)]).await
}

async fn charge(person: &Person, points: i64) {
    let charged = person.post("/wallet/charges", &[("amount", points)]).await;
    assert_eq!(charged.status, 201, "{}", charged.body);
}

/// Returns what keeps the account of `person`, in the words of programs.
fn kinds(answer: &Answer) -> Vec<String> {
    let obstacles = answer.json()["obstacles"].as_array().unwrap().clone();
    obstacles.iter().map(|obstacle| obstacle["kind"].as_str().unwrap().to_owned()).collect()
}

#[sqlx::test]
async fn a_deleted_account_is_nobodys_and_its_address_is_free(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let Signed { person: ada, email } = sign_up(&office, "ada").await;
    let phone = office.log_in(&ada, 1).await;
    let asked = office.stranger().post("/password/forgotten", &[("email", &email)]).await;
    assert_eq!(asked.status, 202);
    let link = secret_of(&db, "reset-password").await;
    run_sql(&db, "update outbox set sent_at = now(), secret = null where kind = 'confirm-address'")
        .await;
    assert_eq!(ada.post("/receipts/name", &[("buyer", "Ada Ltd")]).await.status, 200);
    assert_eq!(delete(&ada, 0).await.status, 200);

    let row = "select email || ' ' || password_hash || ' ' || name from accounts where id = $1";
    let row: String = read_one_with(&db, row, ada.account_id).await;
    assert_eq!(row, format!("deleted-{} - Deleted account", ada.account_id));
    for device in [&ada, &phone] {
        assert_eq!(device.get("/account").await.code(), "login-required");
    }
    assert_eq!((ada.cookie("session"), ada.cookie("device")), (None, None));
    let form = [("email", email.as_str()), ("password", PASSWORD)];
    assert_eq!(office.stranger().post("/login", &form).await.status, 401);
    let reset = [("token", link.as_str()), ("password", "yet another lantern")];
    assert_eq!(office.stranger().post("/password/reset", &reset).await.code(), "link-dead");
    let left = "select count(*) from (select account_id from sessions union all
        select account_id from account_tokens union all select account_id from receipt_names union all
        select account_id from idempotency_keys) kept where account_id = $1";
    assert_eq!(read_one_with::<i64>(&db, left, ada.account_id).await, 0);
    // What was sent is forgotten; what is due is sent, and the last mail tells of the deletion.
    let told: Vec<String> = read_all(&db, "select kind from outbox order by position").await;
    assert_eq!(told, ["reset-password", "account-deleted"]);

    let anew = [("email", email.as_str()), ("name", "Ada again"), ("password", PASSWORD)];
    let anew = office.stranger().post("/signup", &anew).await;
    assert_eq!(anew.status, 201, "{}", anew.body);
    assert_ne!(anew.json()["account_id"], ada.account_id.to_string());
    office.close().await;
}

#[sqlx::test]
async fn a_balance_is_given_up_in_so_many_words(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 12_500).await;
    let form = json!({ "to": email_of(&db, bob.account_id).await, "amount": 200 });
    let sent = ada.post_json("/wallet/transfers", &form).await.json();
    let path = format!("/wallet/transfers/{}", sent["transfer_id"].as_str().unwrap());
    assert_eq!(bob.post(&format!("{path}/acceptance"), &()).await.status, 200);

    assert_eq!(ada.get(PATH).await.json()["balance"], 12_300);
    for typed in ["", "0", "12299", "12500", "all", "-12300"] {
        let refused = ada.post(PATH, &[("points", typed)]).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "balance-kept"), "{typed}");
        assert_eq!(refused.json()["balance"], 12_300);
    }
    let page = ada.submit(PATH, &[("points", "12")]).await;
    assert!(page.status == 422 && page.has("[role=alert]"), "{}", page.body);
    assert_eq!(page.texts("label[for=points]"), ["Type 12,300 to give up your points"]);
    assert_eq!(balance(&db, ada.account_id).await, 12_300);

    let done = ada.submit(PATH, &[("points", "12,300")]).await;
    assert_eq!((done.status, done.location()), (303, "/"), "{}", done.body);
    let home = ada.visit("/").await;
    assert!(home.body.contains("Your account is deleted."), "{}", home.body);
    assert_eq!(balance(&db, ada.account_id).await, 0);
    let forfeit = "select amount from point_transactions where kind = 'FORFEIT'";
    assert_eq!(read_all::<i64>(&db, forfeit).await, [-12_300]);
    let seen = bob.get(&path).await.json();
    assert_eq!(seen["from"], "Deleted account", "{seen}");
    let wallet = bob.visit("/wallet").await;
    assert!(!wallet.body.contains("FORFEIT"), "{}", wallet.body);
    office.close().await;
}

#[sqlx::test]
async fn what_is_still_running_keeps_the_account_and_leads_to_where_it_ends(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 1_000).await;
    charge(&bob, 1_000).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    let hold = Hold { seat_ids: &concert.seat_ids[1..2], ..Hold::default() };
    let held = hold.write(&db, &concert, ada.account_id).await;
    let send = async |from: &Person, to: &Person| {
        let form = json!({ "to": email_of(&db, to.account_id).await, "amount": 5 });
        let sent = from.post_json("/wallet/transfers", &form).await;
        format!("/wallet/transfers/{}", sent.json()["transfer_id"].as_str().unwrap())
    };
    let (sent, received) = (send(&ada, &bob).await, send(&bob, &ada).await);

    let refused = delete(&ada, 951_000).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "account-kept"));
    assert_eq!(kinds(&refused), ["hold", "transfer-received", "transfer-sent", "tickets"]);
    let page = ada.submit(PATH, &[("points", "951000")]).await;
    assert_eq!(page.status, 409);
    let reservation = |id: &Uuid| format!("/reservations/{id}");
    for href in [&reservation(&held), &reservation(&bought.reservation_id), &sent, &received] {
        assert!(page.has(&format!(".deletion__obstacle a[href='{href}']")), "{href}");
        assert_eq!(ada.visit(href).await.status, 200, "{href}");
    }
    assert!(!page.has("form[action='/account/deletion']"), "{}", page.body);

    // Each is ended where its link leads.
    for path in [format!("{sent}/cancellation"), format!("{received}/rejection")] {
        assert_eq!(ada.post(&path, &()).await.status, 200, "{path}");
    }
    for id in [held, bought.reservation_id] {
        let ended = ada.post(&format!("/reservations/{id}/cancellation"), &()).await;
        assert_eq!(ended.status, 200, "{}", ended.body);
    }
    let points = balance(&db, ada.account_id).await;
    assert_eq!(delete(&ada, points).await.status, 200);
    let status = "select status from reservations where id = $1";
    assert_eq!(read_one_with::<String>(&db, status, bought.reservation_id).await, "REFUNDED");
    assert_eq!(entries(&db, ada.account_id, "PAYMENT").await, 1);
    office.close().await;
}

#[sqlx::test]
async fn what_has_ended_by_itself_keeps_no_account(db: PgPool) {
    let sleepy = [("TEST_EXPIRY_PERIOD_MS", "3600000")];
    let office = Office::open_with(db.clone(), 1, &sleepy).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 1_000).await;
    let form = json!({ "to": email_of(&db, bob.account_id).await, "amount": 5 });
    assert_eq!(ada.post_json("/wallet/transfers", &form).await.status, 201);
    run_sql(&db, "update transfers set expires_at = now() - interval '1 second'").await;
    let seat = &concert.seat_ids[..1];
    let lapsed = Hold { seat_ids: seat, ends_in_secs: -1, ..Hold::default() };
    lapsed.write(&db, &concert, ada.account_id).await;
    assert_eq!(kinds(&ada.get(PATH).await), Vec::<String>::new());
    assert_eq!(delete(&ada, 1_000).await.status, 200);
    let status = "select status from reservations union all select status from transfers";
    assert_eq!(read_all::<String>(&db, status).await, ["EXPIRED", "EXPIRED"]);
    office.close().await;
}

#[sqlx::test]
async fn places_in_line_are_left_with_the_account(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let slow = || ConcertOptions { queue_capacity: Some(1), ..ConcertOptions::default() };
    let [first, second] = [Concert::with(&db, slow()).await, Concert::with(&db, slow()).await];
    let join = async |person: &Person, concert: &Concert| {
        let joined = person.post(&format!("/programs/{}/queue", concert.slug), &()).await;
        assert_eq!(joined.status, 201, "{}", joined.body);
    };
    // An instance that finds the gate locked leaves the admission to the one that holds it.
    let is_inside = async |person: &Person, concert: &Concert| {
        let state = person.get(&format!("/programs/{}/queue", concert.slug)).await.json();
        state["status"] == "ACTIVE"
    };
    for (person, concert) in [(&bob, &first), (&ada, &second)] {
        join(person, concert).await;
        until("the first is inside", async || is_inside(person, concert).await).await;
    }
    join(&ada, &first).await;
    assert!(!is_inside(&ada, &first).await);
    let page = ada.visit(PATH).await;
    assert!(page.body.contains("You lose your number in line for A concert"), "{}", page.body);
    assert_eq!(delete(&ada, 0).await.status, 200);
    let live = "select count(*) from queue_tokens where account_id = $1 and status <> 'CANCELLED'";
    assert_eq!(read_one_with::<i64>(&db, live, ada.account_id).await, 0);
    // Her place inside is free.
    join(&bob, &second).await;
    until("the place is free", async || is_inside(&bob, &second).await).await;
    office.close().await;
}

#[sqlx::test]
async fn the_password_is_asked_again_and_the_code_where_there_is_one(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let Signed { person: ada, .. } = sign_up(&office, "ada").await;
    run_sql(&db, "update sessions set confirmed_at = now() - interval '1 day'").await;
    let detour = ada.visit(PATH).await;
    assert_eq!(detour.location(), "/account/confirmation?next=%2Faccount%2Fdeletion");
    assert_eq!(delete(&ada, 0).await.code(), "confirmation-required");
    let form = [("password", PASSWORD), ("next", PATH)];
    assert_eq!(ada.submit("/account/confirmation", &form).await.location(), PATH);
    assert_eq!(ada.visit(PATH).await.status, 200);

    let door = office.employ("door", "STAFF").await;
    let factor = "insert into second_factors (account_id, sealed_secret, last_step, set_at)
        values ($1, decode(repeat('00', 48), 'hex'), 0, now() - interval '2 days')";
    run_sql_with(&db, factor, door.account_id).await;
    let given = "update sessions set code_given_at = now() - interval '1 day'
        where account_id = $1";
    run_sql_with(&db, given, door.account_id).await;
    assert_eq!(delete(&door, 0).await.code(), "code-required");
    run_sql(&db, "update sessions set code_given_at = now()").await;
    assert_eq!(delete(&door, 0).await.status, 200);
    let left = "select count(*) from second_factors";
    assert_eq!(read_one::<i64>(&db, left).await, 0);
    office.close().await;
}

#[sqlx::test]
async fn an_administrator_stays_until_another_ends_the_role(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (boss, other) =
        (office.employ("boss", "ADMIN").await, office.employ("other", "ADMIN").await);
    let refused = delete(&boss, 0).await;
    assert_eq!((refused.code(), kinds(&refused)), ("account-kept".into(), vec!["admin".into()]));
    let path = format!("/admin/people/{}", boss.account_id);
    let form = [("from", "ADMIN"), ("role", "CUSTOMER"), ("reason", "leaves us")];
    assert_eq!(other.post(&format!("{path}/role"), &form).await.status, 200);
    let boss = office.log_in(&boss, 0).await;
    assert_eq!(delete(&boss, 0).await.status, 200);
    // What she did stays in the log, and nothing is done to her any more.
    let page = other.visit(&path).await;
    assert!(page.body.contains("The owner deleted this account"), "{}", page.body);
    assert!(!page.has("form[action$='/role']") && !page.has("form[action$='/adjustments']"));
    let form = [("from", "CUSTOMER"), ("role", "ADMIN"), ("reason", "comes back")];
    assert_eq!(other.post(&format!("{path}/role"), &form).await.code(), "account-deleted");
    let lock = [("reason", "out of spite")];
    assert_eq!(other.post(&format!("{path}/lock"), &lock).await.code(), "account-deleted");
    let points = [("amount", "500"), ("reason", "a present")];
    let refused = other.post(&format!("{path}/adjustments"), &points).await;
    assert_eq!(refused.code(), "account-deleted", "{}", refused.body);
    office.close().await;
}
