//! A standby answers in the place of the primary: it reads, and writes nothing.

use sqlx::PgPool;

use crate::support::{Concert, Office, let_write, run_sql, until};

#[sqlx::test]
async fn whoever_is_led_to_a_standby_is_told_to_come_back_and_then_led_to_the_primary(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("Ada").await;
    let line = format!("/programs/{}/queue", concert.slug);
    let_write(&db, false).await;
    run_sql(
        &db,
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity
         where application_name = 'stagedoor' and datname = current_database()",
    )
    .await;
    for _ in 0..5 {
        let refused = ada.post(&line, &()).await;
        let told = (refused.status, refused.code());
        assert_eq!(told, (503, "unavailable".to_owned()), "{}", refused.body);
    }
    let_write(&db, true).await;
    until("joining", async || ada.post(&line, &()).await.status == 201).await;
    office.close().await;
}
