//! Instances of the real application on one database and one Redis.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use reqwest::{Client, redirect::Policy};
use sha2::{Digest, Sha256};
use sqlx::PgPool;
use stagedoor::{
    app::App,
    config::Config,
    infra::postgres::Pool,
    server::{self, Instance},
    telemetry,
    verify::{self, Violation},
};
use uuid::Uuid;

use super::{Person, eventually};

/// Office with two instances, or as many as a test requests.
#[derive(Debug)]
pub struct Office {
    /// Connections of the test, without the product's limits.
    pub db: PgPool,
    /// Handles of the first instance.
    pub app: App,
    instances: Vec<Instance>,
    client: Client,
}

impl Office {
    /// Opens two instances with the default settings.
    pub async fn open(db: PgPool) -> Self {
        Self::open_with(db, 2, &[]).await
    }

    /// Opens `count` instances with additional settings.
    pub async fn open_with(db: PgPool, count: usize, settings: &[(&str, &str)]) -> Self {
        telemetry::start_metrics();
        let config = config(settings);
        let mut apps = Vec::new();
        let mut instances = Vec::new();
        for _ in 0..count {
            let app = app_with(&db, config.clone()).await;
            instances.push(server::start(&app).unwrap());
            apps.push(app);
        }
        let client = Client::builder().redirect(Policy::none()).build().unwrap();
        Self { db, app: apps.remove(0), instances, client }
    }

    /// Opens one instance that connects with the roles in `settings`.
    pub async fn open_as(db: PgPool, settings: &[(&str, &str)]) -> Self {
        let app = App::start(config(settings)).await.unwrap();
        let instances = vec![server::start(&app).unwrap()];
        let client = Client::builder().redirect(Policy::none()).build().unwrap();
        Self { db, app, instances, client }
    }

    /// Opens one instance that reaches the database through the proxy at `port`.
    pub async fn open_through(db: PgPool, port: u16, settings: &[(&str, &str)]) -> Self {
        let config = config(settings);
        let connect = db.connect_options().as_ref().clone();
        let connect = connect.host("127.0.0.1").port(port);
        let pool = Pool::new(connect, config.db_connections_max.get()).unwrap();
        let app = App::with_database(config, pool).await.unwrap();
        let instances = vec![server::start(&app).unwrap()];
        let client = Client::builder().redirect(Policy::none()).build().unwrap();
        Self { db, app, instances, client }
    }

    /// Returns the address of the instance `idx`.
    pub fn base(&self, idx: usize) -> String {
        format!("http://{}", self.instances[idx % self.instances.len()].address)
    }

    /// Returns a person without an account, at the first instance.
    pub fn stranger(&self) -> Person {
        self.person(Uuid::nil(), 0)
    }

    /// Returns a person with an account and a session, at the first instance.
    pub async fn sign_in(&self, name: &str) -> Person {
        self.crowd(1, name).await.remove(0)
    }

    /// Returns a person with the role `STAFF` or `ADMIN`, at the first instance: of the demo data, so
    /// that an office on this machine asks for no second factor.
    pub async fn employ(&self, name: &str, role: &str) -> Person {
        let person = self.sign_in(name).await;
        sqlx::query("update accounts set role = $2, is_demo = true where id = $1")
            .bind(person.account_id)
            .bind(role)
            .execute(&self.db)
            .await
            .unwrap();
        person
    }

    /// Returns `count` people with sessions, spread over the instances. The sessions are written
    /// directly into the database: hashing passwords is tested elsewhere.
    pub async fn crowd(&self, count: usize, name: &str) -> Vec<Person> {
        let ids: Vec<Uuid> = (0..count).map(|_| Uuid::now_v7()).collect();
        let tokens: Vec<[u8; 32]> = (0..count).map(|_| rand::random()).collect();
        let hashes: Vec<Vec<u8>> =
            tokens.iter().map(|token| Sha256::digest(token).to_vec()).collect();
        sqlx::query(
            "insert into accounts (id, email, name, password_hash)
             select id, lower($2) || '-' || id || '@example.com', $2, 'none' from unnest($1::uuid[]) id",
        )
        .bind(&ids)
        .bind(name)
        .execute(&self.db)
        .await
        .unwrap();
        sqlx::query(
            "insert into sessions (token_hash, account_id, expires_at)
             select hash, id, now() + interval '1 day' from unnest($1::bytea[], $2::uuid[]) t(hash, id)",
        )
        .bind(&hashes)
        .bind(&ids)
        .execute(&self.db)
        .await
        .unwrap();
        let people = ids.into_iter().zip(tokens).enumerate();
        people
            .map(|(idx, (id, token))| {
                let person = self.person(id, idx);
                person.set_cookie("session", &BASE64_URL_SAFE_NO_PAD.encode(token));
                person
            })
            .collect()
    }

    /// Returns the same account with a session of its own, at the instance `idx`.
    pub async fn log_in(&self, person: &Person, idx: usize) -> Person {
        let device = self.person(person.account_id, idx);
        let token: [u8; 32] = rand::random();
        sqlx::query(
            "insert into sessions (token_hash, account_id, expires_at)
             values ($1, $2, now() + interval '1 day')",
        )
        .bind(Sha256::digest(token).to_vec())
        .bind(person.account_id)
        .execute(&self.db)
        .await
        .unwrap();
        device.set_cookie("session", &BASE64_URL_SAFE_NO_PAD.encode(token));
        device
    }

    /// Returns the person as a client of another instance, sharing their cookies.
    pub fn moved(&self, person: &Person, idx: usize) -> Person {
        Person { base: self.base(idx), ..person.clone() }
    }

    /// Returns a person with that account and without a cookie, at the instance `idx`.
    pub fn person(&self, account_id: Uuid, idx: usize) -> Person {
        Person {
            account_id,
            client: self.client.clone(),
            base: self.base(idx),
            cookies: Arc::new(Mutex::default()),
        }
    }

    /// Fails unless every invariant holds; every storm ends with this. Redis is waited for: after a
    /// silence an instance asks it again only after a pause.
    pub async fn verify(&self) {
        let verified = async || verify::verify(&self.app.db, &self.app.redis).await;
        assert_none(&eventually("an answer to verify", verified).await);
    }

    /// Works as [`Self::verify`] without Redis.
    pub async fn verify_database(&self) {
        assert_none(&verify::verify_database(&self.app.db).await.unwrap());
    }

    /// Verifies, then stops every instance gracefully.
    pub async fn close(self) {
        self.verify().await;
        self.close_as_it_is().await;
    }

    /// Stops every instance of an office that the test broke on purpose, without verifying.
    pub async fn close_as_it_is(mut self) {
        self.leave().await;
    }

    /// Stops every instance, so that only processes of the test's own remain.
    pub async fn leave(&mut self) {
        for instance in self.instances.drain(..) {
            instance.stop().await;
        }
    }
}

/// Connections of an office that is still open keep its database from being dropped, and the end
/// of the test waits seconds for them.
impl Drop for Office {
    fn drop(&mut self) {
        let is_left_open = !self.instances.is_empty() && !std::thread::panicking();
        assert!(!is_left_open, "the test did not close its office");
    }
}

fn assert_none(violations: &[Violation]) {
    let lines: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}

/// Returns the handles of an instance that is not served.
pub async fn app(db: &PgPool) -> App {
    app_with(db, config(&[])).await
}

async fn app_with(db: &PgPool, config: Config) -> App {
    let pool = pool(db, config.db_connections_max.get());
    App::with_database(config, pool).await.unwrap()
}

/// Empties the database of a test, to what `create database` makes from `template0`: `scripts/test`
/// migrates the template of the others.
pub async fn empty(db: &PgPool) {
    const EMPTY: &str = "drop schema public cascade; create schema public";
    sqlx::raw_sql(EMPTY).execute(db).await.unwrap();
}

/// Opens a pool of the product's kind on the database of a test.
pub fn pool(db: &PgPool, connections_max: u32) -> Pool {
    Pool::new(db.connect_options().as_ref().clone(), connections_max).unwrap()
}

/// Returns the address of the Redis that all tests share, for instances that share a machine too: there an answer may
/// be late without anything being wrong. A test of a Redis that is away has one of its own.
fn patient_redis_url() -> String {
    format!("{}?response_ms=3000", std::env::var("REDIS_URL").unwrap())
}

/// Returns settings for instances on free ports, with a Redis prefix of their own.
pub fn config(settings: &[(&str, &str)]) -> Config {
    let prefix = Uuid::new_v4().to_string();
    let mut values: HashMap<&str, String> = HashMap::from([
        ("DATABASE_URL", std::env::var("DATABASE_URL").unwrap()),
        ("REDIS_URL", patient_redis_url()),
        ("LISTEN_ADDR", "127.0.0.1:0".to_owned()),
        // Many offices share one machine, and one server.
        ("HTTP_WORKERS", "1".to_owned()),
        ("DB_CONNECTIONS_MAX", "10".to_owned()),
        ("REDIS_PREFIX", format!("test-{prefix}")),
    ]);
    values.extend(settings.iter().map(|(name, value)| (*name, (*value).to_owned())));
    Config::from_lookup(|name| values.get(name).cloned()).unwrap()
}
