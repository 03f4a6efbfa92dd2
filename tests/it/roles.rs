//! The role that serves owns nothing: a whole office works with it, and nothing it can say
//! switches a guard off.

use std::{process::Stdio, time::Duration};

use sqlx::{AssertSqlSafe, PgPool, raw_sql};
use stagedoor::{
    demo,
    infra::postgres::{is_owner, migrate_for},
    rehearsal::{Access, Rehearsal},
    verify::verify_database,
};
use tokio::io::{AsyncBufReadExt, BufReader};
use uuid::Uuid;

use crate::support::{Concert, Hold, Office, Purchase, config, pool, read_one};

/// How long a slow machine may take to start the program.
const SERVE_MAX: Duration = Duration::from_mins(1);

/// A role of this test's own that may log in and nothing else.
struct Serving {
    name: String,
    password: String,
}

impl Serving {
    async fn create(db: &PgPool) -> Self {
        let name = format!("serving_{}", Uuid::new_v4().simple());
        let serving = Self { name, password: Uuid::new_v4().simple().to_string() };
        let Self { name, password } = &serving;
        run(db, &format!("create role {name} login password '{password}'")).await;
        serving
    }

    /// The address of the test's database, for this role or for its owner.
    async fn urls(&self, db: &PgPool) -> (String, String) {
        let name: String = read_one(db, "select current_database()").await;
        let mut owner: url::Url = std::env::var("DATABASE_URL").unwrap().parse().unwrap();
        owner.set_path(&name);
        let mut serving = owner.clone();
        serving.set_username(&self.name).unwrap();
        serving.set_password(Some(&self.password)).unwrap();
        (owner.into(), serving.into())
    }

    async fn remove(self, db: &PgPool) {
        run(db, &format!("drop owned by {0}; drop role {0}", self.name)).await;
    }
}

async fn run(db: &PgPool, sql: &str) {
    raw_sql(AssertSqlSafe(sql.to_owned())).execute(db).await.unwrap();
}

#[sqlx::test]
async fn a_whole_office_works_with_a_role_that_owns_nothing(db: PgPool) {
    let role = Serving::create(&db).await;
    let (owner_url, url) = role.urls(&db).await;
    let settings = [("DATABASE_URL", &*url), ("DATABASE_OWNER_URL", &*owner_url)];
    // Twice, and at once: instances start together, and again.
    let (first, second) = (config(&settings), config(&settings));
    let (first, second) = tokio::join!(migrate_for(&first), migrate_for(&second));
    second.unwrap();
    let serving = first.unwrap();
    assert!(!is_owner(&serving).await.unwrap());
    assert!(is_owner(&pool(&db, 1)).await.unwrap());
    // Without the owner's address it goes on, where nothing is to be migrated.
    migrate_for(&config(&settings[..1])).await.unwrap().close();
    assert!(demo::load(&serving).await.unwrap(), "an empty office is filled");

    let office = Office::open_as(db.clone(), &settings).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..2], places: 1, ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    let path = format!("/reservations/{}/cancellation", bought.reservation_id);
    assert_eq!(ada.post(&path, &()).await.status, 200);
    let path = format!("/admin/people/{}/adjustments", ada.account_id);
    let form = [("amount", "-5"), ("reason", "a mistake at the till")];
    assert_eq!(admin.post(&path, &form).await.status, 200);

    // A rehearsal holds, pays and sends requests of every kind, and is taken away again.
    let target = office.base(0).parse().unwrap();
    let rehearsal = Rehearsal {
        target,
        people: 20,
        open_loop: None,
        choosing: None,
        history: None,
        html: None,
    };
    let access = Access { token: None, stores: Some((&office.app.db, &office.app.redis)) };
    let played = rehearsal.run(access, std::future::pending(), |_| ()).await.unwrap();
    assert!(played.errors.is_empty(), "{:?}", played.errors);
    assert!(played.report.is_clean(), "{}", played.report);
    let found = verify_database(&office.app.db).await.unwrap();
    assert!(found.is_empty(), "{found:#?}");
    office.verify().await;
    office.close().await;
    serving.close();
    role.remove(&db).await;
}

/// What `serve` says before it serves.
async fn said_by_serve(settings: &[(&str, &str)]) -> String {
    let redis_url = std::env::var("REDIS_URL").unwrap();
    let mut serve = tokio::process::Command::new(env!("CARGO_BIN_EXE_stagedoor"))
        .arg("serve")
        .env_remove("DATABASE_OWNER_URL")
        .env_remove("LOG")
        .envs(settings.iter().copied())
        .env("REDIS_URL", redis_url)
        .env("REDIS_PREFIX", Uuid::new_v4().to_string())
        .env("LISTEN_ADDR", "127.0.0.1:0")
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(serve.stderr.take().unwrap()).lines();
    let mut said = String::new();
    let until_it_serves = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            said.push_str(&line);
            if line.contains("serving on") {
                return;
            }
        }
    };
    tokio::time::timeout(SERVE_MAX, until_it_serves).await.unwrap();
    serve.kill().await.unwrap();
    said
}

#[sqlx::test]
async fn serve_says_when_one_role_does_both(db: PgPool) {
    let role = Serving::create(&db).await;
    let (owner_url, url) = role.urls(&db).await;
    let said = said_by_serve(&[("DATABASE_URL", &owner_url)]).await;
    assert!(said.contains("the role that serves owns the tables"), "{said}");
    let said = said_by_serve(&[("DATABASE_URL", &url), ("DATABASE_OWNER_URL", &owner_url)]).await;
    assert!(said.contains("serving on") && !said.contains("owns the tables"), "{said}");
    role.remove(&db).await;
}

#[sqlx::test]
async fn what_guards_the_tables_is_not_for_the_role_that_serves(db: PgPool) {
    let role = Serving::create(&db).await;
    let (owner_url, url) = role.urls(&db).await;
    let settings = [("DATABASE_URL", &*url), ("DATABASE_OWNER_URL", &*owner_url)];
    let serving = migrate_for(&config(&settings)).await.unwrap();
    for refused in [
        "alter table point_transactions disable trigger all",
        "alter table wallets drop constraint wallets_pending_within_balance",
        "drop index reservation_items_live_seat_key",
        "drop trigger audit_log_append_only on audit_log",
        "create or replace function refuse_change() returns trigger language plpgsql
             as 'begin return old; end'",
        "set session_replication_role = replica",
        "truncate audit_log",
        "update point_transactions set amount = 1",
        "update house_entries set amount = 1",
        "update transfer_status_history set status = 'PENDING'",
        "delete from transfer_status_history",
        "update audit_log set act = 'nothing'",
        "delete from audit_log",
        "update _sqlx_migrations set success = false",
        "delete from _sqlx_migrations",
        "create table of_my_own (id integer)",
    ] {
        let outcome = sqlx::query(refused).execute(&serving).await;
        let error = outcome.err().and_then(sqlx::Error::into_database_error);
        let code = error.as_ref().and_then(|error| error.code());
        assert_eq!(code.as_deref(), Some("42501"), "{refused}: {error:?}");
    }
    serving.close();
    role.remove(&db).await;
}
