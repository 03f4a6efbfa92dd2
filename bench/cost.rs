//! What one purchase costs each of the three programs, and what listening people cost.

use std::{collections::HashMap, fs};

use crate::{
    Bench, CROWD, FULL, Failure, expect,
    figure::Spread,
    http::Connection,
    load::Errand,
    person::session,
    server,
    stage::{pgbench, psql},
};

/// People who watch one map at once.
const STREAMS: u64 = 10_000;
/// Connections that are opened at once.
const STREAMS_AT_ONCE: u64 = 20;

/// What was measured, and its value.
pub(crate) type Fact = (&'static str, String);

/// Processor time so far, in seconds.
#[derive(Clone, Copy, Debug)]
struct Clocks {
    server: f64,
    postgres: f64,
    redis: f64,
    /// PostgreSQL's for the statements that 0.1.0 sent one by one.
    one_by_one: f64,
}

impl Clocks {
    fn all(&self) -> f64 {
        self.server + self.postgres + self.redis
    }
}

impl Bench {
    /// All of this.
    pub(crate) async fn costs(&mut self) -> Result<Vec<Fact>, Failure> {
        let mut facts = self.processor_of_purchases().await?;
        // Ten thousand people take their time to come.
        if self.pace.runs == FULL.runs {
            facts.extend(self.memory_of_streams().await?);
        }
        Ok(facts)
    }

    async fn processor_of_purchases(&mut self) -> Result<Vec<Fact>, Failure> {
        let postmaster = Postmaster::find()?;
        let redis = redis::Client::open(std::env::var("REDIS_URL")?)?;
        let mut redis = redis.get_multiplexed_async_connection().await?;
        let mut each = Vec::new();
        // The first run only warms up.
        for nth in 0..=self.pace.runs {
            let one_by_one = self.processor_one_by_one(&postmaster)?;
            let stage = self.stage_with_passes(self.seats()).await?;
            let before = self.clocks(&postmaster, &mut redis).await?;
            let bought = self.drive(&Errand::Purchase(stage.clone()), CROWD, self.seats()).await?;
            let after = self.clocks(&postmaster, &mut redis).await?;
            expect("purchases", bought.done, stage.count_reservations("CONFIRMED")?)?;
            stage.strike()?;
            let purchases = bought.per_sec() * bought.secs;
            if nth > 0 {
                each.push(Clocks {
                    server: (after.server - before.server) / purchases,
                    postgres: (after.postgres - before.postgres) / purchases,
                    redis: (after.redis - before.redis) / purchases,
                    one_by_one,
                });
            }
        }
        let fact = |what, part: fn(&Clocks) -> f64| {
            let spread = Spread::of(each.iter().map(|clocks| part(clocks) * 1e6));
            let Spread { median, min, max } = spread.ok_or("no purchase was measured")?;
            Ok::<_, Failure>((what, format!("{median:.0} µs ({min:.0} - {max:.0})")))
        };
        Ok(vec![
            fact("processor time of one purchase, the server", |clocks| clocks.server)?,
            fact("processor time of one purchase, PostgreSQL", |clocks| clocks.postgres)?,
            fact("processor time of one purchase, Redis", |clocks| clocks.redis)?,
            fact("processor time of one purchase, all three", Clocks::all)?,
            fact(
                "processor time of one purchase one by one as 0.1.0, PostgreSQL alone",
                |clocks| clocks.one_by_one,
            )?,
        ])
    }

    /// PostgreSQL's processor time for a purchase of pgbench, in seconds.
    fn processor_one_by_one(&mut self, postmaster: &Postmaster) -> Result<f64, Failure> {
        let alone = self.stage(false, self.seats())?;
        let before = postmaster.cpu_secs()?;
        let scripts = ["hold.sql", "pay.sql"];
        let done = pgbench(&scripts, &alone.variables(self.pace.turns), self.pace.secs)?;
        let spent = postmaster.cpu_secs()? - before;
        alone.strike()?;
        Ok(spent / (done.per_sec() * done.secs))
    }

    async fn clocks(
        &self,
        postmaster: &Postmaster,
        redis: &mut redis::aio::MultiplexedConnection,
    ) -> Result<Clocks, Failure> {
        let told: String = redis::cmd("INFO").arg("cpu").query_async(redis).await?;
        let told: HashMap<&str, &str> =
            told.lines().filter_map(|line| line.split_once(':')).collect();
        let mut of_redis = 0.0;
        for name in ["used_cpu_user", "used_cpu_sys"] {
            let secs = told.get(name).ok_or("Redis does not tell its processor time")?;
            of_redis += secs.trim().parse::<f64>()?;
        }
        let (server, postgres) = (self.server.cpu_secs()?, postmaster.cpu_secs()?);
        Ok(Clocks { server, postgres, redis: of_redis, one_by_one: 0.0 })
    }

    /// What the server has in use while many watch one map.
    async fn memory_of_streams(&mut self) -> Result<Vec<Fact>, Failure> {
        let stage = self.stage(true, STREAMS)?;
        let path = format!("/schedules/{}", stage.schedule_id());
        let mut buyer = Connection::open(self.server.address).await?;
        let map = buyer.get(&path, &session(1)).await?;
        let map: serde_json::Value = serde_json::from_str(&map.body)?;
        let cursor = map.get("cursor").and_then(serde_json::Value::as_str).ok_or("no map")?;
        let path = format!("{path}/changes?since={cursor}");
        let before_mib = self.server.memory_mib()?;
        let mut streams = Vec::new();
        let address = self.server.address;
        for first in (1..=STREAMS).step_by(usize::try_from(STREAMS_AT_ONCE)?) {
            let some = (first..first + STREAMS_AT_ONCE).map(|nth| {
                let path = path.clone();
                async move {
                    let mut stream = Connection::open(address).await?;
                    stream.listen(&path, &session(nth)).await?;
                    std::io::Result::Ok(stream)
                }
            });
            streams.extend(futures_util::future::try_join_all(some).await?);
        }
        let open_mib = self.server.memory_mib()?;
        drop(streams);
        stage.strike()?;
        let each_kib = (open_mib - before_mib) * 1024.0 / f64::from(u32::try_from(STREAMS)?);
        Ok(vec![(
            "memory with 10,000 open event streams of one map",
            format!("{open_mib:.0} MiB, before them {before_mib:.0} MiB: {each_kib:.1} KiB each"),
        )])
    }
}

/// PostgreSQL's first process, the parent of all others.
#[derive(Debug)]
struct Postmaster(String);

impl Postmaster {
    fn find() -> Result<Self, Failure> {
        let folder = psql(&["-c", "show data_directory"])?;
        let file = fs::read_to_string(format!("{}/postmaster.pid", folder.trim()))?;
        Ok(Self(file.lines().next().ok_or("PostgreSQL does not tell its process")?.to_owned()))
    }

    /// The processor time of all its processes, ended ones included.
    fn cpu_secs(&self) -> Result<f64, Failure> {
        let mut secs = server::cpu_secs_with_ended(&self.0)?;
        for thread in fs::read_dir(format!("/proc/{}/task", self.0))? {
            let children = fs::read_to_string(thread?.path().join("children"))?;
            // One that ends at this moment is counted among the ended, a moment later.
            secs += children
                .split_whitespace()
                .filter_map(|pid| server::cpu_secs(pid).ok())
                .sum::<f64>();
        }
        Ok(secs)
    }
}
