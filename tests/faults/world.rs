//! An office with everything around it: servers, instances, and the wires between them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use stagedoor::{
    config::Config,
    infra::{postgres::Pool, redis::Redis},
};
use url::Url;

use crate::{
    Failure,
    disk::SmallDisk,
    failpoints::Failpoints,
    haproxy::HaProxy,
    instance::{Instance, PROGRAM, is_ready},
    names::Names,
    postgres::PostgresServer,
    processes::succeed,
    servers::{Clocks, Machine, Servers},
    support::{PrivateCluster, PrivateRedis, PrivateSentinels},
    template::Template,
    wire::Wire,
};

/// Token with which rehearsals come.
pub(crate) const TOKEN: &str = "a token for rehearsals among faults";
/// Environment variable with the path of an older program, which is upgraded.
const OLDER_PROGRAM: &str = "OLDER_STAGEDOOR";
/// Longest wait for all instances to be ready.
const READY_MAX: Duration = Duration::from_mins(1);

/// Time of two checks of HAProxy's.
const CHECKS_TAKE: Duration = Duration::from_secs(2);

/// What a world has beside two instances, one PostgreSQL and one Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Plain,
    /// A third instance.
    Three,
    /// A standby whose confirmation each commit waits for.
    Standby,
    /// Three instances behind HAProxy, which leads them to the primary or its standby, and sentinels: as
    /// docs/GROWING.md says.
    Deployed,
    /// The same with instances of an older program, on the tables of that program, and one Redis: the
    /// first version knows no sentinels.
    Upgrade,
    /// A replica of Redis.
    Replica,
    /// A Redis cluster of three nodes instead of one server.
    Cluster,
    /// Clocks that can be set.
    Clocks,
    /// Host names instead of addresses.
    Names,
    /// A disk for PostgreSQL that can be filled.
    SmallDisk,
}

impl Shape {
    /// Whether it is set up as docs/GROWING.md says.
    pub(crate) fn is_deployed(self) -> bool {
        matches!(self, Self::Deployed | Self::Upgrade)
    }
}

/// A running office.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) postgres: PostgresServer,
    pub(crate) standby: Option<PostgresServer>,
    pub(crate) redis: PrivateRedis,
    pub(crate) replica: Option<PrivateRedis>,
    pub(crate) cluster: Option<PrivateCluster>,
    pub(crate) sentinels: Option<PrivateSentinels>,
    /// Ends with the world.
    _haproxy: Option<HaProxy>,
    pub(crate) instances: Vec<Instance>,
    /// From the instances to PostgreSQL.
    pub(crate) to_postgres: Wire,
    /// From the instances to the standby, where there is one; ends with the world.
    _to_standby: Option<Wire>,
    /// From the instances to Redis.
    pub(crate) to_redis: Wire,
    /// From people to the instances.
    pub(crate) to_office: Wire,
    pub(crate) failpoints: Failpoints,
    pub(crate) clocks: Option<Clocks>,
    pub(crate) names: Option<Names>,
    pub(crate) disk: Option<SmallDisk>,
    /// For the suite itself.
    redis_url: String,
    folder: PathBuf,
}

impl World {
    /// Opens the office; `None` says what this machine lacks for its shape.
    pub(crate) async fn open(template: &Template, shape: Shape) -> Result<Option<Self>, Failure> {
        let folder = template.folder.join(format!("world-{}", uuid::Uuid::new_v4().simple()));
        fs::create_dir_all(&folder)?;
        let Some(machine) = Machine::prepare(shape, &folder)? else { return Ok(None) };
        let Some(program) = program_of(shape) else { return Ok(None) };
        let servers = Servers::start(template, shape, &machine, &program, &folder).await?;
        let Servers { postgres, standby, redis, replica, cluster, sentinels } = servers;
        let Machine { clocks, names, disk } = machine;
        let to_postgres = Wire::to(&[postgres.port]).await?;
        let to_standby = wire_to(standby.as_ref()).await?;
        let to_redis = Wire::to(&[redis.port]).await?;
        let host = names.as_ref().map_or("127.0.0.1", |_| Names::HOST);
        let redis_at = |host| match (&cluster, &sentinels) {
            (Some(cluster), _) => cluster.url(),
            (_, Some(sentinels)) => sentinels.url(),
            _ => format!("redis://{host}:{}", to_redis.port),
        };
        let redis_url = redis_at("127.0.0.1");
        let mut settings = settings(host, &to_postgres, &redis_at(host));
        let standby_url = to_standby.as_ref().map(|wire| database_url(host, wire));
        settings.extend(standby_url.map(|url| ("STANDBY_DATABASE_URL".to_owned(), url)));
        if shape.is_deployed() {
            settings.push(("DRAIN_SECS".to_owned(), "4".to_owned()));
        }
        settings.extend(names.iter().flat_map(Names::environment));
        let failpoints = Failpoints::listen(&folder)?;
        settings.push(failpoints.environment());
        let mut instances = Vec::new();
        for nth in 0..if shape == Shape::Three || shape.is_deployed() { 3 } else { 2 } {
            let clock = clocks.as_ref().and_then(|clocks| clocks.instances.get(nth));
            let clock = clock.iter().flat_map(|clock| clock.environment());
            let settings: Vec<_> = settings.iter().cloned().chain(clock).collect();
            instances.push(Instance::start(&program, nth, &settings, &folder).await?);
        }
        let ports: Vec<u16> = instances.iter().map(|instance| instance.port).collect();
        let to_office = Wire::to(&ports).await?;
        let haproxy = match standby.as_ref().filter(|_| shape.is_deployed()) {
            Some(standby) => HaProxy::start(&instances, [&postgres, standby], &folder).await?,
            None => None,
        };
        if let Some(haproxy) = &haproxy {
            to_office.lead_to(&[haproxy.people]);
            redirect(&to_postgres, haproxy.postgres).await;
            if let Some(wire) = &to_standby {
                redirect(wire, haproxy.standby).await;
            }
        } else if shape.is_deployed() {
            return Ok(None);
        }
        Ok(Some(Self {
            postgres,
            standby,
            redis,
            replica,
            cluster,
            sentinels,
            _haproxy: haproxy,
            instances,
            to_postgres,
            _to_standby: to_standby,
            to_redis,
            to_office,
            failpoints,
            clocks,
            names,
            disk,
            redis_url,
            folder,
        }))
    }

    /// Returns where people find the office.
    pub(crate) fn address(&self) -> Result<Url, Failure> {
        Ok(format!("http://127.0.0.1:{}", self.to_office.port).parse()?)
    }

    /// Fills the office with demo data.
    pub(crate) fn load_demo(&self) -> Result<(), Failure> {
        let owner =
            format!("postgres://stagedoor_owner@127.0.0.1:{}/stagedoor", self.postgres.port);
        let mut demo = Command::new(PROGRAM);
        demo.arg("demo").envs(settings("127.0.0.1", &self.to_postgres, &self.redis_url));
        demo.env("DATABASE_OWNER_URL", owner);
        // It goes over a wire that this process drives.
        tokio::task::block_in_place(|| succeed(&mut demo))
    }

    /// Returns handles of the suite's own to the same stores.
    pub(crate) fn stores(&self) -> Result<(Pool, Redis), Failure> {
        let settings = settings("127.0.0.1", &self.to_postgres, &self.redis_url);
        let config = Config::from_lookup(|name| {
            settings.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        })?;
        let redis = Redis::open(&config.redis_url, &config.redis_prefix)?;
        Ok((Pool::of(&config)?, redis))
    }

    /// Starts what has ended, as a service manager does.
    pub(crate) async fn restart_what_ended(&mut self) -> Result<(), Failure> {
        if self.postgres.has_ended() && self.standby.is_none() {
            self.postgres.restart().await?;
        }
        for instance in &mut self.instances {
            if instance.has_ended() {
                instance.restart().await?;
            }
        }
        Ok(())
    }

    /// Waits until each instance is ready.
    pub(crate) async fn until_ready(&self) -> Result<(), Failure> {
        let began = std::time::Instant::now();
        for instance in &self.instances {
            while !is_ready(instance.port).await {
                if began.elapsed() > READY_MAX {
                    return Err("an instance does not become ready".into());
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
        Ok(())
    }

    /// Waits until each instance is ready, and HAProxy had time to notice.
    pub(crate) async fn until_in_service(&self) -> Result<(), Failure> {
        self.until_ready().await?;
        tokio::time::sleep(CHECKS_TAKE).await;
        Ok(())
    }

    /// Lists the panics that the instances' logs tell of.
    pub(crate) fn panics(&self) -> Result<Vec<String>, Failure> {
        let mut panics = Vec::new();
        for nth in 0..self.instances.len() {
            let log = fs::read_to_string(Instance::log_in(&self.folder, nth))?;
            panics.extend(log.lines().filter(|line| line.contains("panicked")).map(str::to_owned));
        }
        Ok(panics)
    }

    /// Keeps what the processes said, at another place than the folder that is removed.
    pub(crate) fn keep_logs(&self, place: &Path) -> Result<(), Failure> {
        fs::create_dir_all(place)?;
        for entry in fs::read_dir(&self.folder)?.flatten() {
            if entry.path().extension().is_some_and(|ending| ending == "log") {
                fs::copy(entry.path(), place.join(entry.file_name()))?;
            }
        }
        Ok(())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // What still runs loses its files, and ends a moment later.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns the program that the instances begin with; `None` if the older one is wanted and not here.
fn program_of(shape: Shape) -> Option<PathBuf> {
    match shape {
        Shape::Upgrade => std::env::var_os(OLDER_PROGRAM).map(PathBuf::from),
        _ => Some(PROGRAM.into()),
    }
}

/// Returns the settings of an instance.
fn settings(host: &str, to_postgres: &Wire, redis_url: &str) -> Vec<(String, String)> {
    [
        ("DATABASE_URL", database_url(host, to_postgres).as_str()),
        ("REDIS_URL", redis_url),
        ("MIGRATE_ON_START", "false"),
        ("REHEARSAL_TOKEN", TOKEN),
        ("LOG", "warn"),
        // People of a history do nothing else.
        ("TEST_ACCOUNT_BURST", "100000000"),
        // A person without an answer logs in again.
        ("TEST_LOGIN_PER_MINUTE", "1000000"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}

/// Returns a wire to the standby, where there is one.
async fn wire_to(standby: Option<&PostgresServer>) -> Result<Option<Wire>, Failure> {
    match standby {
        Some(standby) => Ok(Some(Wire::to(&[standby.port]).await?)),
        None => Ok(None),
    }
}

/// Leads old and new connections to this port.
async fn redirect(wire: &Wire, port: u16) {
    wire.lead_to(&[port]);
    wire.cut_all().await;
}

fn database_url(host: &str, wire: &Wire) -> String {
    format!("postgres://stagedoor@{host}:{}/stagedoor", wire.port)
}
