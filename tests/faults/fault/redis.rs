//! Faults of Redis.

use std::time::Duration;

use rand::{RngExt, rngs::StdRng};

use super::{Fault, lose_some, slots, wait};
use crate::{
    Failure,
    wire::{Loss, Mode},
    world::{Shape, World},
};

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "redis-killed",
        what: "Redis is killed and starts again with nothing.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(kill(world, rng)),
    },
    Fault {
        name: "redis-flushed",
        what: "Redis loses all keys (FLUSHALL), three times.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(flush(world, rng)),
    },
    Fault {
        name: "redis-frozen",
        what: "Redis is stopped for 12 s (SIGSTOP), longer than any lease.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(freeze(world, rng)),
    },
    Fault {
        name: "redis-full",
        what: "Redis refuses every write for want of memory, for 6 s.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(fill(world, rng)),
    },
    Fault {
        name: "redis-cut",
        what: "All connections to Redis are reset, and none is made for 3 s.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(cut(world, rng)),
    },
    Fault {
        name: "redis-mute",
        what: "Nothing gets through to Redis and back for 8 s; all connections stay open.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(mute(world, rng)),
    },
    Fault {
        name: "redis-answers-lost",
        what: "20 commands are carried out and their connections reset before the answer.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(lose_answers(world, rng)),
    },
    Fault {
        name: "redis-slow",
        what: "Each message from and to Redis takes 100 ms more, for 8 s.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(slow_down(world, rng)),
    },
    Fault {
        name: "redis-from-the-past",
        what: "Redis is killed and starts again with what it had some seconds before.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(go_back(world, rng)),
    },
    Fault {
        name: "replica-promoted",
        what: "Redis is killed, and its replica takes its place.",
        shape: Shape::Replica,
        explains: &[],
        run: |world, rng| Box::pin(promote(world, rng)),
    },
    Fault {
        name: "cluster-node-killed",
        what: "A node of the Redis cluster is killed and starts again with nothing.",
        shape: Shape::Cluster,
        explains: &[],
        run: |world, rng| Box::pin(kill_node(world, rng)),
    },
    Fault {
        name: "cluster-slots-moved",
        what: "All slots of a node of the Redis cluster that have keys are moved to another, key by key.",
        shape: Shape::Cluster,
        explains: &[],
        run: |world, rng| Box::pin(slots::move_all(world, rng)),
    },
];

async fn kill(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.redis.kill();
    wait(rng, 0.5, 3.0).await;
    world.redis.restart().await;
    Ok(())
}

async fn flush(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    for _ in 0..3 {
        world.redis.run::<()>(&["FLUSHALL"]).await;
        wait(rng, 0.2, 2.0).await;
    }
    Ok(())
}

async fn freeze(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.redis.pause(true);
    wait(rng, 11.5, 12.5).await;
    world.redis.pause(false);
    Ok(())
}

async fn fill(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.redis.run::<()>(&["CONFIG", "SET", "maxmemory", "1"]).await;
    wait(rng, 5.0, 7.0).await;
    world.redis.run::<()>(&["CONFIG", "SET", "maxmemory", "0"]).await;
    Ok(())
}

async fn cut(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.to_redis.set(Mode::Cut);
    wait(rng, 2.5, 3.5).await;
    world.to_redis.set(Mode::Pass);
    Ok(())
}

async fn mute(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.to_redis.set(Mode::Frozen);
    wait(rng, 7.0, 9.0).await;
    world.to_redis.set(Mode::Pass);
    Ok(())
}

async fn lose_answers(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    lose_some(&world.to_redis, 20, || rng.random_range(0..10), b"", Loss::Answer).await
}

async fn slow_down(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.to_redis.set(Mode::Slow(Duration::from_millis(100)));
    wait(rng, 7.0, 9.0).await;
    world.to_redis.set(Mode::Pass);
    Ok(())
}

async fn go_back(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.redis.run::<()>(&["SAVE"]).await;
    wait(rng, 2.0, 4.0).await;
    world.redis.kill();
    world.redis.restart().await;
    Ok(())
}

async fn promote(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.redis.kill();
    wait(rng, 0.5, 2.0).await;
    let Some(replica) = &world.replica else { return Err("there is no replica".into()) };
    replica.run::<()>(&["REPLICAOF", "NO", "ONE"]).await;
    world.to_redis.lead_to(&[replica.port]);
    world.to_redis.cut_all().await;
    Ok(())
}

async fn kill_node(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    let Some(cluster) = &mut world.cluster else { return Err("there is no cluster".into()) };
    let nth = rng.random_range(0..cluster.nodes.len());
    cluster.nodes[nth].kill();
    wait(rng, 2.0, 4.0).await;
    cluster.nodes[nth].restart().await;
    cluster.until_whole(&cluster.nodes[nth]).await;
    Ok(())
}
