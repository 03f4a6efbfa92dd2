//! Faults and upgrades of an office that is set up as docs/GROWING.md says.

use rand::rngs::StdRng;

use super::{Fault, database::replace_primary};
use crate::{
    Failure,
    instance::PROGRAM,
    processes::Signal,
    template::migrate,
    world::{Shape, World},
};

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "primary-behind-haproxy",
        what: "The primary is killed, and its synchronous standby promoted; HAProxy finds it by itself, and \
               stays there when the old primary comes back.",
        shape: Shape::Deployed,
        explains: &[],
        run: |world, rng| Box::pin(replace_and_revive(world, rng)),
    },
    Fault {
        name: "redis-behind-sentinels",
        what: "The Redis primary is killed; three sentinels make its replica the primary.",
        shape: Shape::Deployed,
        explains: &[],
        run: |world, _| Box::pin(std::future::ready(lose_redis(world))),
    },
    Fault {
        name: "rolling-behind-haproxy",
        what: "Three instances behind HAProxy are drained, stopped and started again, one after the other.",
        shape: Shape::Deployed,
        explains: &[],
        run: |world, _| Box::pin(roll(world)),
    },
    Fault {
        name: "upgrade-behind-haproxy",
        what: "Three instances of an older program sell while the database is migrated, and are replaced one \
               after the other.",
        shape: Shape::Upgrade,
        explains: &[],
        run: |world, _| Box::pin(upgrade(world)),
    },
];

async fn replace_and_revive(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    replace_primary(world, rng).await?;
    world.until_in_service().await?;
    world.postgres.restart().await?;
    world.until_in_service().await
}

fn lose_redis(world: &mut World) -> Result<(), Failure> {
    let Some(sentinels) = &mut world.sentinels else { return Err("there is no sentinel".into()) };
    sentinels.servers[0].kill();
    Ok(())
}

async fn roll(world: &mut World) -> Result<(), Failure> {
    for nth in 0..world.instances.len() {
        world.instances[nth].end(Signal::Terminate).await?;
        world.instances[nth].restart().await?;
        world.until_in_service().await?;
    }
    Ok(())
}

async fn upgrade(world: &mut World) -> Result<(), Failure> {
    let port = world.postgres.port;
    // On a thread of its own: the sale goes on meanwhile.
    let migrating = move || migrate(PROGRAM.as_ref(), port).map_err(|error| error.to_string());
    tokio::task::spawn_blocking(migrating).await??;
    for instance in &mut world.instances {
        instance.becomes(PROGRAM);
    }
    roll(world).await
}
