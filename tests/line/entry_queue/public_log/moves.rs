//! The second log of a line: what moved it.

use reqwest::Method;
use serde_json::Value;
use sqlx::{AssertSqlSafe, PgPool};
use stagedoor::entry_queue::grow_logs;

use super::{checkpoint_at, entries_in, log_path_of};
use crate::{
    entry_queue::{crowded, join, queue_path_of, until_status},
    support::{
        Concert, Office, Person, app, eventually, read_one, run_sql, run_sql_with,
        signed_log::root_of,
    },
};

/// Returns the published entries, each as its second and third line, once there are `n`, and asks
/// whether the checkpoint is of them.
pub(in crate::entry_queue) async fn moves_of(
    person: &Person,
    concert: &Concert,
    n: usize,
) -> Vec<String> {
    let path = format!("{}/moves", log_path_of(concert));
    let head = checkpoint_at(person, &path, n).await;
    let bundle = format!("{path}/tile/entries/000.p/{n}");
    let answer = person.asks(Method::GET, &bundle, "*/*").send().await.unwrap();
    let entries = entries_in(&answer.bytes().await.unwrap());
    assert_eq!(super::in_base64(&root_of(&entries)), head[2]);
    let short = |entry: &String| {
        let lines: Vec<&str> = entry.lines().collect();
        assert_eq!((lines.len(), lines[0]), (5, "stagedoor/move/v1"), "{entry}");
        match lines[4] {
            "-" => format!("{} {}", lines[1], lines[2]),
            detail => format!("{} {} {detail}", lines[1], lines[2]),
        }
    };
    entries.iter().map(short).collect()
}

#[sqlx::test]
async fn whatever_moves_a_line_is_in_its_second_log(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(5, "Line").await;
    for person in &people {
        join(person, &concert).await;
    }
    until_status(&people[0], &concert, "ACTIVE").await;
    let queue = format!("/admin/programs/{}/queue", concert.program_id);
    let reason = "came \"early\"\u{1f600}";
    let done =
        admin.post(&format!("{queue}/admissions"), &[("who", "3"), ("reason", reason)]).await;
    assert_eq!(done.status, 200, "{}", done.body);
    let version: String = read_one(&db, "select version::text from programs").await;
    let paused = admin.post(&format!("{queue}/pause"), &[("version", version)]).await;
    assert_eq!(paused.status, 200, "{}", paused.body);
    for parked_at in ["now()", "null"] {
        let park =
            format!("update queue_tokens set parked_at = {parked_at} where queue_number = 4");
        run_sql(&db, AssertSqlSafe(park)).await;
    }
    assert_eq!(people[1].delete(&queue_path_of(&concert)).await.status, 204);
    assert_eq!(people[0].delete(&queue_path_of(&concert)).await.status, 204);
    let purged = admin.post(&format!("{queue}/purge"), &[("reason", "the hall is closed")]).await;
    assert_eq!(purged.status, 200, "{}", purged.body);

    let moves = moves_of(&people[0], &concert, 10).await;
    let expected = [
        r#"rules - {"capacity" : 1, "per_second" : null, "paused" : false}"#.to_owned(),
        "admitted 1".to_owned(),
        format!("let-in 3 {}", Value::from(reason)),
        r#"rules - {"capacity" : 1, "per_second" : null, "paused" : true}"#.to_owned(),
        "parked 4".to_owned(),
        "returned 4".to_owned(),
        "left 2".to_owned(),
        "purge 5".to_owned(),
        "left 4".to_owned(),
        "left 5".to_owned(),
    ];
    assert_eq!(moves, expected);
    let page = office.stranger().visit(&log_path_of(&concert)).await;
    assert!(page.body.contains("let in by staff, out of order"), "{}", page.body);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_move_waits_for_every_older_transaction(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(3, "Line").await;
    for person in &people {
        join(person, &concert).await;
    }
    until_status(&people[0], &concert, "ACTIVE").await;
    assert_eq!(moves_of(&people[0], &concert, 2).await[1], "admitted 1");

    let mut older = db.begin().await.unwrap();
    let park = "update queue_tokens set parked_at = now() where account_id = $1";
    run_sql_with(&mut *older, park, people[1].account_id).await;
    run_sql_with(&db, park, people[2].account_id).await;
    let app = app(&db).await;
    grow_logs(&app).await.unwrap();
    let waiting = "select count(*) from queue_moves where leaf_index is null";
    assert_eq!(read_one::<i64>(&db, waiting).await, 1, "the newer move is seen, and waits");
    older.commit().await.unwrap();
    let moves = eventually("all moves", async || {
        grow_logs(&app).await.unwrap();
        let waiting = read_one::<i64>(&db, waiting).await;
        if waiting == 0 { Ok(moves_of(&people[0], &concert, 4).await) } else { Err(waiting) }
    })
    .await;
    assert_eq!(moves[2..], ["parked 2".to_owned(), "parked 3".to_owned()]);
    run_sql(&db, "update queue_tokens set parked_at = null where status = 'WAITING'").await;
    office.close().await;
}
