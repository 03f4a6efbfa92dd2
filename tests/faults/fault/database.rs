//! Faults of PostgreSQL.

use std::time::{Duration, Instant};

use rand::{RngExt, rngs::StdRng};
use sqlx::PgConnection;
use tokio::time::sleep;

use super::{Fault, lose_some, wait};
use crate::{
    Failure,
    processes::Signal,
    wire::{Loss, Mode},
    world::{Shape, World},
};

/// Number of people inside up to which an outage may give time to none.
const FEW: i64 = 3;
/// Time within which the time of an outage has come back, on a machine that has much to do.
const GIVEN_WITHIN: Duration = Duration::from_secs(30);

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "postgres-crashes",
        what: "PostgreSQL ends without a checkpoint and starts again, with recovery.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(crash(world, rng)),
    },
    Fault {
        name: "postgres-frozen",
        what: "PostgreSQL is stopped for 6 to 9 s (SIGSTOP), with all its connections open.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(freeze(world, rng)),
    },
    Fault {
        name: "postgres-away",
        what: "PostgreSQL is stopped for 17 to 20 s (SIGSTOP): the time of that comes back to who holds and waits.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(stay_away(world, rng)),
    },
    Fault {
        name: "postgres-cut",
        what: "All connections to PostgreSQL are reset, and none is made for 3 s.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(cut(world, rng)),
    },
    Fault {
        name: "postgres-mute",
        what: "Nothing gets through to PostgreSQL and back for 8 s; all connections stay open.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(mute(world, rng)),
    },
    Fault {
        name: "postgres-halved",
        what: "For 3 s each connection to PostgreSQL is reset after half a message.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(halve(world, rng)),
    },
    Fault {
        name: "statements-cut",
        what: "20 connections are reset in the middle of a statement, at random ones.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(lose(world, rng, b"", Loss::Message)),
    },
    Fault {
        name: "answers-lost",
        what: "20 statements are carried out and their connections reset before the answer.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(lose(world, rng, b"", Loss::Answer)),
    },
    Fault {
        name: "commits-cut",
        what: "20 commits do not arrive: their connections are reset instead.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(lose(world, rng, b"commit", Loss::Message)),
    },
    Fault {
        name: "commits-lost",
        what: "20 commits are carried out and their connections reset before the answer.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(lose(world, rng, b"commit", Loss::Answer)),
    },
    Fault {
        name: "postgres-slow",
        what: "Each message from and to PostgreSQL takes 50 ms more, for 8 s.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(slow_down(world, rng)),
    },
    Fault {
        name: "commits-slow",
        what: "Each commit takes 100 ms, as on a disk that is busy, for 8 s.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(slow_commits(world, rng)),
    },
    Fault {
        name: "connections-used-up",
        what: "Somebody else takes all connections of PostgreSQL for 6 s, after ours were ended.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(use_up_connections(world, rng)),
    },
    Fault {
        name: "disk-full",
        what: "PostgreSQL's disk is full for 5 s; PostgreSQL starts again if it ended.",
        shape: Shape::SmallDisk,
        explains: &[],
        run: |world, rng| Box::pin(fill_disk(world, rng)),
    },
    Fault {
        name: "standby-promoted",
        what: "The primary is killed, and its synchronous standby takes its place.",
        shape: Shape::Standby,
        explains: &[],
        run: |world, rng| Box::pin(promote(world, rng)),
    },
    Fault {
        name: "standby-frozen",
        what: "The standby that commits wait for is stopped for 6 s.",
        shape: Shape::Standby,
        explains: &[],
        run: |world, rng| Box::pin(freeze_standby(world, rng)),
    },
];

async fn crash(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.postgres.crash().await?;
    wait(rng, 0.2, 2.0).await;
    world.postgres.restart().await
}

async fn freeze(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.postgres.signal(Signal::Stop)?;
    wait(rng, 6.0, 9.0).await;
    world.postgres.signal(Signal::Continue)
}

/// Longer than the silence after which time is given back.
async fn stay_away(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    const INSIDE: &str = "select count(*) from queue_tokens where status = 'ACTIVE'";
    const GIVEN: &str = "select count(*) from given_times where cause = 'OUTAGE'";
    let (db, _) = world.stores()?;
    let count = async |sql: &'static str| -> Result<i64, sqlx::Error> {
        sqlx::query_scalar(sql).fetch_one(&db).await
    };
    let (n_inside, n_given) = (count(INSIDE).await?, count(GIVEN).await?);
    world.postgres.signal(Signal::Stop)?;
    wait(rng, 17.0, 20.0).await;
    world.postgres.signal(Signal::Continue)?;
    let healed = Instant::now();
    // The last of a handful inside may have left just before.
    while n_inside > FEW && count(GIVEN).await.unwrap_or(n_given) == n_given {
        if healed.elapsed() > GIVEN_WITHIN {
            return Err("the time of the outage did not come back".into());
        }
        sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}

async fn cut(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.to_postgres.set(Mode::Cut);
    wait(rng, 2.5, 3.5).await;
    world.to_postgres.set(Mode::Pass);
    Ok(())
}

async fn mute(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.to_postgres.set(Mode::Frozen);
    wait(rng, 7.0, 9.0).await;
    world.to_postgres.set(Mode::Pass);
    Ok(())
}

async fn halve(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.to_postgres.set(Mode::Halved);
    wait(rng, 2.5, 3.5).await;
    world.to_postgres.set(Mode::Pass);
    Ok(())
}

/// Loses messages that contain `pattern`, one after the other.
async fn lose(
    world: &mut World,
    rng: &mut StdRng,
    pattern: &'static [u8],
    loss: Loss,
) -> Result<(), Failure> {
    const TIMES: usize = 20;
    /// Upper bound of messages between two losses.
    const APART_MAX: usize = 15;
    lose_some(&world.to_postgres, TIMES, || rng.random_range(0..APART_MAX), pattern, loss).await
}

async fn slow_down(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.to_postgres.set(Mode::Slow(Duration::from_millis(50)));
    wait(rng, 7.0, 9.0).await;
    world.to_postgres.set(Mode::Pass);
    Ok(())
}

async fn slow_commits(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.postgres.set("fsync = on").await?;
    world.postgres.set("commit_siblings = 0").await?;
    world.postgres.set("commit_delay = 100000").await?;
    wait(rng, 7.0, 9.0).await;
    world.postgres.set("commit_delay = 0").await
}

async fn use_up_connections(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world
        .postgres
        .run("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'stagedoor'")
        .await?;
    let mut taken: Vec<PgConnection> = Vec::new();
    while let Ok(connection) = world.postgres.connect_as("stagedoor").await {
        taken.push(connection);
    }
    wait(rng, 5.0, 7.0).await;
    Ok(())
}

async fn fill_disk(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    let Some(disk) = &world.disk else { return Err("there is no disk of its own".into()) };
    disk.fill()?;
    wait(rng, 4.0, 6.0).await;
    disk.make_room()?;
    world.restart_what_ended().await
}

/// Kills the primary and promotes its standby, without changing an address.
pub(super) async fn replace_primary(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.postgres.signal(Signal::Kill)?;
    wait(rng, 0.5, 2.0).await;
    let Some(standby) = &world.standby else { return Err("there is no standby".into()) };
    standby.promote().await?;
    // It waits for no standby any more: there is no other one.
    standby.set("synchronous_standby_names = ''").await
}

async fn promote(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    replace_primary(world, rng).await?;
    let Some(standby) = &world.standby else { return Err("there is no standby".into()) };
    world.to_postgres.lead_to(&[standby.port]);
    world.to_postgres.cut_all().await;
    Ok(())
}

async fn freeze_standby(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    let Some(standby) = &world.standby else { return Err("there is no standby".into()) };
    standby.signal(Signal::Stop)?;
    wait(rng, 5.0, 7.0).await;
    standby.signal(Signal::Continue)
}
