//! Faults of the machines: clocks, file descriptors, names.

use std::{process::Command, slice::from_ref};

use rand::{RngExt, rngs::StdRng};

use super::{Fault, wait};
use crate::{
    Failure,
    clock::Clock,
    processes::{Signal, succeed},
    servers::Clocks,
    world::{Shape, World},
};

/// Step of a clock.
const HOUR_SECS: i64 = 3_600;
const DAY_SECS: i64 = 24 * HOUR_SECS;
const NO_CLOCKS: &str = "there are no clocks to set";
/// What is seen where PostgreSQL's clock went past the end of the sessions, the holds and the sale.
/// A seat whose hold has ended goes to another buyer; a paid one that did is found missing in the
/// end. A payment that was decided in time, before the step, is written with its time (S4).
const PAST_THE_END: &[&str] = &[
    "login-required",
    "hold-expired",
    "sale-closed",
    "sale-not-open",
    "was given to",
    "was decided in time, and paid at",
];
/// What is seen where PostgreSQL's clock was an hour slow and is right again: the holds and stays
/// of that hour end at once, and what was written across the step has one time of before and one of
/// after it. A seat whose hold has ended goes to another buyer; a paid one that did is found
/// missing in the end.
const HOUR_SKIPPED: &[&str] =
    &["hold-expired", "not-admitted", "was given to", "G2 ", "Q3 ", "S4 ", "S7 "];

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "postgres-clock-ahead",
        what: "PostgreSQL's clock goes one hour ahead for 6 s, and back. A payment that is being written then has its \
               time (S4).",
        shape: Shape::Clocks,
        explains: PAST_THE_END,
        run: |world, rng| {
            Box::pin(step(world, rng, |clocks| from_ref(&clocks.postgres), HOUR_SECS))
        },
    },
    Fault {
        name: "postgres-clock-back",
        what: "PostgreSQL's clock goes one hour back for 6 s, and ahead again. Holds and stays of that time end with \
               it, and carry its times (G2, Q3, S4, S7).",
        shape: Shape::Clocks,
        explains: HOUR_SKIPPED,
        run: |world, rng| {
            Box::pin(step(world, rng, |clocks| from_ref(&clocks.postgres), -HOUR_SECS))
        },
    },
    Fault {
        name: "redis-clock-ahead",
        what: "Redis' clock goes one hour ahead for 6 s, and back.",
        shape: Shape::Clocks,
        explains: &[],
        run: |world, rng| Box::pin(step(world, rng, |clocks| from_ref(&clocks.redis), HOUR_SECS)),
    },
    Fault {
        name: "redis-clock-back",
        what: "Redis' clock goes one hour back for 6 s, and ahead again.",
        shape: Shape::Clocks,
        explains: &[],
        run: |world, rng| Box::pin(step(world, rng, |clocks| from_ref(&clocks.redis), -HOUR_SECS)),
    },
    Fault {
        name: "instances-clock-ahead",
        what: "The instances' clock goes one hour ahead for 6 s, and back.",
        shape: Shape::Clocks,
        explains: &[],
        run: |world, rng| Box::pin(step(world, rng, |clocks| &clocks.instances, HOUR_SECS)),
    },
    Fault {
        name: "instances-clock-back",
        what: "The instances' clock goes one hour back for 6 s, and ahead again.",
        shape: Shape::Clocks,
        explains: &[],
        run: |world, rng| Box::pin(step(world, rng, |clocks| &clocks.instances, -HOUR_SECS)),
    },
    Fault {
        name: "instances-clocks-wrong",
        what: "One instance's clock is 20 minutes fast from now on, and the other's 30 s slow.",
        shape: Shape::Clocks,
        explains: &[],
        run: |world, rng| Box::pin(set_apart(world, rng, [20 * 60, -30])),
    },
    Fault {
        name: "instances-clocks-days-wrong",
        what: "One instance's clock is two days slow from now on, the other's two days fast, and both are started \
               again.",
        shape: Shape::Clocks,
        explains: &[],
        run: |world, rng| Box::pin(start_apart(world, rng, [-2 * DAY_SECS, 2 * DAY_SECS])),
    },
    Fault {
        name: "descriptors-used-up",
        what: "An instance may open no further file or connection for 6 s.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(use_up_descriptors(world, rng)),
    },
    Fault {
        name: "names-gone",
        what: "The names of PostgreSQL and Redis do not resolve for 6 s, and all connections are reset.",
        shape: Shape::Names,
        explains: &[],
        run: |world, rng| Box::pin(lose_names(world, rng)),
    },
];

async fn step(
    world: &mut World,
    rng: &mut StdRng,
    whose: fn(&Clocks) -> &[Clock],
    secs: i64,
) -> Result<(), Failure> {
    let Some(clocks) = &world.clocks else { return Err(NO_CLOCKS.into()) };
    whose(clocks).iter().try_for_each(|clock| clock.step(secs))?;
    wait(rng, 5.0, 7.0).await;
    whose(clocks).iter().try_for_each(|clock| clock.step(0))
}

/// Sets the instances' clocks, which stay wrong.
async fn set_apart(world: &mut World, rng: &mut StdRng, secs: [i64; 2]) -> Result<(), Failure> {
    let Some(clocks) = &world.clocks else { return Err(NO_CLOCKS.into()) };
    clocks.instances.iter().zip(secs).try_for_each(|(clock, secs)| clock.step(secs))?;
    wait(rng, 5.0, 7.0).await;
    Ok(())
}

/// Works as [`set_apart`], and starts the instances again, one after the other.
async fn start_apart(world: &mut World, rng: &mut StdRng, secs: [i64; 2]) -> Result<(), Failure> {
    set_apart(world, rng, secs).await?;
    for instance in &mut world.instances {
        instance.end(Signal::Terminate).await?;
        instance.restart().await?;
    }
    Ok(())
}

async fn use_up_descriptors(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    let instance = &world.instances[rng.random_range(0..world.instances.len())];
    let Some(id) = instance.id() else { return Err("an instance has ended".into()) };
    let limit = |n: &str| {
        let mut prlimit = Command::new("prlimit");
        succeed(prlimit.args(["--pid", &id.to_string(), &format!("--nofile={n}:")]))
    };
    let open = std::fs::read_dir(format!("/proc/{id}/fd"))?.count();
    limit(&open.to_string())?;
    wait(rng, 5.0, 7.0).await;
    limit("1024")
}

async fn lose_names(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    let Some(names) = &world.names else { return Err("there are no names to take away".into()) };
    names.set(false)?;
    world.to_postgres.cut_all().await;
    world.to_redis.cut_all().await;
    wait(rng, 5.0, 7.0).await;
    names.set(true)
}
