//! What was sold, on a page and as a file.

use sqlx::PgPool;

use crate::support::{Concert, Hold, Office, Purchase, run_sql_with};

#[sqlx::test]
async fn sales_are_shown_by_section_and_streamed_as_a_file(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("=cmd").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..2], places: 3, ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    let held = Hold { seat_ids: &concert.seat_ids[5..6], places: 1, ..Hold::default() };
    held.write(&db, &concert, ada.account_id).await;

    let path = format!("/admin/programs/{}/sales", concert.program_id);
    let told = admin.get(&path).await.json();
    let figures = |idx: usize| {
        let section = &told["sections"][idx];
        ["sold", "held", "free", "revenue"].map(|name| section[name].as_i64().unwrap())
    };
    assert_eq!(figures(0), [2, 1, 17, 100_000], "{told}");
    assert_eq!(figures(1), [3, 1, 96, 90_000], "{told}");
    assert!(admin.visit(&path).await.has(".inventory__sold"));

    let file = admin.visit(&format!("{path}.csv")).await;
    assert!(file.header("content-disposition").contains(&concert.slug));
    let lines = file.records();
    assert_eq!(lines.len(), 3, "{}", file.body);
    assert_eq!(lines[0][..4], ["reservation", "created_at", "status", "email"]);
    assert!(lines[2][3].starts_with("'=cmd-"), "{}", file.body);
    let id = bought.reservation_id.to_string();
    assert_eq!(
        lines[2][5..],
        ["5", "190000", "", "0", "", "0", &id, "0", "", "", ""],
        "{}",
        file.body
    );
    let attendees = format!("/admin/schedules/{}/attendees.csv", concert.schedule_id);
    let attendees = admin.get(&attendees).await.records();
    assert_eq!(attendees[0][9], lines[0][0], "one column joins the two files");
    assert!(attendees.iter().skip(1).all(|cells| cells[9] == lines[2][0]), "{attendees:?}");

    let moments = lines[2].iter().filter(|cell| cell.ends_with("+09:00"));
    assert_eq!(moments.count(), 2, "on the venue's clock: {}", file.body);

    // More rows than one chunk has.
    run_sql_with(
        &db,
        "insert into audit_log (id, account_id, act, subject_kind, subject_id, reason)
         select gen_random_uuid(), $1, 'refunded', 'reservation', gen_random_uuid()::text, 'line, ' || n
         from generate_series(1, 2300) n",
        admin.account_id,
    )
    .await;
    let file = admin.visit("/admin/audit.csv?act=refunded").await;
    let records = file.records();
    let reasons: std::collections::BTreeSet<&String> =
        records.iter().skip(1).flatten().filter(|cell| cell.starts_with("line, ")).collect();
    assert_eq!((records.len(), reasons.len()), (2_301, 2_300), "{}", file.body);
    office.close().await;
}
