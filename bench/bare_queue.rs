//! A poll's limit in Redis: the script that every poll runs, asked by redis-benchmark.

use std::process::Command;

use redis::{Script, aio::MultiplexedConnection};

use crate::{CROWD, Failure, stage::output, tally::Tally};

/// What `src/entry_queue/redis_queue/polls.rs` runs, for one poll.
const POLL: &str = concat!(
    include_str!("../src/entry_queue/redis_queue/hearing.lua"),
    include_str!("../src/entry_queue/redis_queue/poll.lua")
);
/// A queue of so many people.
const FILL: &str = "
    for nth = 1, tonumber(ARGV[1]) do
        redis.call('ZADD', KEYS[1], nth, string.format('%016d', nth))
    end
    local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
    redis.call('HSET', KEYS[4], 'run', run, 'since', 0, 'counted_to', ARGV[1])
    return run";
/// Its keys, as `poll.lua` names them.
const KEYS: [&str; 6] = [
    "{bench-queue}:waiting",
    "{bench-queue}:active",
    "{bench-queue}:seen",
    "{bench-queue}:epoch",
    "{bench-queue}:hearing",
    "{bench-queue}:called",
];
/// Polls are noted for so many at the head, as the server has it.
const WINDOW: u64 = 25_000;
/// Longest silence of a person in the queue, as on the server.
const GRACE_MS: u64 = 60_000;
/// Questions for each second that a run is to last: about what one Redis answers.
const ASKED_PER_SEC: u64 = 50_000;

/// A queue that no server knows of.
pub(crate) struct BareQueue {
    redis: MultiplexedConnection,
    url: String,
    sha: String,
    /// Who is asked about: the one in the middle.
    account: String,
    run_id: String,
}

impl BareQueue {
    /// Fills the queue with `people`.
    pub(crate) async fn form(people: u64) -> Result<Self, Failure> {
        let url = std::env::var("REDIS_URL")?;
        let mut redis =
            redis::Client::open(url.as_str())?.get_multiplexed_async_connection().await?;
        let script = Script::new(FILL);
        let mut fill = script.prepare_invoke();
        for key in KEYS {
            fill.key(key);
        }
        let run_id = fill.arg(people).invoke_async(&mut redis).await?;
        let sha = redis::cmd("SCRIPT").arg("LOAD").arg(POLL).query_async(&mut redis).await?;
        Ok(Self { redis, url, sha, account: format!("{:016}", people / 2), run_id })
    }

    /// Asks for about `secs` seconds where that one stands, over as many connections as
    /// the server has people.
    pub(crate) fn ask(&self, secs: u64) -> Result<Tally, Failure> {
        let done = ASKED_PER_SEC * secs;
        let (clients, asked) = (CROWD.to_string(), done.to_string());
        let mut command = Command::new("redis-benchmark");
        command.args(["-u", &self.url, "--csv", "-c", &clients, "-n", &asked]);
        command.args(["EVALSHA", &self.sha, &KEYS.len().to_string()]).args(KEYS);
        command.args([&WINDOW.to_string(), &GRACE_MS.to_string(), &self.account, &self.run_id]);
        let said = output(&mut command)?;
        // "test","rps",… and the figures of the one test that there was.
        let figures = said.lines().last().ok_or("redis-benchmark said nothing")?;
        let rate = figures.split("\",\"").nth(1).ok_or("redis-benchmark measured nothing")?;
        let secs = f64::from(u32::try_from(done)?) / rate.parse::<f64>()?;
        Ok(Tally { done, secs, ..Tally::default() })
    }

    /// Takes the queue away.
    pub(crate) async fn strike(mut self) -> Result<(), Failure> {
        Ok(redis::cmd("DEL").arg(&KEYS).query_async(&mut self.redis).await?)
    }
}
