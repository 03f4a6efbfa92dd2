//! A standby of a private PostgreSQL server.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use sqlx::{Connection, PgConnection};

use super::{checkout::ROOT, free_port};

/// Standby that follows a [`PrivatePostgres`](super::PrivatePostgres); it ends with the test, however that
/// ends.
#[derive(Debug)]
pub struct PrivateStandby {
    folder: PathBuf,
    keeper: Child,
    /// Address of the superuser.
    superuser_url: String,
    /// Address of the role that the test connects with.
    pub url: String,
}

/// Script that copies the server of the stack in the folder `$1` into the folder `$2` and starts the copy on
/// the port `$4`; the server itself listens on `$3`.
const KEEPER: &str = r#"
set -euo pipefail
for name in words ports programs servers; do . "scripts/lib/$name.sh"; done
FOLDER=$2
bin=$(postgres_bin newest)
mkdir "$FOLDER"
choose_service_user
service_folder "$FOLDER/data"
service_folder "$FOLDER/log"
trap 'as_service "$bin/pg_ctl" stop --silent --mode=immediate --pgdata="$FOLDER/data" || true; rm -rf "$FOLDER"' EXIT
PGPASSWORD=$(cat "$1/password")
export PGPASSWORD
as_service "$bin/pg_basebackup" --checkpoint=fast --write-recovery-conf --no-sync \
  --dbname="host=127.0.0.1 port=$3 user=postgres" --pgdata="$FOLDER/data"
start() {
  as_service "$bin/pg_ctl" start --silent --wait --pgdata="$FOLDER/data" \
    --log="$FOLDER/log/standby.log" --options="-p $1" >/dev/null
  touch "$FOLDER/ready"
}
start "$4"
while read -r _; do start "$4"; done
"#;

impl PrivateStandby {
    /// Starts a standby of the server at `url`, whose stack is in `stack`.
    pub(super) async fn start(stack: &Path, url: &str) -> Self {
        let name = format!("stagedoor-standby-{}", uuid::Uuid::new_v4().simple());
        let folder = std::env::temp_dir().join(name);
        let primary: url::Url = url.parse().unwrap();
        let port = free_port();
        let keeper = Command::new("bash")
            .args(["-c", KEEPER, "keeper"])
            .args([stack, &folder])
            .args([primary.port().unwrap().to_string(), port.to_string()])
            .current_dir(ROOT)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut own = primary;
        own.set_port(Some(port)).unwrap();
        let url = own.to_string();
        own.set_username("postgres").unwrap();
        let mut standby = Self { folder, keeper, superuser_url: own.to_string(), url };
        standby.until_ready().await;
        standby
    }

    async fn until_ready(&mut self) {
        const LOOKS_MAX: u32 = 1_200;
        for _ in 0..LOOKS_MAX {
            if std::fs::remove_file(self.folder.join("ready")).is_ok() {
                return;
            }
            assert!(self.keeper.try_wait().unwrap().is_none(), "the standby did not start");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the standby did not start in time");
    }

    /// Connects as the superuser.
    pub async fn connect(&self) -> PgConnection {
        PgConnection::connect(&self.superuser_url).await.unwrap()
    }

    /// Ends the server at once, as a crash does.
    pub fn crash(&self) {
        crash(&self.folder.join("data"));
    }

    /// Starts the server again, on the same port.
    pub async fn restart(&mut self) {
        use std::io::Write;
        self.keeper.stdin.as_mut().unwrap().write_all(b"start\n").unwrap();
        self.until_ready().await;
    }
}

impl Drop for PrivateStandby {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        // The keeper removes the folder; a folder left behind does no harm.
        let _ = self.keeper.wait();
    }
}

/// Ends the server with this data at once, and its connections with it.
pub(super) fn crash(data: &Path) {
    let pid = std::fs::read_to_string(data.join("postmaster.pid")).unwrap();
    let killed = Command::new("kill").args(["-QUIT", pid.lines().next().unwrap()]).status();
    assert!(killed.unwrap().success());
}
