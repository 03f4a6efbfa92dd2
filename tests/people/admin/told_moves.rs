//! Moves of a performance of which something was sold: the mails about them, and the full refund.

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::told_waits::wish;
use crate::support::{
    Answer, Concert, ConcertOptions, Hold, MailServer, Office, Person, Purchase, Received, admit,
    email_of, eventually, ledger::balance, read_all, read_one, run_sql, run_sql_with, storm,
};

/// Accounts whom mails about moves are written to, in the order of writing.
pub(super) const TOLD: &str = "select split_part(recipient, '@', 1) from outbox
    where kind = 'performance-moved' order by position";

pub(super) struct Show {
    pub(super) office: Office,
    pub(super) concert: Concert,
    pub(super) admin: Person,
}

impl Show {
    pub(super) async fn open(db: &PgPool, settings: &[(&str, &str)]) -> Self {
        Self::open_on(db, 1, settings).await
    }

    pub(super) async fn open_on(
        db: &PgPool,
        n_instances: usize,
        settings: &[(&str, &str)],
    ) -> Self {
        let office = Office::open_with(db.clone(), n_instances, settings).await;
        let concert = Concert::usual(db).await;
        run_sql(db, "update schedules set starts_at = '2031-05-02T10:30:00Z'").await;
        run_sql(db, "update venues set time_zone = 'Asia/Seoul'").await;
        let admin = office.employ("admin", "ADMIN").await;
        Self { office, concert, admin }
    }

    /// Buys the seat `nth` on terms that give nothing back.
    pub(super) async fn buy(&self, person: &Person, nth: usize) -> Purchase {
        let seat_ids = &self.concert.seat_ids[nth..=nth];
        let hold = Hold { seat_ids, refund_percent: 0, ..Hold::default() };
        Purchase::make(&self.office.db, &self.concert, person, hold).await
    }

    /// Opens an office that sends its mails to `server`.
    pub(super) async fn open_mailing(db: &PgPool, server: &MailServer) -> Self {
        let from = ("MAIL_FROM", "Stagedoor <tickets@office.example>");
        let site = ("PUBLIC_URL", "http://tickets.localhost");
        Self::open(db, &[("SMTP_URL", &server.url()), from, site]).await
    }

    /// Has ada buy twice and give a ticket of the first purchase to bob, cleo hold a seat, and an account buy one
    /// that is deleted then. Returns ada's second purchase; no mail is left.
    pub(super) async fn fill(&self) -> Purchase {
        let (db, office) = (&self.office.db, &self.office);
        let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
        let (first, second) = (self.buy(&ada, 0).await, self.buy(&ada, 1).await);
        let form = json!({ "to": email_of(db, bob.account_id).await });
        let path = format!("/tickets/{}/hand-overs", first.codes[0]);
        let offered = ada.post_json(&path, &form).await;
        let id = offered.json()["hand_over_id"].as_str().unwrap().to_owned();
        assert_eq!(bob.post(&format!("/hand-overs/{id}/acceptance"), &()).await.status, 200);
        let cleo = office.sign_in("cleo").await;
        let held = Hold { seat_ids: &self.concert.seat_ids[2..3], ..Hold::default() };
        held.write(db, &self.concert, cleo.account_id).await;
        let gone = office.sign_in("gone").await;
        self.buy(&gone, 3).await;
        run_sql_with(db, "update accounts set deleted_at = now(), email = 'deleted-' || id, password_hash = '-', email_confirmed_at = null where id = $1", gone.account_id)
            .await;
        run_sql(db, "delete from outbox").await;
        second
    }

    pub(super) fn path(&self) -> String {
        format!("/admin/schedules/{}", self.concert.schedule_id)
    }

    pub(super) async fn version(&self) -> String {
        self.admin.get(&self.path()).await.json()["schedule"]["version"].to_string()
    }

    pub(super) async fn try_move(&self, starts_at: &str, words: &str) -> Answer {
        let version = self.version().await;
        let form = [("version", version.as_str()), ("starts_at", starts_at), ("words", words)];
        self.admin.post(&self.path(), &form).await
    }

    pub(super) async fn move_to(&self, starts_at: &str, words: &str) {
        let moved = self.try_move(starts_at, words).await;
        assert_eq!(moved.status, 200, "{}", moved.body);
    }
}

pub(super) async fn cancel(person: &Person, id: Uuid) -> Answer {
    person.post(&format!("/reservations/{id}/cancellation"), &()).await
}

pub(super) fn moment(value: &Value) -> DateTime<Utc> {
    value.as_str().unwrap().parse().unwrap()
}

pub(super) async fn now(db: &PgPool) -> DateTime<Utc> {
    read_one(db, "select now()").await
}

/// The calendar file of a mail; empty without one.
pub(super) fn entries_of(mail: &Received) -> String {
    let file = mail.files.iter().find(|file| file.name == "event.ics");
    let text = file.map(|file| String::from_utf8(file.bytes()).unwrap());
    text.unwrap_or_default().replace("\r\n ", "")
}

/// Says whether a mail has all of these words, in both of its parts.
pub(super) fn says(mail: &Received, words: &[&str]) {
    for part in [&mail.text, &mail.html] {
        for word in words {
            assert!(part.contains(word), "{word}: {part}");
        }
    }
}

#[sqlx::test]
async fn a_move_is_told_to_each_who_has_or_pays_for_a_ticket_once(db: PgPool) {
    let server = MailServer::start();
    let show = Show::open_mailing(&db, &server).await;
    let second = show.fill().await;

    let asked = show.admin.get(&show.path()).await.json();
    assert_eq!(asked["concerned"]["payers"], 2, "{asked}");
    assert_eq!(asked["concerned"]["holders"], 3, "{asked}");
    assert_eq!(asked["concerned"]["held"], 1, "{asked}");
    let page = show.admin.visit(&show.path()).await;
    assert!(page.has("form textarea[name=words_en]"), "{}", page.body);
    let words = "The pianist has a cold.\r\nBcc: all@example.com\r\n\r\n<b>Sorry!</b>";
    show.move_to("2031-06-16T20:00", words).await;
    let mails = eventually("the mails about the move", async || {
        let mut mails = server.received();
        mails.retain(|mail| mail.header("Subject").contains("check the time"));
        if mails.len() < 3 { Err(mails.len()) } else { Ok(mails) }
    })
    .await;
    let mut told: Vec<String> = read_all(&db, TOLD).await;
    told.sort();
    let starts: Vec<&str> = told.iter().map(|to| &to[..3]).collect();
    assert_eq!(starts, ["ada", "bob", "cle"], "once each, the deleted account never: {told:?}");
    for mail in &mails {
        let until = mail.text.contains("full refund until");
        assert!(until && mail.all("Bcc").is_empty() && !mail.html.contains("<b>"), "{}", mail.raw);
        says(
            mail,
            &["2 May 2031", "19:30 KST", "16 Jun 2031", "20:00 KST", "The pianist has a cold. Bcc"],
        );
        let entry = entries_of(mail);
        let uid = format!("UID:{}@stagedoor", second.reservation_id);
        match mail.header("To").trim_start_matches('<').get(..3) {
            Some("ada") => assert!(entry.contains(&uid), "what she still has: {entry}"),
            Some("bob") => assert!(!entry.contains(&uid), "{entry}"),
            _ => {
                assert_eq!(entry, "", "cleo has no ticket yet");
                continue;
            }
        }
        assert_eq!(entry.matches("BEGIN:VEVENT").count(), 1, "{entry}");
        assert!(entry.contains("DTSTART:20310616T110000Z"), "{entry}");
        assert!(!entry.contains("SEQUENCE:0"), "a later revision replaces the first: {entry}");
    }
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn who_bought_before_a_move_may_give_all_of_it_back_and_who_bought_after_may_not(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let (ada, bob) = (show.office.sign_in("ada").await, show.office.sign_in("bob").await);
    let before = show.buy(&ada, 0).await.reservation_id;
    let none = cancel(&ada, before).await;
    assert_eq!((none.status, &none.json()["refunded"]), (200, &json!(0)), "{}", none.body);
    let before = show.buy(&ada, 1).await.reservation_id;
    show.move_to("2031-06-16T20:00", "The pianist has a cold.").await;
    // An order in the minute of the move is as one before it, so that minute passes here.
    run_sql(&db, "update reservations set created_at = created_at - interval '1 hour'").await;
    run_sql(&db, "update schedule_moves set moved_at = moved_at - interval '10 minutes'").await;
    let after = show.buy(&bob, 2).await.reservation_id;
    let told = ada.get(&format!("/reservations/{before}")).await.json();
    assert_eq!(moment(&told["previous_starts_at"]).to_rfc3339(), "2031-05-02T10:30:00+00:00");
    let days = (moment(&told["full_refund_until"]) - now(&db).await).num_minutes();
    assert!((14 * 1440 - 5..=14 * 1440).contains(&days), "{told}");
    assert_eq!(told["move_words"], "The pianist has a cold.");
    let page = ada.visit(&format!("/reservations/{before}")).await;
    for word in
        ["2 May 2031", "16 Jun 2031", "The pianist has a cold.", "full refund until", "50,000"]
    {
        assert!(page.body.contains(word), "{word}: {}", page.body);
    }
    let other = bob.get(&format!("/reservations/{after}")).await.json();
    assert!(other.get("full_refund_until").is_none(), "{other}");
    let had = balance(&db, ada.account_id).await;
    let refunded = cancel(&ada, before).await;
    assert_eq!((refunded.status, &refunded.json()["refunded"]), (200, &json!(50_000)));
    assert_eq!(balance(&db, ada.account_id).await, had + 50_000);
    let refunded = cancel(&bob, after).await;
    assert_eq!((refunded.status, &refunded.json()["refunded"]), (200, &json!(0)));
    // The test has moved orders and their move into the past.
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn the_full_refund_ends_after_its_days_and_never_takes_a_used_ticket_back(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    let (ended, used) = (show.buy(&ada, 0).await, show.buy(&ada, 1).await);
    show.move_to("2031-06-16T20:00", "").await;
    let sql = "update tickets set status = 'USED', used_at = now() where code = $1";
    sqlx::query(sql).bind(&used.codes[0]).execute(&db).await.unwrap();
    assert_eq!(cancel(&ada, used.reservation_id).await.code(), "ticket-used");
    run_sql(&db, "update schedule_moves set full_refund_until = now()").await;
    let refunded = cancel(&ada, ended.reservation_id).await;
    assert_eq!((refunded.status, &refunded.json()["refunded"]), (200, &json!(0)));
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn friends_who_paid_together_each_have_all_of_theirs_back(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let (ada, bob) = (show.office.sign_in("ada").await, show.office.sign_in("bob").await);
    for person in [&ada, &bob] {
        assert_eq!(person.post("/wallet/charges", &[("amount", 100_000)]).await.status, 201);
    }
    let seat_ids = &show.concert.seat_ids[..2];
    let hold = Hold { seat_ids, refund_percent: 50, ..Hold::default() };
    let path = format!("/reservations/{}", hold.write(&db, &show.concert, ada.account_id).await);
    let left = ada.get(&format!("{path}/shares")).await.json()["left"].clone();
    let form = json!({ "places": [left[0]["place"]] });
    let made = ada.post_json(&format!("{path}/shares"), &form).await.json();
    let url = made["url"].as_str().unwrap();
    let link = url[url.find("/shares/").unwrap()..].to_owned();
    assert_eq!(bob.post(&format!("{link}/payment"), &()).await.status, 201);
    // He has no ticket yet, and his points wait for one.
    show.move_to("2031-06-16T20:00", "").await;
    let mut told: Vec<String> = read_all(&db, TOLD).await;
    told.sort();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(ada.post(&format!("{path}/rest/payment"), &()).await.status, 201);
    let page = ada.visit(&path).await;
    assert!(page.body.contains("50,000"), "{}", page.body);
    let tickets = bob.get("/tickets").await.json();
    let code = tickets["tickets"][0]["code"].as_str().unwrap();
    let form = json!({ "to": email_of(&db, ada.account_id).await });
    let offered = bob.post_json(&format!("/tickets/{code}/hand-overs"), &form).await.json();
    let back = format!("/hand-overs/{}/acceptance", offered["hand_over_id"].as_str().unwrap());
    assert_eq!(ada.post(&back, &()).await.status, 200);
    let refunded = ada.post(&format!("{path}/cancellation"), &()).await;
    assert_eq!((refunded.status, &refunded.json()["refunded"]), (200, &json!(100_000)));
    for person in [&ada, &bob] {
        assert_eq!(balance(&db, person.account_id).await, 100_000);
    }
    show.office.close().await;
}

#[sqlx::test]
async fn a_place_that_is_sold_on_is_not_refunded_too_after_a_move(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let (ada, bob) = (show.office.sign_in("ada").await, show.office.sign_in("bob").await);
    let seat_ids = &show.concert.seat_ids[..2];
    let hold = Hold { seat_ids, refund_percent: 50, ..Hold::default() };
    let bought = Purchase::make(&db, &show.concert, &ada, hold).await;
    show.move_to("2031-06-16T20:00", "").await;
    let returned = ada.post(&format!("/tickets/{}/returns", bought.codes[0]), &()).await;
    assert_eq!(returned.status, 201, "{}", returned.body);
    show.buy_from_return(&bob, 0).await;
    let had = balance(&db, ada.account_id).await;
    let refunded = cancel(&ada, bought.reservation_id).await;
    assert_eq!((refunded.status, &refunded.json()["refunded"]), (200, &json!(50_000)));
    assert_eq!(balance(&db, ada.account_id).await, had + 50_000);
    show.office.close().await;
}

impl Show {
    /// Buys a seat that is on return, through the queue.
    async fn buy_from_return(&self, person: &Person, nth: usize) {
        assert_eq!(person.post("/wallet/charges", &[("amount", 100_000)]).await.status, 201);
        admit(&self.office.db, &self.concert, std::slice::from_ref(person)).await;
        let held = crate::support::hold(person, &self.concert, &[self.concert.seat_ids[nth]]).await;
        assert_eq!(held.status, 201, "{}", held.body);
        let id = held.json()["reservation_id"].as_str().unwrap().to_owned();
        let paid = person.post(&format!("/reservations/{id}/payment"), &()).await;
        assert_eq!(paid.status, 201, "{}", paid.body);
    }
}

#[sqlx::test]
async fn a_move_there_and_back_is_told_twice_in_order_and_no_change_is_told_to_nobody(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    let id = show.buy(&ada, 0).await.reservation_id;
    show.move_to("2031-05-02T19:30", "Words without a change.").await;
    assert_eq!(read_all::<String>(&db, TOLD).await.len(), 0);
    show.move_to("2031-06-16T20:00", "").await;
    show.move_to("2031-05-02T19:30", "All is well again.").await;
    let back = ada.get(&format!("/reservations/{id}")).await.json();
    assert!(back.get("previous_starts_at").is_none(), "{back}");
    let sql = "select id from outbox where kind = 'performance-moved' order by position";
    let mails: Vec<Uuid> = read_all(&db, sql).await;
    assert_eq!(mails.len(), 2);
    let mut letters = Vec::new();
    for mail in &mails {
        letters.push(show.admin.get(&format!("/admin/mails/{mail}")).await.body);
    }
    for (letter, words) in
        letters.iter().zip([["2 May 2031", "16 Jun 2031"], ["16 Jun 2031", "2 May 2031"]])
    {
        let [was, now] =
            words.map(|word| letter.find(word).unwrap_or_else(|| panic!("{word}: {letter}")));
        assert!(was < now, "{letter}");
    }
    assert!(letters[1].contains("All is well again."), "{}", letters[1]);
    let keys: i64 = read_one(
        &db,
        "select count(distinct order_key) from outbox where kind = 'performance-moved'",
    )
    .await;
    assert_eq!(keys, 1, "the second is sent after the first");
    // It begins as agreed, so nothing is said of another time; the right that was given stays.
    let page = ada.visit(&format!("/reservations/{id}")).await;
    assert!(!page.body.contains("It was to begin"), "{}", page.body);
    assert!(page.body.contains("full refund until"), "{}", page.body);
    // A mail that waits for its server says nothing any more once there is no performance.
    run_sql(&db, "update schedules set cancelled_at = now()").await;
    let letter = show.admin.visit(&format!("/admin/mails/{}", mails[0])).await.body;
    assert!(letter.contains("does not exist any more"), "{letter}");
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_move_into_the_past_is_told_with_a_day_for_the_refund_and_one_within_it_is_not(
    db: PgPool,
) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    let id = show.buy(&ada, 0).await.reservation_id;
    show.move_to("2021-06-16T20:00", "").await;
    assert_eq!(read_all::<String>(&db, TOLD).await.len(), 1);
    let told = ada.get(&format!("/reservations/{id}")).await.json();
    let left = moment(&told["full_refund_until"]) - now(&db).await;
    assert!(left > Duration::hours(23) && left <= Duration::hours(24), "{told}");
    show.move_to("2021-06-17T20:00", "").await;
    assert_eq!(read_all::<String>(&db, TOLD).await.len(), 1, "nobody's evening has changed");
    let refunded = cancel(&ada, id).await;
    assert_eq!((refunded.status, &refunded.json()["refunded"]), (200, &json!(50_000)));
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn who_waits_for_places_is_told_of_a_move_and_who_has_no_part_is_not(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let options = ConcertOptions { seats: 1, zone_capacity: 1, ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    let admin = office.employ("admin", "ADMIN").await;
    let show = Show { office, concert, admin };
    let (ada, bob) = (show.office.sign_in("ada").await, show.office.sign_in("bob").await);
    let hold = Hold { seat_ids: &show.concert.seat_ids, places: 1, ..Hold::default() };
    Purchase::make(&db, &show.concert, &ada, hold).await;
    let path = format!("/schedules/{}/waiting-list", show.concert.schedule_id);
    wish(&db, show.concert.schedule_id, bob.account_id, 1).await;
    show.office.sign_in("eve").await;
    show.move_to("2031-06-16T20:00", "").await;
    let told: Vec<String> = read_all(&db, TOLD).await;
    assert_eq!(told.len(), 2, "{told:?}");
    let sql = "select id from outbox where kind = 'performance-moved' and (payload ->> 'is_waiting')::boolean";
    let mail: Uuid = read_one(&db, sql).await;
    let letter = show.admin.get(&format!("/admin/mails/{mail}")).await.body;
    assert!(letter.contains("waiting list you are on") && letter.contains(&path), "{letter}");
    assert!(!letter.contains("refund"), "there is nothing to refund: {letter}");
    show.office.close().await;
}

#[sqlx::test]
async fn words_that_are_too_long_or_no_plain_text_are_refused_and_nothing_moves(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    show.buy(&ada, 0).await;
    for words in ["x".repeat(1_001), "a\u{7}b".to_owned(), "가".repeat(65_536 / 3)] {
        let refused = show.try_move("2031-06-16T20:00", &words).await;
        assert!(matches!(refused.status, 413 | 422), "{} {}", refused.status, refused.body);
    }
    let version = show.version().await;
    let unknown = json!({ "version": version, "starts_at": "2031-06-16T20:00", "word": "Hi" });
    let refused = show.admin.post_json(&show.path(), &unknown).await;
    assert!(matches!(refused.status, 400 | 422), "{} {}", refused.status, refused.body);
    assert_eq!(read_all::<String>(&db, TOLD).await.len(), 0);
    show.move_to("2031-06-16T20:00", &"가".repeat(1_000)).await;
    assert_eq!(read_all::<String>(&db, TOLD).await.len(), 1);
    let log = show.admin.visit(&format!("/admin/audit?subject={}", show.concert.schedule_id)).await;
    assert!(log.body.contains("가가가"), "{}", log.body);
    show.office.close().await;
}

#[sqlx::test]
async fn of_moves_at_once_one_is_told(db: PgPool) {
    let show = Show::open_on(&db, 2, &[]).await;
    let ada = show.office.sign_in("ada").await;
    show.buy(&ada, 0).await;
    let version = show.version().await;
    let moves = ["2031-06-16T20:00", "2031-06-17T20:00", "2031-06-18T20:00"];
    let moves = moves.into_iter().enumerate().map(|(nth, starts_at)| {
        let form = [("version", version.clone()), ("starts_at", starts_at.to_owned())];
        let (admin, path) = (show.office.moved(&show.admin, nth), show.path());
        async move { admin.post(&path, &form).await }
    });
    let answers = storm(moves).await;
    let mut answers: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    answers.sort_unstable();
    assert_eq!(answers, [200, 409, 409]);
    assert_eq!(read_all::<String>(&db, TOLD).await.len(), 1);
    show.office.close().await;
}

#[sqlx::test]
async fn tickets_files_and_the_page_of_the_show_say_both_times(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    let bought = show.buy(&ada, 0).await;
    let calendar = async || {
        let file = ada.get(&format!("/reservations/{}/tickets.ics", bought.reservation_id)).await;
        file.body.replace("\r\n ", "").split("\r\n").map(str::to_owned).collect::<Vec<_>>()
    };
    let field = |lines: &[String], name: &str| {
        let found = lines.iter().find_map(|line| line.strip_prefix(name).map(str::to_owned));
        found.unwrap_or_else(|| panic!("{name}: {lines:?}"))
    };
    let first = calendar().await;
    show.move_to("2031-06-16T20:00", "").await;
    let second = calendar().await;
    let number = |lines: &[String]| field(lines, "SEQUENCE:").parse::<i64>().unwrap();
    assert!(number(&second) > number(&first), "{first:?} {second:?}");
    assert!(field(&second, "LAST-MODIFIED:") >= field(&first, "LAST-MODIFIED:"));
    assert_eq!(field(&second, "UID:"), field(&first, "UID:"));
    assert_eq!(field(&second, "DTSTART:"), "20310616T110000Z");
    assert_eq!(field(&second, "STATUS:"), "CONFIRMED");
    for path in [
        "/tickets".to_owned(),
        format!("/tickets/{}", bought.codes[0]),
        format!("/reservations/{}/tickets", bought.reservation_id),
        format!("/programs/{}", show.concert.slug),
    ] {
        let page = ada.visit(&path).await;
        let has_both = page.body.contains("It was to begin") && page.body.contains("16 Jun");
        assert!(has_both && page.body.contains("2 May"), "{path}: {}", page.body);
    }
    let page = ada.visit(&format!("/programs/{}", show.concert.slug)).await;
    assert_eq!(
        page.attribute("[itemprop=eventStatus]", "href"),
        "https://schema.org/EventRescheduled"
    );
    let was = page.attribute("[itemprop=previousStartDate]", "content");
    assert!(was.starts_with("2031-05-02T"), "{was}");
    let ticket = ada.get(&format!("/tickets/{}", bought.codes[0])).await.json();
    assert!(
        ticket["previous_starts_at"].as_str().unwrap().starts_with("2031-05-02T10:30"),
        "{ticket}"
    );
    show.office.close().await;
}

#[sqlx::test]
async fn a_move_is_told_to_thousands_in_one_transaction(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    let bought = show.buy(&ada, 0).await.reservation_id;
    run_sql(&db, "insert into accounts (id, email, name, password_hash)
        select gen_random_uuid(), 'guest' || n || '@example.com', 'Guest', 'x' from generate_series(1, 2000) n").await;
    run_sql(
        &db,
        "insert into wishes (id, schedule_id, program_id, account_id, number, places, is_together)
        select gen_random_uuid(), s.id, s.program_id, a.id, 10 + row_number() over (), 1, false
        from schedules s, accounts a where a.email like 'guest%'",
    )
    .await;
    show.move_to("2031-06-16T20:00", &"words ".repeat(100)).await;
    let told = "select count(*) from outbox where kind = 'performance-moved'";
    assert_eq!(read_one::<i64>(&db, told).await, 2_001);
    // The mails and the move have the same number of a transaction.
    let written = "select count(distinct id) from (
        select xmin::text as id from outbox where kind = 'performance-moved'
        union all select xmin::text from schedule_moves) written";
    assert_eq!(read_one::<i64>(&db, written).await, 1);
    assert!(
        ada.get(&format!("/reservations/{bought}")).await.json()["full_refund_until"].is_string()
    );
    show.office.close_as_it_is().await;
}
