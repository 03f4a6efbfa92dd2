//! The real program in a process of its own, to be killed or stopped.

use std::{
    io::{Read, Seek},
    process::{Child, Command, ExitStatus, Stdio},
};

use super::{Office, Person, checkout::program, eventually, free_port, until};

/// Instance in another process, on an office's database and Redis.
#[derive(Debug)]
pub struct ChildInstance {
    pub base: String,
    process: Child,
    log: std::fs::File,
}

impl ChildInstance {
    /// Starts an instance and waits until it serves.
    pub async fn start(office: &Office) -> Self {
        Self::start_with(office, &[]).await
    }

    /// Starts an instance with additional settings.
    pub async fn start_with(office: &Office, settings: &[(&str, &str)]) -> Self {
        // The password is only in the address that the tests were given.
        let mut database_url: url::Url = std::env::var("DATABASE_URL").unwrap().parse().unwrap();
        database_url.set_path(office.db.connect_options().get_database().unwrap());
        let address = format!("127.0.0.1:{}", free_port());
        let log = log_file();
        let mut program = Command::new(program());
        program
            .arg("serve")
            .env("DATABASE_URL", database_url.as_str())
            .env("REDIS_URL", &office.app.config.redis_url)
            .env("REDIS_PREFIX", &office.app.config.redis_prefix)
            .env("LISTEN_ADDR", &address)
            .env("MIGRATE_ON_START", "false")
            .envs(settings.iter().copied())
            .stdout(Stdio::null())
            .stderr(log.try_clone().unwrap());
        let base = format!("http://{address}");
        let child = Self { base: base.clone(), process: program.spawn().unwrap(), log };
        eventually("a start", async || reqwest::get(format!("{base}/healthz")).await).await;
        child
    }

    /// Returns the person as a client of this process.
    pub fn moved(&self, person: &Person) -> Person {
        Person { base: self.base.clone(), ..person.clone() }
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        let kill = Command::new("kill").arg(self.process.id().to_string()).status().unwrap();
        assert!(kill.success());
    }

    /// Sends SIGTERM and waits until the process has logged that it stops.
    pub async fn ask_to_stop(&mut self) {
        self.terminate();
        until("it begins to stop", async || self.log().contains("stopping")).await;
    }

    /// Waits until the process has ended by itself.
    pub async fn ended(&mut self) -> ExitStatus {
        eventually("its end", async || self.process.try_wait().unwrap().ok_or_else(|| self.log()))
            .await
    }

    /// Returns the log so far.
    pub fn log(&mut self) -> String {
        let mut log = String::new();
        self.log.rewind().unwrap();
        self.log.read_to_string(&mut log).unwrap();
        log
    }

    /// Kills the process with SIGKILL.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for ChildInstance {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Opens an anonymous file in append mode: writes go to its end, wherever it is read.
fn log_file() -> std::fs::File {
    let path = std::env::temp_dir().join(format!("stagedoor-log-{}", uuid::Uuid::new_v4()));
    let mut options = std::fs::OpenOptions::new();
    let file = options.read(true).append(true).create_new(true).open(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    file
}
