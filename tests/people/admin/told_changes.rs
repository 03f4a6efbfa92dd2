//! Changes of what was sold that keep its start: venue, title, length and zone, told to each whom they concern.

use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{
    api_keys::{ask, make},
    told_moves::{Show, cancel, entries_of, moment, now, says},
};
use crate::support::{
    Answer, Hold, MailServer, Person, Purchase, eventually, read_all, read_one, run_sql,
    run_sql_with,
};

/// Accounts whom mails about changes are written to, in the order of writing.
const TOLD: &str = "select split_part(recipient, '@', 1) from outbox
    where kind = 'performance-changed' order by position";

impl Show {
    async fn venue_path(&self) -> String {
        let id: Uuid = read_one(&self.office.db, "select id from venues").await;
        format!("/admin/venues/{id}")
    }

    /// Saves the venue's form with other values.
    async fn try_venue(&self, other: &Value) -> Answer {
        let path = self.venue_path().await;
        let venue = self.admin.get(&path).await.json()["venue"].clone();
        let mut form = json!({});
        for name in ["version", "name", "address", "time_zone"] {
            form[name] = venue[name].clone();
        }
        for (name, value) in other.as_object().unwrap() {
            form[name] = value.clone();
        }
        self.admin.post_json(&path, &form).await
    }

    pub(super) async fn venue(&self, other: &Value) {
        let saved = self.try_venue(other).await;
        assert_eq!(saved.status, 200, "{}", saved.body);
    }

    pub(super) fn program_path(&self) -> String {
        format!("/admin/programs/{}", self.concert.program_id)
    }

    /// The program's form as it is, with other values.
    pub(super) async fn program_form(&self, other: &Value) -> Value {
        let program = self.admin.get(&self.program_path()).await.json()["program"].clone();
        let mut form = json!({
            "stay_minutes": "10", "hold_minutes": "5", "refund_until_hours": "24",
        });
        for name in
            ["version", "title", "on_sale_at", "off_sale_at", "running_mins", "refund_percent"]
        {
            form[name] = program[name].clone();
        }
        form["places_per_account_max"] = program["places_per_account_max"].clone();
        for (name, value) in other.as_object().unwrap() {
            form[name] = value.clone();
        }
        form
    }

    pub(super) async fn program(&self, other: &Value) {
        let form = self.program_form(other).await;
        let saved = self.admin.post_json(&self.program_path(), &form).await;
        assert_eq!(saved.status, 200, "{}", saved.body);
    }

    async fn try_zone(&self, name: &str, words: &str) -> Answer {
        let path = format!("/admin/schedules/{}", self.concert.schedule_id);
        let version = self.admin.get(&path).await.json()["schedule"]["version"].to_string();
        let form = json!({
            "version": version, "name": name, "price": 30_000, "capacity": 100, "words": words,
        });
        self.admin.post_json(&format!("{path}/zones/{}", self.concert.zone_id), &form).await
    }

    pub(super) async fn told(&self) -> Vec<String> {
        let mut told: Vec<String> = read_all(&self.office.db, TOLD).await;
        for name in &mut told {
            name.truncate(3);
        }
        told.sort();
        told
    }

    /// The letters about changes, in the order of writing.
    pub(super) async fn letters(&self) -> Vec<String> {
        let sql = "select id from outbox where kind = 'performance-changed' order by position";
        let mut letters = Vec::new();
        for id in read_all::<Uuid>(&self.office.db, sql).await {
            letters.push(self.admin.get(&format!("/admin/mails/{id}")).await.body);
        }
        letters
    }
}

pub(super) async fn calendar(person: &Person, bought: &Purchase) -> String {
    let path = format!("/reservations/{}/tickets.ics", bought.reservation_id);
    person.get(&path).await.body.replace("\r\n ", "")
}

pub(super) fn sequence(calendar: &str) -> i64 {
    let line = calendar.lines().find_map(|line| line.strip_prefix("SEQUENCE:"));
    line.unwrap_or_else(|| panic!("{calendar}")).trim().parse().unwrap()
}

#[sqlx::test]
async fn another_name_and_address_of_a_venue_is_told_to_each_once(db: PgPool) {
    let server = MailServer::start();
    let show = Show::open_mailing(&db, &server).await;
    run_sql(&db, "update venues set address = '1 Main Street'").await;
    show.fill().await;

    let path = show.venue_path().await;
    let asked = show.admin.get(&path).await.json();
    assert_eq!(asked["concerned"]["payers"], 2, "{asked}");
    assert_eq!(asked["concerned"]["holders"], 3, "{asked}");
    let page = show.admin.visit(&path).await;
    assert!(page.has("form textarea[name=words_en]"), "{}", page.body);
    assert!(page.has("form input[name=elsewhere]"), "{}", page.body);
    let words = "The roof leaks.\r\nBcc: all@example.com\r\n\r\n<b>Sorry!</b>";
    show.venue(&json!({ "name": "The Arena", "address": "9 Other Road", "words": words })).await;
    let mails = eventually("the mails about the change", async || {
        let mut mails = server.received();
        mails.retain(|mail| mail.header("Subject").contains("what has changed"));
        if mails.len() < 3 { Err(mails.len()) } else { Ok(mails) }
    })
    .await;
    assert_eq!(show.told().await, ["ada", "bob", "cle"], "once each, the deleted account never");
    for mail in &mails {
        assert!(mail.all("Bcc").is_empty() && !mail.html.contains("<b>"), "{}", mail.raw);
        assert!(!mail.text.contains("full refund"), "{}", mail.text);
        says(
            mail,
            &[
                "The Arena (before: A hall)",
                "9 Other Road (before: 1 Main Street)",
                "The roof leaks. Bcc",
                "2 May 2031",
            ],
        );
        let entry = entries_of(mail);
        match mail.header("To").trim_start_matches('<').get(..3) {
            Some("ada" | "bob") => {
                assert_eq!(entry.matches("BEGIN:VEVENT").count(), 1, "{entry}");
                assert!(entry.contains("LOCATION:The Arena\\, 9 Other Road"), "{entry}");
            }
            _ => assert_eq!(entry, "", "cleo has no ticket yet"),
        }
    }
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn tickets_files_and_the_page_of_the_show_say_what_was_agreed(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    run_sql(&db, "update venues set address = '1 Main Street'").await;
    let ada = show.office.sign_in("ada").await;
    let second = show.buy(&ada, 0).await;
    let before = calendar(&ada, &second).await;
    let words = "The roof leaks.";
    show.venue(&json!({ "name": "The Arena", "address": "9 Other Road", "words": words })).await;
    let after = calendar(&ada, &second).await;
    assert!(sequence(&after) > sequence(&before), "{before} {after}");
    assert!(after.contains("DTSTART:20310502T103000Z"), "{after}");
    for path in [
        "/tickets".to_owned(),
        format!("/tickets/{}", second.codes[0]),
        format!("/reservations/{}/tickets", second.reservation_id),
        format!("/reservations/{}", second.reservation_id),
        format!("/programs/{}", show.concert.slug),
    ] {
        let page = ada.visit(&path).await;
        assert!(page.body.contains("The venue was called “A hall”"), "{path}: {}", page.body);
        assert!(page.body.contains("1 Main Street"), "{path}: {}", page.body);
    }
    let page = ada.visit(&format!("/reservations/{}", second.reservation_id)).await;
    assert!(page.body.contains("The roof leaks."), "{}", page.body);
    let told = ada.get(&format!("/reservations/{}", second.reservation_id)).await.json();
    assert_eq!(told["changes"].as_array().unwrap().len(), 2, "{told}");
    assert!(told.get("full_refund_until").is_none(), "{told}");
    let ticket = ada.get(&format!("/tickets/{}", second.codes[0])).await.json();
    assert_eq!(ticket["changes"][1]["was"], "A hall", "{ticket}");
    let pdf = ada.get(&format!("/tickets/{}.pdf", second.codes[0])).await;
    assert_eq!(pdf.status, 200);
    let log = show.admin.visit("/admin/audit").await;
    assert!(log.body.contains("The roof leaks."), "{}", log.body);
    show.office.close().await;
}

#[sqlx::test]
async fn a_change_there_and_back_is_told_twice_in_order_and_no_change_is_told_to_nobody(
    db: PgPool,
) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    let id = show.buy(&ada, 0).await.reservation_id;
    show.venue(&json!({ "words": "Words without a change.", "elsewhere": true })).await;
    assert_eq!(show.told().await, Vec::<String>::new());
    show.venue(&json!({ "name": "The Arena" })).await;
    let page = ada.get(&format!("/reservations/{id}")).await.json();
    assert_eq!(page["changes"][0]["was"], "A hall", "{page}");
    show.venue(&json!({ "name": "A hall", "words": "All is well again." })).await;
    assert_eq!(show.told().await, ["ada", "ada"]);
    let letters = show.letters().await;
    assert!(letters[0].contains("The Arena (before: A hall)"), "{}", letters[0]);
    assert!(letters[1].contains("A hall (before: The Arena)"), "{}", letters[1]);
    assert!(letters[1].contains("All is well again."), "{}", letters[1]);
    let keys = "select count(distinct order_key) from outbox where kind = 'performance-changed'";
    assert_eq!(read_one::<i64>(&db, keys).await, 1, "the second is sent after the first");
    let page = ada.get(&format!("/reservations/{id}")).await.json();
    assert!(page.get("changes").is_none(), "it is called as agreed: {page}");
    show.office.close().await;
}

#[sqlx::test]
async fn what_was_not_said_before_or_is_not_any_more_is_told_too_and_gives_nothing_back(
    db: PgPool,
) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    let bought = show.buy(&ada, 0).await;
    let of_ada = format!("/reservations/{}", bought.reservation_id);
    show.venue(&json!({ "address": "1 Main Street" })).await;
    show.program(&json!({ "running_mins": "120", "doors_before_mins": "30" })).await;
    let page = ada.get(&of_ada).await.json();
    assert!(page.get("full_refund_until").is_none(), "{page}");
    let ticket = ada.visit(&format!("/tickets/{}", bought.codes[0])).await;
    for part in ["Address", "Length in minutes", "Doors open, minutes before the start"] {
        assert!(ticket.body.contains(&format!("{part}: not said before")), "{}", ticket.body);
    }
    show.program(&json!({ "running_mins": "", "doors_before_mins": "" })).await;
    show.venue(&json!({ "address": "" })).await;
    let letters = show.letters().await;
    let said: [&[&str]; 4] = [
        &["1 Main Street (not said before)"],
        &["120 (not said before)", "30 (not said before)"],
        &["not said any more (before: 120)", "not said any more (before: 30)"],
        &["not said any more (before: 1 Main Street)"],
    ];
    assert_eq!(letters.len(), said.len());
    for (letter, said) in letters.iter().zip(said) {
        for words in said {
            assert!(letter.contains(words), "{words}: {letter}");
        }
    }
    let page = ada.get(&of_ada).await.json();
    assert!(page.get("changes").is_none(), "it is as agreed: {page}");
    show.office.close().await;
}

#[sqlx::test]
async fn another_place_gives_all_of_it_back_and_a_correction_does_not(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let (ada, bob) = (show.office.sign_in("ada").await, show.office.sign_in("bob").await);
    let before = show.buy(&ada, 0).await.reservation_id;
    let of_ada = format!("/reservations/{before}");
    show.move_to("2031-06-16T20:00", "").await;
    run_sql(&db, "update schedule_moves set full_refund_until = now() - interval '1 second'").await;
    run_sql(&db, "update venues set address = '1 Main Stret'").await;
    show.venue(&json!({ "address": "1 Main Street" })).await;
    let corrected = ada.get(&of_ada).await.json();
    assert!(moment(&corrected["full_refund_until"]) < now(&db).await, "{corrected}");
    show.venue(&json!({
        "name": "The Arena", "address": "9 Far Away", "elsewhere": true, "words": "We moved.",
    }))
    .await;
    // An order in the minute of the change is as one before it, so that minute passes here.
    run_sql(&db, "update reservations set created_at = created_at - interval '1 hour'").await;
    run_sql(&db, "update schedule_moves set moved_at = moved_at - interval '10 minutes'").await;
    run_sql(&db, "update schedule_changes set changed_at = changed_at - interval '10 minutes'")
        .await;
    let after = show.buy(&bob, 1).await.reservation_id;
    let told = ada.get(&of_ada).await.json();
    let mins = (moment(&told["full_refund_until"]) - now(&db).await).num_minutes();
    assert!((14 * 1440 - 5..=14 * 1440).contains(&mins), "{told}");
    assert_eq!(told["refund_until"], corrected["refund_until"], "the agreed deadline stays");
    assert!(told["previous_starts_at"].as_str().unwrap().starts_with("2031-05-02"), "{told}");
    let letter = show.letters().await.pop().unwrap();
    assert!(letter.contains("full refund until"), "{letter}");
    let page = ada.visit(&of_ada).await;
    assert_eq!(page.body.matches("We moved.").count(), 1, "{}", page.body);
    let page = ada.visit(&format!("/programs/{}", show.concert.slug)).await;
    let status = page.attribute("[itemprop=eventStatus]", "href");
    assert_eq!(status, "https://schema.org/EventRescheduled", "it is at another time still");
    let other = bob.get(&format!("/reservations/{after}")).await.json();
    assert!(other.get("full_refund_until").is_none(), "{other}");
    let refunded = cancel(&ada, before).await;
    assert_eq!((refunded.status, &refunded.json()["refunded"]), (200, &json!(50_000)));
    let refunded = cancel(&bob, after).await;
    assert_eq!((refunded.status, &refunded.json()["refunded"]), (200, &json!(0)));
    // The test has moved orders and their changes into the past.
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn another_clock_and_another_name_are_one_mail(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    show.buy(&ada, 0).await;
    for (zone, kept) in [("Europe/London", "hour"), ("Europe/Berlin", "moment")] {
        run_sql(&db, "delete from outbox").await;
        let name = format!("The hall of {zone}");
        let form = json!({ "time_zone": zone, "kept": kept, "name": name, "words": "On tour." });
        show.venue(&form).await;
        let mails: Vec<Uuid> = read_all(&db, "select id from outbox").await;
        assert_eq!(mails.len(), 1, "{zone}");
        let letter = show.admin.get(&format!("/admin/mails/{}", mails[0])).await.body;
        for word in ["check the time", "The hall of", "before: ", "On tour."] {
            assert!(letter.contains(word), "{word}: {letter}");
        }
    }
    show.office.close().await;
}

#[sqlx::test]
async fn another_title_or_length_of_a_show_is_told_also_by_a_program_that_changes_it(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    let bought = show.buy(&ada, 0).await;
    run_sql(&db, "update programs set running_mins = 120, version = version + 1").await;
    show.program(&json!({ "description": "Another text." })).await;
    assert_eq!(show.told().await, Vec::<String>::new());
    let before = calendar(&ada, &bought).await;
    let asked = show.admin.get(&show.program_path()).await.json();
    assert_eq!(asked["concerned"]["holders"], 1, "{asked}");
    let page = show.admin.visit(&show.program_path()).await;
    assert!(page.has("form textarea[name=words_en]"), "{}", page.body);
    show.program(&json!({ "running_mins": "150", "words": "An interval more." })).await;
    let (_, key) = make(&show.admin, &["programs:read", "programs:write"]).await;
    let form = show
        .program_form(&json!({ "title": "An evening", "age_min": "16", "words": "Ill." }))
        .await;
    let saved = ask(&show.office, &key, Method::POST, &show.program_path(), &form).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    assert_eq!(show.told().await, ["ada", "ada"]);
    let letters = show.letters().await;
    for word in ["150 (before: 120)", "An interval more."] {
        assert!(letters[0].contains(word), "{word}: {}", letters[0]);
    }
    for word in ["An evening (before: A concert)", "16 (before: 0)", "Ill."] {
        assert!(letters[1].contains(word), "{word}: {}", letters[1]);
    }
    let after = calendar(&ada, &bought).await;
    assert!(sequence(&after) > sequence(&before), "{before} {after}");
    for line in ["SUMMARY:An evening", "DTEND:20310502T130000Z"] {
        assert!(after.contains(line), "{line}: {after}");
    }
    let page = ada.visit(&format!("/tickets/{}", bought.codes[0])).await;
    for word in ["It was called “A concert”", "It was to last 120 minutes", "from the age of 0"]
    {
        assert!(page.body.contains(word), "{word}: {}", page.body);
    }
    let log = format!("/admin/audit?subject={}", show.concert.program_id);
    let log = show.admin.visit(&log).await;
    assert!(log.body.contains("An interval more."), "{}", log.body);
    show.office.close().await;
}

#[sqlx::test]
async fn a_change_of_what_is_over_or_cancelled_is_told_to_nobody(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    show.buy(&ada, 0).await;
    for sql in [
        "update schedules set starts_at = now() - interval '1 minute'",
        "update schedules set starts_at = '2031-05-02T10:30:00Z', cancelled_at = now()",
    ] {
        run_sql(&db, sql).await;
        show.venue(&json!({ "name": sql.len().to_string() })).await;
        show.program(&json!({ "title": sql.len().to_string() })).await;
        let renamed = show.try_zone(&sql.len().to_string(), "").await;
        assert_eq!(renamed.status, 200, "{}", renamed.body);
    }
    assert_eq!(show.told().await, Vec::<String>::new());
    let kept: i64 = read_one(&db, "select count(*) from schedule_changes").await;
    assert_eq!(kept, 0);
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_renamed_zone_is_told_to_those_who_have_places_in_it_or_wait_for_it(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let (ada, bob) = (show.office.sign_in("ada").await, show.office.sign_in("bob").await);
    let of_seat = show.buy(&ada, 0).await;
    let hold = Hold { seat_ids: &[], places: 2, ..Hold::default() };
    let of_zone = Purchase::make(&db, &show.concert, &bob, hold).await;
    let (cleo, dan) = (show.office.sign_in("cleo").await, show.office.sign_in("dan").await);
    run_sql(&db, "update waiting_lists set next_number = 3, waiting = 2").await;
    let wish = "insert into wishes
            (id, schedule_id, program_id, account_id, number, places, is_together, section, zone_id)
        select gen_random_uuid(), s.id, s.program_id, $1, 1, 1, false, z.name, z.id
        from schedules s join zones z on z.schedule_id = s.id";
    run_sql_with(&db, wish, cleo.account_id).await;
    let wish = "insert into wishes
            (id, schedule_id, program_id, account_id, number, places, is_together)
        select gen_random_uuid(), id, program_id, $1, 2, 1, false from schedules";
    run_sql_with(&db, wish, dan.account_id).await;
    let page = show.admin.visit(&format!("/admin/schedules/{}", show.concert.schedule_id)).await;
    assert!(page.has("form.zone textarea[name=words_en]"), "{}", page.body);
    let renamed = show.try_zone("The floor", "It has another door.").await;
    assert_eq!(renamed.status, 200, "{}", renamed.body);
    assert_eq!(show.told().await, ["bob", "cle"]);
    for letter in show.letters().await {
        assert!(letter.contains("The floor (before: Standing)"), "{letter}");
        assert!(letter.contains("It has another door."), "{letter}");
    }
    let page = bob.visit(&format!("/tickets/{}", of_zone.codes[0])).await;
    assert!(page.body.contains("This place was called “Standing”"), "{}", page.body);
    let page = bob.visit(&format!("/reservations/{}", of_zone.reservation_id)).await;
    assert!(page.body.contains("This place was called “Standing”"), "{}", page.body);
    for path in [
        format!("/tickets/{}", of_seat.codes[0]),
        format!("/reservations/{}", of_seat.reservation_id),
    ] {
        let page = ada.visit(&path).await;
        assert!(!page.body.contains("This place was called"), "{}", page.body);
    }
    // Another price or number of places is no other name.
    assert_eq!(show.try_zone("The floor", "Words without a change.").await.status, 200);
    assert_eq!(show.told().await.len(), 2);
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn words_that_are_too_long_or_no_plain_text_are_refused_and_nothing_changes(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    show.buy(&ada, 0).await;
    for words in ["x".repeat(1_001), "a\u{7}b".to_owned(), "가".repeat(65_536 / 3)] {
        let program = show.program_form(&json!({ "title": "An evening", "words": words })).await;
        let refused = [
            show.try_venue(&json!({ "name": "The Arena", "words": words })).await,
            show.admin.post_json(&show.program_path(), &program).await,
            show.try_zone("The floor", &words).await,
        ];
        for refused in refused {
            assert!(matches!(refused.status, 413 | 422), "{}", refused.body);
        }
    }
    assert_eq!(show.told().await, Vec::<String>::new());
    show.venue(&json!({ "name": "The Arena", "words": "가".repeat(1_000) })).await;
    assert_eq!(show.told().await, ["ada"]);
    show.office.close().await;
}

#[sqlx::test]
async fn of_two_changes_of_a_venue_at_once_one_is_told(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    show.buy(&ada, 0).await;
    let path = show.venue_path().await;
    let saves = ["One", "Two", "Three"].map(|name| {
        let form = [("version", "0"), ("name", name), ("address", ""), ("time_zone", "Asia/Seoul")];
        let (admin, path) = (show.office.moved(&show.admin, 0), path.clone());
        async move { admin.post(&path, &form).await.status }
    });
    let [first, second, third] = saves;
    let (first, second, third) = tokio::join!(first, second, third);
    let mut answers = [first, second, third];
    answers.sort_unstable();
    assert_eq!(answers, [200, 409, 409]);
    assert_eq!(show.told().await, ["ada"]);
    show.office.close().await;
}
