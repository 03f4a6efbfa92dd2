//! What looks like a setback and is none.

use sqlx::PgPool;
use stagedoor::setbacks;

use super::{go_back, join, n_setbacks, until_beaten, until_set_back};
use crate::support::{Concert, Office, PrivatePostgres, PrivateRedis, run_sql};

#[sqlx::test]
async fn a_redis_that_was_emptied_or_belonged_to_another_office_says_nothing(db: PgPool) {
    let redis = PrivateRedis::start().await;
    let settings = [("REDIS_URL", redis.url()), ("REDIS_PREFIX", "same".to_owned())];
    let settings: Vec<(&str, &str)> =
        settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let office = Office::open_with(db.clone(), 2, &settings).await;
    let concert = Concert::usual(&db).await;
    until_beaten(&db).await;
    let _: String = redis.run(&["FLUSHALL"]).await;
    until_beaten(&db).await;
    // Marks of an office that was here before, with more beats.
    let other = format!("same:{{marks}}:{}", uuid::Uuid::new_v4());
    let _: i64 = redis.run(&["HSET", &other, "beats", "900000"]).await;
    until_beaten(&db).await;
    assert_eq!(n_setbacks(&db).await, 0);
    let ada = office.sign_in("ada").await;
    assert_eq!(join(&ada, &concert).await.status, 201);
    office.close().await;
}

#[sqlx::test]
async fn a_database_that_was_emptied_is_a_new_office_behind_an_old_redis(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    until_beaten(&db).await;
    run_sql(&db, "delete from office_pulse").await;
    setbacks::watch(&office.app).await.unwrap();
    until_beaten(&db).await;
    assert_eq!(n_setbacks(&db).await, 0);
    office.close().await;
}

#[sqlx::test]
async fn data_of_another_office_under_a_running_instance_is_a_setback_that_is_told_once(
    db: PgPool,
) {
    let office = Office::open_with(db.clone(), 2, &[]).await;
    Concert::usual(&db).await;
    until_beaten(&db).await;
    run_sql(&db, "update office_pulse set office_id = gen_random_uuid(), beats = 900000").await;
    until_set_back(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let open = admin.get("/admin/setbacks").await.json();
    assert_eq!(open["open"]["is_other"], true, "{open}");
    let end = format!("/admin/setbacks/{}/end", open["open"]["id"].as_str().unwrap());
    assert_eq!(admin.post(&end, &[("reason", "It is the right one")]).await.status, 200);
    until_beaten(&db).await;
    assert_eq!(n_setbacks(&db).await, 1);
    office.close().await;
}

#[sqlx::test]
async fn instances_that_start_after_a_restore_know_of_it_from_redis(db: PgPool) {
    let settings = [("REDIS_PREFIX", "restored")];
    let office = Office::open_with(db.clone(), 1, &settings).await;
    Concert::usual(&db).await;
    until_beaten(&db).await;
    office.close().await;
    // Nothing was lost: the same database serves on.
    let office = Office::open_with(db.clone(), 1, &settings).await;
    until_beaten(&db).await;
    assert_eq!(n_setbacks(&db).await, 0);
    office.close().await;

    go_back(&db).await;
    let office = Office::open_with(db.clone(), 1, &settings).await;
    until_set_back(&db).await;
    office.close().await;
}

#[tokio::test]
async fn a_server_that_crashed_and_has_every_commit_is_no_setback() {
    let primary = PrivatePostgres::start().await;
    let db = primary.database().await;
    let office = Office::open_with(db.clone(), 2, &[]).await;
    Concert::usual(&db).await;
    until_beaten(&db).await;
    primary.crash();
    primary.restart().await;
    until_beaten(&db).await;
    assert_eq!(n_setbacks(&db).await, 0);
    office.close().await;
}
