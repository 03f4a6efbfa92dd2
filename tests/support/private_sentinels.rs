//! Sentinels of one test's own, with the primary and the replica that they watch.

use std::{
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use redis::{FromRedisValue, RedisResult};

use super::{PrivateRedis, eventually, free_port};

/// Name by which the sentinels know the primary.
const NAME: &str = "tickets";

/// A primary, its replica, and three sentinels of which two decide.
#[derive(Debug)]
pub struct PrivateSentinels {
    /// The primary of the beginning, and the replica.
    pub servers: [PrivateRedis; 2],
    ports: Vec<u16>,
    sentinels: Vec<Child>,
    folder: PathBuf,
}

impl PrivateSentinels {
    /// Starts all of them and waits until each sentinel knows the replica and the others.
    pub async fn start() -> Self {
        let primary = PrivateRedis::start().await;
        let port = primary.port.to_string();
        let replica = PrivateRedis::start_with(&["--replicaof", "127.0.0.1", &port]).await;
        let folder = std::env::temp_dir().join(format!("stagedoor-sentinels-{port}"));
        std::fs::create_dir_all(&folder).unwrap();
        let ports: Vec<u16> = (0..3).map(|_| free_port()).collect();
        let sentinels = ports.iter().map(|port| {
            let file = folder.join(format!("{port}.conf"));
            std::fs::write(&file, settings(*port, primary.port)).unwrap();
            let mut server = Command::new("redis-server");
            server.arg(file).arg("--sentinel").stdout(Stdio::null()).spawn().unwrap()
        });
        let sentinels = sentinels.collect();
        let all = Self { servers: [primary, replica], ports, sentinels, folder };
        for port in &all.ports {
            all.until_all_are_known(*port).await;
        }
        all
    }

    async fn until_all_are_known(&self, port: u16) {
        eventually("sentinels that know each other", async || {
            let info: String = ask(port, &["INFO", "sentinel"]).await?;
            let is_whole = info.contains("status=ok") && info.contains("slaves=1,sentinels=3");
            if is_whole {
                Ok(())
            } else {
                Err(redis::RedisError::from(std::io::Error::other(info)))
            }
        })
        .await;
    }

    /// Has the sentinels make the replica the primary, and the primary its replica.
    pub async fn fail_over(&self) {
        eventually("an accepted failover", async || {
            ask::<()>(self.ports[0], &["SENTINEL", "FAILOVER", NAME]).await
        })
        .await;
    }

    /// Returns the value for `REDIS_URL`, with a sentinel first that is not there.
    pub fn url(&self) -> String {
        let hosts: Vec<String> =
            self.ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
        format!("redis+sentinel://127.0.0.1:1,{}/{NAME}", hosts.join(","))
    }
}

/// Asks the sentinel at this port.
async fn ask<T: FromRedisValue>(port: u16, words: &[&str]) -> RedisResult<T> {
    let client = redis::Client::open(format!("redis://127.0.0.1:{port}"))?;
    let mut link = client.get_multiplexed_async_connection().await?;
    redis::cmd(words[0]).arg(&words[1..]).query_async(&mut link).await
}

/// Returns the settings of a sentinel: a primary that says nothing for a second is down.
fn settings(port: u16, primary: u16) -> String {
    format!(
        "port {port}\nbind 127.0.0.1\nsentinel monitor {NAME} 127.0.0.1 {primary} 2\n\
         sentinel down-after-milliseconds {NAME} 1000\nsentinel failover-timeout {NAME} 5000\n"
    )
}

impl Drop for PrivateSentinels {
    fn drop(&mut self) {
        for sentinel in &mut self.sentinels {
            sentinel.kill().unwrap();
            sentinel.wait().unwrap();
        }
        // A folder left behind does no harm.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
