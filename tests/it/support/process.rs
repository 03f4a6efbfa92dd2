//! The real binary in a process of its own, on a test's database, to be killed.

use std::{
    process::{Child, Command, Stdio},
    time::Duration,
};

use sqlx::{ConnectOptions, PgPool};

use super::{Person, free_port};

/// Running `stagedoor serve`.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    base: String,
}

impl Process {
    /// Starts the process on the database of a test, and waits until it serves.
    pub(crate) async fn serve(db: &PgPool) -> Self {
        let address = format!("127.0.0.1:{}", free_port());
        let child = Command::new(env!("CARGO_BIN_EXE_stagedoor"))
            .arg("serve")
            .env("DATABASE_URL", db.connect_options().to_url_lossy().as_str())
            .env("REDIS_PREFIX", format!("test-{address}"))
            .env("LISTEN_ADDR", &address)
            .env("HTTP_WORKERS", "1")
            .env("LOG", "error")
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let process = Self { child, base: format!("http://{address}") };
        for _ in 0..2_400 {
            if reqwest::get(format!("{}/healthz", process.base)).await.is_ok() {
                return process;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("the process does not serve");
    }

    /// Returns the person as a client of this process.
    pub(crate) fn moved(&self, person: &Person) -> Person {
        Person { base: self.base.clone(), ..person.clone() }
    }

    /// Kills the process with SIGKILL, as a power cut would end it.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
