//! Every kind of mail in every language, as another program's library reads it: one rich office sends them all.

mod changes;
mod parts;
mod reading;

use std::collections::BTreeSet;

use serde_json::Value;
use sqlx::PgPool;
use stagedoor::{
    app::AccountId,
    outbox::{AccountMail, Message, write_to_accounts},
};
use strum::VariantNames;
use uuid::Uuid;

use self::reading::{MailRow, Sent, expect_in_order, expect_readable, expect_translated};
use super::{counts, hurry, office_with};
use crate::support::{
    Concert, ConcertOptions, MailServer, Office, Person, read_all, run_sql, run_sql_with, until,
};

/// Tags of the languages, in each of which every mail is sent.
const LANGUAGES: [&str; 3] = ["en", "ko", "ja"];
const ADA: &str = "Ada & <Co>";
const BOB: &str = "Bob O'Neill";
/// Recipient of mails to an address that no account has.
const ELSEWHERE: &str = "elsewhere@example.com";

/// People whom the mails are about.
struct People {
    ada: Person,
    bob: Person,
    admin: Person,
}

/// Mail to be sent in each language.
struct Told {
    /// Account that it goes to; `None` for an address without one.
    to: Option<Uuid>,
    /// Name by which it greets; `None` where it greets by none.
    greets: Option<&'static str>,
    has_secret: bool,
    message: Message,
}

impl Told {
    fn to(person: &Person, greets: Option<&'static str>, kind: &str, payload: Value) -> Self {
        Self { to: Some(person.account_id), greets, ..Self::elsewhere(kind, payload) }
    }

    fn elsewhere(kind: &str, payload: Value) -> Self {
        let stored = Value::from_iter([("kind", Value::from(kind)), ("payload", payload)]);
        let message = serde_json::from_value(stored).unwrap();
        Self { to: None, greets: None, has_secret: false, message }
    }

    fn secret(kind: &str) -> Self {
        Self { has_secret: true, ..Self::elsewhere(kind, Value::Null) }
    }
}

/// Names an office that has every text, and its people.
async fn furnish(db: &PgPool, office: &Office) -> (Concert, People) {
    let [ada, bob] = [office.sign_in("ada").await, office.sign_in("bob").await];
    let people = People { ada, bob, admin: office.employ("boss", "ADMIN").await };
    for (person, name) in [(&people.ada, ADA), (&people.bob, BOB)] {
        let named = "update accounts set name = $2 where id = $1";
        sqlx::query(named).bind(person.account_id).bind(name).execute(db).await.unwrap();
    }
    let form = [
        ("version", "0"),
        ("name", "Globe & Co"),
        ("email", "help@globe.example"),
        ("phone", "+82 2 123 4567"),
        ("colour", "#7a0044"),
        ("imprint", "Bankside"),
        ("terms", "Terms"),
        ("privacy", "Privacy"),
    ];
    assert_eq!(people.admin.post("/admin/office", &form).await.status, 200);
    until("every instance knows the name", async || {
        let pages = [office.stranger(), office.stranger().at(&office.base(1))];
        let names = [pages[0].visit("/").await, pages[1].visit("/").await];
        names.iter().all(|page| page.texts("header").concat().contains("Globe & Co"))
    })
    .await;
    let options = ConcertOptions { places_per_account_max: 50, seats: 30, ..Default::default() };
    let concert = Concert::with(db, options).await;
    let shown = "update programs set title = E'Sound & \\n<Light>', running_mins = 130, doors_before_mins = 60
        where id = $1";
    run_sql_with(db, shown, concert.program_id).await;
    run_sql(db, "update venues set name = 'Arena <north>', address = '2 New Street'").await;
    (concert, people)
}

/// Makes what the mails are about, and lists them.
async fn make_all(db: &PgPool, concert: &Concert, people: &People) -> Vec<Told> {
    let mut told = parts::accounts(people);
    told.extend(parts::transfers(db, people).await);
    told.extend(parts::hand_overs(db, concert, people).await);
    told.extend(parts::returns(db, concert, people).await);
    told.extend(parts::orders(db, concert, people).await);
    told.extend(parts::shares(db, concert, people).await);
    told.extend(parts::turns(db, people).await);
    told.extend(changes::performances(db, concert, people).await);
    told.extend(changes::letters(db, concert, people).await);
    told
}

/// Writes all mails in a language, as the product does: to accounts, or to an address.
async fn write_all(office: &Office, told: &[Told], tag: &str) {
    let db = &office.db;
    run_sql_with(db, "update accounts set mail_locale = $1", tag).await;
    let key = |nth: usize| format!("every-kind:{tag}:{nth}");
    let mut to_accounts = Vec::new();
    for (nth, told) in told.iter().enumerate() {
        let message = told.message.clone();
        if let Some(id) = told.to {
            let account_id = AccountId(id);
            to_accounts.push(AccountMail {
                account_id,
                message,
                order_key: key(nth),
                dedupe_key: key(nth),
            });
            continue;
        }
        let (kind, payload) = message.stored();
        let sql = "insert into outbox (id, kind, payload, secret, recipient, locale, order_key, dedupe_key, expires_at)
            values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $6, now() + interval '1 hour')";
        let query = sqlx::query(sql).bind(kind).bind(payload);
        let query = query.bind(told.has_secret.then_some("a-token")).bind(ELSEWHERE);
        query.bind(tag).bind(key(nth)).execute(db).await.unwrap();
    }
    let mut tx = office.app.db.begin().await.unwrap();
    write_to_accounts(&mut tx, &to_accounts).await.unwrap();
    tx.commit().await.unwrap();
}

/// Returns every mail of the outbox as the server took it, once all are sent.
async fn all_sent<'a>(db: &PgPool, server: &MailServer, told: &'a [Told]) -> Vec<Sent<'a>> {
    until("the end of every mail", async || {
        hurry(db).await;
        counts(db).await.1 == 0
    })
    .await;
    let failed = "select kind || ' ' || locale || ': ' || last_error from outbox where failed_at is not null";
    assert_eq!(read_all::<String>(db, failed).await, [""; 0]);
    let sent = "select * from outbox where sent_at is not null order by position";
    let rows: Vec<MailRow> = sqlx::query_as(sent).fetch_all(db).await.unwrap();
    let received = server.received();
    let ids: BTreeSet<&str> = received.iter().map(|mail| mail.header("Message-ID")).collect();
    assert_eq!(ids.len(), received.len(), "each mail once, with an id of its own");
    let sent = rows.into_iter().map(|row| {
        let name = format!("{} {} {}", row.kind, row.payload, row.locale);
        let message_id = format!("<{}@office.example>", row.id);
        let mail = received.iter().find(|mail| mail.header("Message-ID") == message_id);
        let mail = mail.unwrap_or_else(|| panic!("{name} has no mail")).clone();
        let message = Message::parse(&row.kind, &row.payload).unwrap();
        let nth = row.dedupe_key.strip_prefix("every-kind:");
        let told = nth.map(|nth| &told[nth[3..].parse::<usize>().unwrap()]);
        Sent { message, name, told, row, mail }
    });
    sent.collect()
}

/// Follows the links of each mail as its reader.
async fn follow(office: &Office, people: &People, sent: &[Sent<'_>]) {
    let stranger = office.stranger();
    let (mut followed, mut missing) = (BTreeSet::new(), Vec::new());
    for Sent { told, name, mail, .. } in sent {
        let of_reader = [&people.ada, &people.bob, &people.admin];
        let to = told.and_then(|told| told.to);
        let of_reader = of_reader.into_iter().find(|person| Some(person.account_id) == to);
        let reader = of_reader.unwrap_or(&stranger);
        let paths = mail.links.iter().filter_map(|link| link.strip_prefix(reading::SITE));
        for path in paths.filter(|path| !path.is_empty()) {
            let path = path.split('#').next().unwrap();
            if followed.insert((reader.account_id, path.to_owned())) {
                let page = reader.visit(path).await;
                // The secret here opens nothing, and its page says so.
                let is_there = [200, 303].contains(&page.status) || path.ends_with("a-token");
                if !is_there {
                    missing.push(format!("{name}: {path}: {}", page.status));
                }
            }
        }
    }
    assert_eq!(missing, [""; 0]);
}

#[sqlx::test]
async fn every_kind_of_mail_is_sent_in_every_language_and_is_whole_in_both_of_its_forms(
    db: PgPool,
) {
    let server = MailServer::start();
    let office = office_with(&db, 2, &server.url()).await;
    let (concert, people) = furnish(&db, &office).await;
    let told = make_all(&db, &concert, &people).await;
    let made: BTreeSet<String> = told.iter().map(|told| told.message.stored().0).collect();
    let kinds: BTreeSet<String> = Message::VARIANTS.iter().copied().map(str::to_owned).collect();
    assert_eq!(made, kinds, "each kind has a mail here");
    let n_languages = std::fs::read_dir("locales").unwrap().count();
    assert_eq!(LANGUAGES.len(), n_languages, "each language has its mails here");
    for tag in LANGUAGES {
        write_all(&office, &told, tag).await;
    }
    let sent = all_sent(&db, &server, &told).await;
    assert!(sent.len() >= LANGUAGES.len() * told.len());
    for sent in &sent {
        expect_in_order(sent);
        expect_readable(sent);
    }
    expect_translated(&sent);
    follow(&office, &people, &sent).await;
    // Rows stand here that no step of the product wrote.
    office.close_as_it_is().await;
}
