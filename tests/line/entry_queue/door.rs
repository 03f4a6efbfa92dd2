//! Who is refused at the door, and what the pages say.

use sqlx::PgPool;
use stagedoor::entry_queue;

use super::{crowded, join, queue_path_of, until_status};
use crate::support::{Concert, ConcertOptions, Office, read_one, read_one_with, run_sql_with};

#[sqlx::test]
async fn a_sale_that_is_not_open_says_when_and_nothing_changes(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("Ada").await;
    let coming = ConcertOptions { opens_in_secs: 3_600, ..ConcertOptions::default() };
    let coming = Concert::with(&db, coming).await;
    let refused = join(&ada, &coming).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "sale-not-open"));
    assert!(refused.json()["opens_at"].is_string());
    let page = ada.submit(&queue_path_of(&coming), &()).await;
    assert!(page.body.contains("It opens "), "{}", page.body);
    assert!(!page.body.contains("$when"), "{}", page.body);

    // The last moments are the database's to judge.
    let soon = ConcertOptions { opens_in_secs: 3, ..ConcertOptions::default() };
    let soon = Concert::with(&db, soon).await;
    assert_eq!(join(&ada, &soon).await.code(), "sale-not-open");

    let over = ConcertOptions { closes_in_secs: -1, ..ConcertOptions::default() };
    let over = Concert::with(&db, over).await;
    let refused = join(&ada, &over).await;
    assert_eq!((refused.status, refused.code().as_str()), (410, "sale-closed"));

    let cancelled = Concert::usual(&db).await;
    run_sql_with(
        &db,
        "update programs set status = 'CANCELLED', cancelled_at = now() where id = $1",
        cancelled.program_id,
    )
    .await;
    assert_eq!(join(&ada, &cancelled).await.status, 410);
    let tokens: i64 = read_one(&db, "select count(*) from queue_tokens").await;
    assert_eq!(tokens, 0);
    office.close().await;
}

#[sqlx::test]
async fn garbage_is_refused_without_an_accident(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("Ada").await;
    run_sql_with(
        &db,
        "update programs set status = 'DRAFT' where id = $1",
        Concert::usual(&db).await.program_id,
    )
    .await;
    for path in ["/programs/none/queue", "/programs/%00/queue", "/programs/..%2f/queue"] {
        let answers = [ada.get(path).await, ada.post(path, &()).await, ada.delete(path).await];
        assert!(answers.iter().all(|answer| answer.status == 404), "{path}: {answers:?}");
    }
    let never_joined = ada.get(&queue_path_of(&concert)).await;
    assert_eq!((never_joined.status, never_joined.code().as_str()), (404, "no-token"));
    let departure = format!("{}/departure", queue_path_of(&concert));
    for number in ["", "x", "-1", "1e9", "99999999999999999999"] {
        let refused = ada.submit(&departure, &[("queue_number", number)]).await;
        assert!([404, 422].contains(&refused.status), "{number:?}: {}", refused.status);
    }
    let stranger = office.stranger();
    assert_eq!(stranger.get(&queue_path_of(&concert)).await.code(), "login-required");
    assert_eq!(stranger.visit(&queue_path_of(&concert)).await.status, 303);
    office.close().await;
}

#[sqlx::test]
async fn the_page_says_where_one_stands_in_every_language(db: PgPool) {
    // No worker has the gate, so that a join lets in at once.
    let office = Office::open_with(db.clone(), 1, &[("TEST_ADMISSION_PERIOD_MS", "3600000")]).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(2, "Page").await;
    let sent = people[0].submit(&queue_path_of(&concert), &()).await;
    let map = format!("/schedules/{}", concert.schedule_id);
    assert_eq!((sent.status, sent.location()), (303, map.as_str()), "let in at once");
    let sent = people[1].submit(&queue_path_of(&concert), &()).await;
    assert_eq!((sent.status, sent.location()), (303, queue_path_of(&concert).as_str()));

    let turn = people[0].visit(&queue_path_of(&concert)).await;
    assert!(turn.body.contains("It&#39;s your turn"), "{}", turn.body);
    assert!(turn.body.contains(&map), "{}", turn.body);
    let waiting = people[1].visit(&queue_path_of(&concert)).await;
    assert!(waiting.body.contains("You&#39;re in line"), "{}", waiting.body);
    assert!(waiting.has("[http-equiv='refresh'][content='1']"), "{}", waiting.body);
    assert!(waiting.body.contains("not yet known"), "{}", waiting.body);
    for (language, number) in [("ko", "대기 번호"), ("ja", "待ち番号")] {
        people[1].set_cookie("locale", language);
        let page = people[1].visit(&queue_path_of(&concert)).await;
        assert!(page.body.contains(number), "{}", page.body);
        assert!(!page.body.contains("queue-"), "every text has its words: {}", page.body);
    }

    let departure = format!("{}/departure", queue_path_of(&concert));
    people[1].submit(&departure, &[("queue_number", "2")]).await;
    people[1].set_cookie("locale", "en");
    assert!(
        people[1].visit(&queue_path_of(&concert)).await.body.contains("You are no longer in line")
    );
    let second = people[0].submit(&queue_path_of(&concert), &()).await;
    assert_eq!(second.status, 409);
    assert!(second.body.contains("You&#39;re already in line"), "{}", second.body);
    office.close().await;
}

/// Places that are freed outside of a sale stay free.
#[sqlx::test]
async fn nobody_is_let_in_before_the_sale_after_it_or_when_it_is_cancelled(db: PgPool) {
    let office = Office::open(db.clone()).await;
    for (change, is_over) in [
        ("on_sale_at = now() + interval '1 hour'", false),
        ("off_sale_at = now()", true),
        ("status = 'CANCELLED', cancelled_at = now()", true),
    ] {
        let concert = Concert::with(&db, crowded()).await;
        let people = office.crowd(2, "Outside").await;
        for person in &people {
            join(person, &concert).await;
        }
        let set = async |change: &str| {
            let set = format!("update programs set {change} where id = $1");
            let set = sqlx::query(sqlx::AssertSqlSafe(set)).bind(concert.program_id);
            set.execute(&db).await.unwrap();
        };
        set(change).await;
        assert_eq!(people[0].delete(&queue_path_of(&concert)).await.status, 204);
        for _tick in 0..5 {
            assert_eq!(people[1].get(&queue_path_of(&concert)).await.status, 200);
            entry_queue::admit_everywhere(&office.app).await.unwrap();
        }
        if is_over {
            until_status(&people[1], &concert, "CANCELLED").await;
        } else {
            assert_eq!(people[1].get(&queue_path_of(&concert)).await.json()["status"], "WAITING");
        }
        let n_let_in: i64 = read_one_with(
            &db,
            "select count(*) from queue_tokens where account_id = $1 and admitted_at is not null",
            people[1].account_id,
        )
        .await;
        assert_eq!(n_let_in, 0, "{change}");
        if !is_over {
            set("on_sale_at = now() - interval '1 hour'").await;
            until_status(&people[1], &concert, "ACTIVE").await;
        }
    }
    office.verify().await;
    office.close().await;
}
