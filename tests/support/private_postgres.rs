//! A PostgreSQL server of one test's own, whose settings the test changes.

use std::{
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

use sqlx::PgPool;
use stagedoor::infra::postgres::MIGRATIONS;

use super::{
    checkout::ROOT,
    eventually,
    private_standby::{PrivateStandby, crash},
};

/// Server with an empty, migrated database; it ends with the test, however that ends.
#[derive(Debug)]
pub struct PrivatePostgres {
    folder: PathBuf,
    keeper: Child,
    url: String,
}

/// Script that stops the server when its input is closed, which happens even if the test is killed.
const KEEPER: &str = r#"
trap 'scripts/stack stop "$1" >/dev/null 2>&1; rm -rf "$1"' EXIT
scripts/stack start --throw-away "$1" >/dev/null
mv "$1/env" "$1/env.ready"
cat >/dev/null
"#;

impl PrivatePostgres {
    /// Starts a server.
    pub async fn start() -> Self {
        const LOOKS_MAX: u32 = 1_200;
        let name = format!("stagedoor-postgres-{}", uuid::Uuid::new_v4().simple());
        let folder = std::env::temp_dir().join(name);
        let keeper = Command::new("bash")
            .args(["-c", KEEPER, "keeper"])
            .arg(&folder)
            .current_dir(ROOT)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut server = Self { folder, keeper, url: String::new() };
        for _ in 0..LOOKS_MAX {
            if let Ok(env) = std::fs::read_to_string(server.folder.join("env.ready")) {
                // Tests write rows directly, which requires the owner's role.
                let line = env.lines().find_map(|line| line.strip_prefix("DATABASE_OWNER_URL='"));
                line.unwrap().trim_end_matches('\'').clone_into(&mut server.url);
                return server;
            }
            assert!(server.keeper.try_wait().unwrap().is_none(), "PostgreSQL did not start");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("PostgreSQL did not start in time");
    }

    /// Starts a standby of this server.
    pub async fn start_standby(&self) -> PrivateStandby {
        PrivateStandby::start(&self.folder, &self.url).await
    }

    /// Ends the server at once, as a crash does.
    pub fn crash(&self) {
        crash(&self.folder.join("postgres"));
    }

    /// Connects to the server's migrated database.
    pub async fn database(&self) -> PgPool {
        let db = PgPool::connect(&self.url).await.unwrap();
        MIGRATIONS.run(&db).await.unwrap();
        db
    }

    /// Appends a setting, reloads the server and waits until the setting has its value.
    pub async fn set(&self, db: &PgPool, name: &str, value: &str) {
        let data = self.folder.join("postgres");
        let file = data.join("postgresql.conf");
        let settings = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{settings}\n{name} = '{value}'\n")).unwrap();
        let pid = std::fs::read_to_string(data.join("postmaster.pid")).unwrap();
        let reread = Command::new("kill").args(["-HUP", pid.lines().next().unwrap()]).status();
        assert!(reread.unwrap().success());
        eventually(name, async || {
            let current = sqlx::query_scalar("select current_setting($1)").bind(name);
            let now: String = current.fetch_one(db).await.unwrap();
            if now == value { Ok(()) } else { Err(now) }
        })
        .await;
    }
}

impl Drop for PrivatePostgres {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        // The keeper removes the folder; a folder left behind does no harm.
        let _ = self.keeper.wait();
    }
}
