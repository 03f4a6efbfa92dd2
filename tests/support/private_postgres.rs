//! A PostgreSQL server of one test's own, whose settings the test changes.

use std::{
    path::{Path, PathBuf},
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

/// Beginning of a script about the server of the stack in the folder `$1`, which listens on the port `$2`.
const TOOLS: &str = r#"
set -euo pipefail
for name in words ports programs servers; do . "scripts/lib/$name.sh"; done
FOLDER=$1
bin=$(postgres_bin newest)
choose_service_user
export PATH=$bin:$PATH
run_script() { as_service bash -c "$(cat "$1")" "$@"; }
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

    /// Makes a backup of the server while it serves, with the script of `deploy/`; returns its folder.
    pub async fn back_up(&self) -> PathBuf {
        PathBuf::from(self.try_to_back_up("unlimited").await.unwrap())
    }

    /// Works as [`back_up`](Self::back_up), where no file may have more than so many KiB; an error is what the script said.
    pub async fn try_to_back_up(&self, file_kib_max: &str) -> Result<String, String> {
        let script = r#"ulimit -f "$3"
            service_folder "$FOLDER/backups"
            PGPASSWORD=$(cat "$FOLDER/password")
            export PGPASSWORD PGHOST=127.0.0.1 PGPORT=$2 PGUSER=postgres
            run_script deploy/backup/backup.sh "$FOLDER/backups" 2"#;
        self.run(script, vec![file_kib_max.to_owned()]).await
    }

    /// Ends the server at once, and deletes its data.
    pub async fn destroy(&self) {
        let script = r#"kill -QUIT "$(sed -n 1p "$FOLDER/postgres/postmaster.pid")"
            while works_in "$(sed -n 1p "$FOLDER/postgres/postmaster.pid" 2>/dev/null)" "$FOLDER/postgres"; do
              sleep 0.05
            done
            rm -rf "$FOLDER/postgres""#;
        self.run(script, Vec::new()).await.unwrap();
    }

    /// Puts a backup in the place of the data with the script of `deploy/`; an error is what the script said.
    pub async fn put_back(&self, backup: &Path) -> Result<String, String> {
        let script = r#"[[ -e $FOLDER/postgres ]] || service_folder "$FOLDER/postgres"
            run_script deploy/backup/restore.sh "$3" "$FOLDER/postgres""#;
        self.run(script, vec![backup.display().to_string()]).await
    }

    /// Has the server archive its write-ahead log from now on, which it starts again for.
    pub async fn archive(&self) {
        let script = r#"service_folder "$FOLDER/archive"
            echo "archive_mode = on" >>"$FOLDER/postgres/postgresql.conf"
            echo "archive_command = 'cp %p $FOLDER/archive/%f'" >>"$FOLDER/postgres/postgresql.conf"
            as_service "$bin/pg_ctl" restart --silent --wait --mode=fast --pgdata="$FOLDER/postgres" \
            --log="$FOLDER/log/postgres.log" --options="-p $2" >/dev/null"#;
        self.run(script, Vec::new()).await.unwrap();
    }

    /// Waits until everything that was committed is in the archive.
    pub async fn until_archived(&self) {
        let script = r#"PGPASSWORD=$(cat "$FOLDER/password")
            export PGPASSWORD PGHOST=127.0.0.1 PGPORT=$2 PGUSER=postgres
            last=$(psql --no-psqlrc -Atc "select pg_walfile_name(pg_switch_wal())")
            until [[ -e $FOLDER/archive/$last ]]; do sleep 0.05; done"#;
        self.run(script, Vec::new()).await.unwrap();
    }

    /// Puts a backup in the place of the data, with what the archive has of the time after it.
    pub async fn put_back_with_archive(&self, backup: &Path) {
        let script = r#"service_folder "$FOLDER/postgres"
            run_script deploy/backup/restore.sh "$3" "$FOLDER/postgres" "$FOLDER/archive""#;
        self.run(script, vec![backup.display().to_string()]).await.unwrap();
    }

    /// Starts the server again, on the same port, and waits until it takes writes.
    pub async fn restart(&self) {
        let script = r#"as_service "$bin/pg_ctl" start --silent --wait --pgdata="$FOLDER/postgres" \
            --log="$FOLDER/log/postgres.log" --options="-p $2" >/dev/null
            PGPASSWORD=$(cat "$FOLDER/password")
            export PGPASSWORD PGHOST=127.0.0.1 PGPORT=$2 PGUSER=postgres
            until [[ $(psql --no-psqlrc -Atc "select pg_is_in_recovery()") == f ]]; do sleep 0.05; done"#;
        self.run(script, Vec::new()).await.unwrap();
    }

    /// Runs a script with the folder, the port and `arguments`; returns what it printed, or else what it complained of.
    async fn run(&self, script: &'static str, arguments: Vec<String>) -> Result<String, String> {
        let (folder, url) = (self.folder.clone(), self.url.parse::<url::Url>().unwrap());
        let run = move || {
            Command::new("bash")
                .args(["-c", &format!("{TOOLS}{script}"), "server"])
                .arg(&folder)
                .arg(url.port().unwrap().to_string())
                .args(arguments)
                .current_dir(ROOT)
                .output()
                .unwrap()
        };
        let ended = tokio::task::spawn_blocking(run).await.unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if ended.status.success() { Ok(text(&ended.stdout)) } else { Err(text(&ended.stderr)) }
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
