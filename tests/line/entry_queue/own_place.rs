//! What the page of a program says to a person in its line, and how a person who must log in first
//! gets there.

use reqwest::Method;
use serde_json::json;
use sqlx::PgPool;

use super::{crowded, join, until_status};
use crate::support::{Answer, Concert, ConcertOptions, Office, Person};

const SCRIPT: &str = "script[src$='join_at_once.js']";

fn program_path(concert: &Concert) -> String {
    format!("/programs/{}", concert.slug)
}

/// Opens `path` as a browser that comes from a page of `site`.
async fn arrive_from(person: &Person, site: &str, path: &str) -> Answer {
    let request = person.asks(Method::GET, path, "text/html").header("sec-fetch-site", site);
    person.send(request).await
}

#[sqlx::test]
async fn somebody_in_line_is_told_the_own_number_and_led_back(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let (first, second) = (office.sign_in("first").await, office.sign_in("second").await);
    join(&first, &concert).await;
    join(&second, &concert).await;
    until_status(&first, &concert, "ACTIVE").await;
    until_status(&second, &concert, "WAITING").await;

    let page = second.visit(&program_path(&concert)).await;
    assert_eq!(page.texts(".program__place"), ["You're number 2 in line"], "{}", page.body);
    assert!(page.has(&format!("a[href='{}/queue']", program_path(&concert))), "{}", page.body);
    assert!(!page.has("form[action$='/queue']"), "who is in line is not asked to join it");

    let page = first.visit(&program_path(&concert)).await;
    assert_eq!(page.texts(".program__place"), ["It's your turn"], "{}", page.body);
    assert!(page.has(&format!("a[href='/schedules/{}']", concert.schedule_id)), "{}", page.body);

    let third = office.sign_in("third").await;
    let page = third.visit(&program_path(&concert)).await;
    assert!(!page.has(".program__place"), "{}", page.body);
    assert!(page.has("form[action$='/queue']"), "{}", page.body);
    office.close().await;
}

#[sqlx::test]
async fn programs_are_told_the_same_of_a_program_whoever_asks(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let (ada, ben) = (office.sign_in("ada").await, office.sign_in("ben").await);
    join(&ada, &concert).await;
    let path = program_path(&concert);
    assert_eq!(ada.get(&path).await.json(), ben.get(&path).await.json());
    office.close().await;
}

/// The whole way of a person who is not logged in: the button, the log-in, the place in line.
#[sqlx::test]
async fn who_logs_in_to_join_is_led_on_to_join(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, ConcertOptions::default()).await;
    let ada = office.sign_in("ada").await;
    let stranger = office.stranger();

    let page = stranger.visit(&program_path(&concert)).await;
    let new_path = format!("{}/queue/new", program_path(&concert));
    assert!(page.has(&format!("a[href='{new_path}']")), "{}", page.body);
    let sent = stranger.visit(&new_path).await;
    assert_eq!(sent.status, 303);
    let next = url::form_urlencoded::byte_serialize(new_path.as_bytes()).collect::<String>();
    assert_eq!(sent.location(), format!("/login?next={next}"));

    // The log-in leads here, over pages of this site alone.
    let page = arrive_from(&ada, "same-origin", &new_path).await;
    assert_eq!(page.status, 200);
    assert!(page.has(SCRIPT), "{}", page.body);
    assert!(page.has(&format!("form[action='{}/queue'][method=post]", program_path(&concert))));
    let joined = ada.submit(&format!("{}/queue", program_path(&concert)), &json!({})).await;
    assert_eq!(joined.status, 303);
    office.close().await;
}

/// A button says what happens: a line is joined where there is one, and seats are chosen where there is none.
#[sqlx::test]
async fn no_button_promises_a_line_where_there_is_none(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let lined = Concert::with(&db, crowded()).await;
    let one_date = Concert::usual(&db).await;
    let two_dates = Concert::usual(&db).await;
    two_dates.another_date(&db, 1).await;
    let (ada, stranger) = (office.sign_in("ada").await, office.stranger());
    for (concert, logged_in, logged_out, note) in [
        (&lined, "Join the line", "Log in to join the line", "your number right away"),
        (
            &one_date,
            "Choose your seats",
            "Log in and choose your seats",
            "There's no line right now. You go straight to the seats.",
        ),
        (
            &two_dates,
            "Choose a date",
            "Log in and choose a date",
            "There's no line right now. Choose a date, then your seats.",
        ),
    ] {
        for (person, label) in [(&ada, logged_in), (&stranger, logged_out)] {
            let page = person.visit(&program_path(concert)).await;
            assert_eq!(page.texts(".program__sale .button--primary"), [label]);
            assert!(page.texts(".program__sale")[0].contains(note), "{}", page.body);
        }
        // What the log-in leads to.
        let page = ada.visit(&format!("{}/queue/new", program_path(concert))).await;
        assert_eq!(page.texts("main .button--primary"), [logged_in]);
        assert_eq!(page.texts("main")[0].contains("place in line"), concert.slug == lined.slug);
    }
    office.close().await;
}

#[sqlx::test]
async fn a_page_of_another_site_makes_nobody_join(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, ConcertOptions::default()).await;
    let ada = office.sign_in("ada").await;
    let new_path = format!("{}/queue/new", program_path(&concert));
    for site in ["cross-site", "same-site", "none"] {
        let page = arrive_from(&ada, site, &new_path).await;
        assert_eq!(page.status, 200);
        assert!(!page.has(SCRIPT), "{site}: {}", page.body);
        assert!(page.has("form[data-join-at-once] button"), "{site}: {}", page.body);
    }
    let (n,): (i64,) =
        sqlx::query_as("select count(*) from queue_tokens").fetch_one(&db).await.unwrap();
    assert_eq!(n, 0, "the page itself joins nobody");
    office.close().await;
}
