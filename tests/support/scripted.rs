//! The program's Lua scripts, run by hand on keys of one test's own.

use redis::{FromRedisValue, aio::MultiplexedConnection};

/// Connection to Redis, and a hash tag that no other test has.
#[derive(Debug)]
pub struct Scripted {
    link: MultiplexedConnection,
    tag: uuid::Uuid,
    /// Run id of the server.
    pub run_id: String,
}

impl Scripted {
    /// Connects to the server of the tests.
    pub async fn open() -> Self {
        let client = redis::Client::open(std::env::var("REDIS_URL").unwrap()).unwrap();
        let mut link = client.get_multiplexed_async_connection().await.unwrap();
        let info: String = redis::cmd("INFO").arg("server").query_async(&mut link).await.unwrap();
        let run_id = info.lines().find_map(|line| line.strip_prefix("run_id:")).unwrap();
        Self { run_id: run_id.to_owned(), tag: uuid::Uuid::new_v4(), link }
    }

    /// Runs a script on the keys with these names.
    pub async fn run<T: FromRedisValue>(&self, script: &str, keys: &[&str], args: &[String]) -> T {
        let mut call = redis::cmd("EVAL");
        call.arg(script).arg(keys.len());
        for key in keys {
            call.arg(self.key(key));
        }
        call.arg(args).query_async(&mut self.link.clone()).await.unwrap()
    }

    /// Runs a command whose second word names a key.
    pub async fn ask<T: FromRedisValue>(&self, words: &[&str]) -> T {
        let [command, key, rest @ ..] = words else { unreachable!() };
        let mut command = redis::cmd(command);
        command.arg(self.key(key)).arg(rest);
        command.query_async(&mut self.link.clone()).await.unwrap()
    }

    /// Returns the server's clock (ms since the epoch).
    pub async fn now_ms(&self) -> i64 {
        let mut link = self.link.clone();
        let (secs, micros): (i64, i64) = redis::cmd("TIME").query_async(&mut link).await.unwrap();
        secs * 1_000 + micros / 1_000
    }

    fn key(&self, name: &str) -> String {
        format!("{{{}}}:{name}", self.tag)
    }
}
