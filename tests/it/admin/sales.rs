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
    let lines: Vec<&str> = file.body.lines().collect();
    assert_eq!(lines.len(), 3, "{}", file.body);
    assert!(lines[0].starts_with("\u{feff}reservation,created_at,status,email"));
    assert!(lines[2].starts_with(&bought.reservation_id.to_string()), "{}", file.body);
    assert!(lines[2].contains(",'=cmd-") && lines[2].ends_with(",5,190000,,0,"), "{}", lines[2]);

    let moments = lines[2].split(',').filter(|cell| cell.ends_with("+09:00"));
    assert_eq!(moments.count(), 2, "on the venue's clock: {}", lines[2]);

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
    let reasons: std::collections::BTreeSet<&str> =
        file.body.lines().skip(1).map(|line| line.split('"').nth(1).unwrap()).collect();
    assert_eq!((file.body.lines().count(), reasons.len()), (2_301, 2_300), "{}", file.body);
    office.close().await;
}
