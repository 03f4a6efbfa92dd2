//! What an office runs on: the machine, PostgreSQL and Redis, each as the shape of its world asks.

use std::{path::Path, process::Command};

use crate::{
    Failure,
    clock::{Clock, ClockLibrary},
    disk::SmallDisk,
    names::Names,
    postgres::PostgresServer,
    processes::succeed,
    support::{PrivateCluster, PrivateRedis, PrivateSentinels},
    template::{Template, migrate},
    world::Shape,
};

/// What a machine has that can be broken.
#[derive(Debug, Default)]
pub(crate) struct Machine {
    pub(crate) clocks: Option<Clocks>,
    pub(crate) names: Option<Names>,
    pub(crate) disk: Option<SmallDisk>,
}

impl Machine {
    /// Prepares what a world of this shape needs; `None` where that is not possible.
    pub(crate) fn prepare(shape: Shape, folder: &Path) -> Result<Option<Self>, Failure> {
        let mut machine = Self::default();
        let has_all = match shape {
            Shape::Clocks => {
                let library = ClockLibrary::compile(folder);
                machine.clocks =
                    library.map(|library| Clocks::new(&library, folder)).transpose()?;
                machine.clocks.is_some()
            }
            Shape::Names => {
                machine.names = Names::new(folder)?;
                machine.names.is_some()
            }
            Shape::SmallDisk => {
                machine.disk = SmallDisk::mount(&folder.join("disk"))?;
                machine.disk.is_some()
            }
            _ => true,
        };
        Ok(has_all.then_some(machine))
    }
}

/// Clock of each server, and of each instance.
#[derive(Debug)]
pub(crate) struct Clocks {
    pub(crate) postgres: Clock,
    pub(crate) redis: Clock,
    pub(crate) instances: [Clock; 2],
}

impl Clocks {
    fn new(library: &ClockLibrary, folder: &Path) -> Result<Self, Failure> {
        Ok(Self {
            postgres: Clock::new(library, folder, "postgres")?,
            redis: Clock::new(library, folder, "redis")?,
            instances: [
                Clock::new(library, folder, "instance-0")?,
                Clock::new(library, folder, "instance-1")?,
            ],
        })
    }
}

/// Servers of an office.
#[derive(Debug)]
pub(crate) struct Servers {
    pub(crate) postgres: PostgresServer,
    pub(crate) standby: Option<PostgresServer>,
    pub(crate) redis: PrivateRedis,
    pub(crate) replica: Option<PrivateRedis>,
    pub(crate) cluster: Option<PrivateCluster>,
    pub(crate) sentinels: Option<PrivateSentinels>,
}

impl Servers {
    /// Starts the servers of a world, with the tables of `program`.
    pub(crate) async fn start(
        template: &Template,
        shape: Shape,
        machine: &Machine,
        program: &Path,
        folder: &Path,
    ) -> Result<Self, Failure> {
        let data = machine.disk.as_ref().map_or(folder, SmallDisk::folder).join("postgres");
        succeed(Command::new("cp").arg("-a").arg(template.data()).arg(&data))?;
        let clock = machine.clocks.as_ref().map(|clocks| &clocks.postgres);
        let postgres = PostgresServer::start(&template.programs, &data, clock).await?;
        if shape == Shape::Upgrade {
            postgres.run("drop database stagedoor").await?;
            postgres.run("create database stagedoor owner stagedoor_owner").await?;
            migrate(program, postgres.port)?;
        }
        let standby = match shape.is_deployed() || shape == Shape::Standby {
            true => Some(follow(&postgres, folder).await?),
            false => None,
        };
        let environment = machine.clocks.as_ref().map(|clocks| clocks.redis.environment());
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
        let sentinels = match shape {
            Shape::Deployed => Some(PrivateSentinels::start().await),
            _ => None,
        };
        Ok(Self { postgres, standby, redis, replica, cluster, sentinels })
    }
}

/// Starts a standby and has commits wait for it.
async fn follow(primary: &PostgresServer, folder: &Path) -> Result<PostgresServer, Failure> {
    let standby = primary.start_standby(&folder.join("standby")).await?;
    primary.set("synchronous_standby_names = '*'").await?;
    Ok(standby)
}
