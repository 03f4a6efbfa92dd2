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
    clock::{Clock, ClockLibrary},
    disk::SmallDisk,
    instance::{Instance, PROGRAM, is_ready},
    names::Names,
    postgres::{PostgresServer, Programs},
    processes::succeed,
    support::{PrivateCluster, PrivateRedis},
    wire::Wire,
};

/// Token with which rehearsals come.
pub(crate) const TOKEN: &str = "a token for rehearsals among faults";
/// Longest wait for all instances to be ready.
const READY_MAX: Duration = Duration::from_secs(60);

/// What a world has beside two instances, one PostgreSQL and one Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Plain,
    /// A third instance.
    Three,
    /// A standby whose confirmation each commit waits for.
    Standby,
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

/// Data of a migrated server, which each world copies.
#[derive(Debug)]
pub(crate) struct Template {
    /// Folder of the whole run, removed at its end.
    folder: PathBuf,
    programs: Programs,
}

impl Template {
    /// Makes it in a folder of this process's own.
    pub(crate) async fn make() -> Result<Self, Failure> {
        let name = format!("stagedoor-faults-{}", std::process::id());
        let template =
            Self { folder: std::env::temp_dir().join(name), programs: Programs::find()? };
        let data = template.data();
        template.programs.init(&data)?;
        let mut server = PostgresServer::start(&template.programs, &data, None).await?;
        server.run("create role stagedoor_owner login").await?;
        server.run("create role stagedoor login").await?;
        server.run("create database stagedoor owner stagedoor_owner").await?;
        let url = |role| format!("postgres://{role}@127.0.0.1:{}/stagedoor", server.port);
        let redis = "redis://127.0.0.1:1";
        let mut migrate = Command::new(PROGRAM);
        migrate.arg("migrate").env("DATABASE_OWNER_URL", url("stagedoor_owner"));
        succeed(migrate.env("DATABASE_URL", url("stagedoor")).env("REDIS_URL", redis))?;
        server.stop().await?;
        Ok(template)
    }

    fn data(&self) -> PathBuf {
        self.folder.join("template")
    }
}

impl Drop for Template {
    fn drop(&mut self) {
        // A folder left behind does no harm.
        let _ = fs::remove_dir_all(&self.folder);
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
    pub(crate) instances: Vec<Instance>,
    /// From the instances to PostgreSQL.
    pub(crate) to_postgres: Wire,
    /// From the instances to Redis.
    pub(crate) to_redis: Wire,
    /// From people to the instances.
    pub(crate) to_office: Wire,
    pub(crate) clocks: Option<Clocks>,
    pub(crate) names: Option<Names>,
    pub(crate) disk: Option<SmallDisk>,
    /// For the suite itself.
    redis_url: String,
    folder: PathBuf,
}

/// Clock of each server, and of the instances.
#[derive(Debug)]
pub(crate) struct Clocks {
    pub(crate) postgres: Clock,
    pub(crate) redis: Clock,
    pub(crate) instances: Clock,
}

impl Clocks {
    fn new(library: &ClockLibrary, folder: &Path) -> Result<Self, Failure> {
        Ok(Self {
            postgres: Clock::new(library, folder, "postgres")?,
            redis: Clock::new(library, folder, "redis")?,
            instances: Clock::new(library, folder, "instances")?,
        })
    }
}

impl World {
    /// Opens the office; `None` says what this machine lacks for its shape.
    pub(crate) async fn open(template: &Template, shape: Shape) -> Result<Option<Self>, Failure> {
        let folder = template.folder.join(format!("world-{}", uuid::Uuid::new_v4().simple()));
        fs::create_dir_all(&folder)?;
        let (mut clocks, mut names, mut disk) = (None, None, None);
        let has_all = match shape {
            Shape::Clocks => {
                let library = ClockLibrary::compile(&folder);
                clocks = library.map(|library| Clocks::new(&library, &folder)).transpose()?;
                clocks.is_some()
            }
            Shape::Names => {
                names = Names::new(&folder)?;
                names.is_some()
            }
            Shape::SmallDisk => {
                disk = SmallDisk::mount(&folder.join("disk"))?;
                disk.is_some()
            }
            _ => true,
        };
        if !has_all {
            return Ok(None);
        }

        let data = disk.as_ref().map_or(folder.as_path(), SmallDisk::folder).join("postgres");
        succeed(Command::new("cp").arg("-a").arg(template.data()).arg(&data))?;
        let clock = clocks.as_ref().map(|clocks| &clocks.postgres);
        let postgres = PostgresServer::start(&template.programs, &data, clock).await?;
        let standby = match shape {
            Shape::Standby => Some(follow(&postgres, &folder).await?),
            _ => None,
        };
        let environment = clocks.as_ref().map(|clocks| clocks.redis.environment());
        let redis = PrivateRedis::start_in(&[], environment.unwrap_or_default()).await;
        let replica = match shape {
            Shape::Replica => {
                let primary = redis.port.to_string();
                Some(PrivateRedis::start_with(&["--replicaof", "127.0.0.1", &primary]).await)
            }
            _ => None,
        };
        let cluster = match shape {
            Shape::Cluster => Some(PrivateCluster::start().await),
            _ => None,
        };
        let to_postgres = Wire::to(&[postgres.port]).await?;
        let to_redis = Wire::to(&[redis.port]).await?;
        let host = names.as_ref().map_or("127.0.0.1", |_| Names::HOST);
        let redis_at = |host| match &cluster {
            Some(cluster) => cluster.url(),
            None => format!("redis://{host}:{}", to_redis.port),
        };
        let redis_url = redis_at("127.0.0.1");
        let mut settings = settings(host, &to_postgres, &redis_at(host));
        settings.extend(clocks.iter().flat_map(|clocks| clocks.instances.environment()));
        settings.extend(names.iter().flat_map(Names::environment));
        let mut instances = Vec::new();
        for nth in 0..if shape == Shape::Three { 3 } else { 2 } {
            instances.push(Instance::start(nth, &settings, &folder).await?);
        }
        let ports: Vec<u16> = instances.iter().map(|instance| instance.port).collect();
        let to_office = Wire::to(&ports).await?;
        Ok(Some(Self {
            postgres,
            standby,
            redis,
            replica,
            cluster,
            instances,
            to_postgres,
            to_redis,
            to_office,
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
    pub(crate) async fn load_demo(&self) -> Result<(), Failure> {
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

/// Starts a standby and has commits wait for it.
async fn follow(primary: &PostgresServer, folder: &Path) -> Result<PostgresServer, Failure> {
    let standby = primary.start_standby(&folder.join("standby")).await?;
    primary.set("synchronous_standby_names = '*'").await?;
    Ok(standby)
}

/// Returns the settings of an instance.
fn settings(host: &str, to_postgres: &Wire, redis_url: &str) -> Vec<(String, String)> {
    let database = format!("postgres://stagedoor@{host}:{}/stagedoor", to_postgres.port);
    [
        ("DATABASE_URL", database.as_str()),
        ("REDIS_URL", redis_url),
        ("MIGRATE_ON_START", "false"),
        ("REHEARSAL_TOKEN", TOKEN),
        ("LOG", "warn"),
        // People of a history do nothing else.
        ("ACCOUNT_BURST", "100000000"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}
