//! The real program as a process of its own, to be killed.

use std::{
    process::{Child, Command, Stdio},
    time::Duration,
};

use super::{Office, Person, free_port};

/// A served instance in another process, on an office's database and Redis.
#[derive(Debug)]
pub(crate) struct ChildInstance {
    pub(crate) base: String,
    process: Child,
}

impl ChildInstance {
    /// Starts one and waits until it serves.
    pub(crate) async fn start(office: &Office) -> Self {
        // The password stands only in the address that the tests were given.
        let mut database_url: url::Url = std::env::var("DATABASE_URL").unwrap().parse().unwrap();
        database_url.set_path(office.db.connect_options().get_database().unwrap());
        let address = format!("127.0.0.1:{}", free_port());
        let mut program = Command::new(env!("CARGO_BIN_EXE_stagedoor"));
        program
            .arg("serve")
            .env("DATABASE_URL", database_url.as_str())
            .env("REDIS_URL", &office.app.config.redis_url)
            .env("REDIS_PREFIX", &office.app.config.redis_prefix)
            .env("LISTEN_ADDR", &address)
            .env("MIGRATE_ON_START", "false")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let base = format!("http://{address}");
        let child = Self { base, process: program.spawn().unwrap() };
        for _ in 0..400 {
            if reqwest::get(format!("{}/healthz", child.base)).await.is_ok() {
                return child;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("no instance at {}", child.base);
    }

    /// The same person, talking to this process.
    pub(crate) fn moved(&self, person: &Person) -> Person {
        Person { base: self.base.clone(), ..person.clone() }
    }

    /// Ends it as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for ChildInstance {
    fn drop(&mut self) {
        self.kill();
    }
}
