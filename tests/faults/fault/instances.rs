//! Faults of the instances.

use rand::{RngExt, rngs::StdRng};

use super::{Fault, wait};
use crate::{
    Failure,
    processes::Signal,
    world::{Shape, World},
};

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "instance-killed",
        what: "One of two instances is killed and starts again after a second.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(kill_one(world, rng)),
    },
    Fault {
        name: "all-instances-killed",
        what: "All instances are killed at once and start again.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(kill_all(world, rng)),
    },
    Fault {
        name: "instance-frozen",
        what: "One of two instances is stopped for 10 s (SIGSTOP).",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(freeze_one(world, rng)),
    },
    Fault {
        name: "instance-asked-to-stop",
        what: "One of two instances gets SIGTERM under load and starts again when it has ended.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(stop_one(world, rng)),
    },
    Fault {
        name: "rolling-restart",
        what: "Three instances are stopped and started again, one after the other.",
        shape: Shape::Three,
        explains: &[],
        run: |world, _| Box::pin(restart_each(world)),
    },
];

async fn kill_one(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    let nth = rng.random_range(0..world.instances.len());
    world.instances[nth].end(Signal::Kill).await?;
    wait(rng, 0.5, 1.5).await;
    world.instances[nth].begin()
}

async fn kill_all(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    for instance in &mut world.instances {
        instance.end(Signal::Kill).await?;
    }
    wait(rng, 0.5, 3.0).await;
    for instance in &mut world.instances {
        instance.begin()?;
    }
    Ok(())
}

async fn freeze_one(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    let nth = rng.random_range(0..world.instances.len());
    world.instances[nth].signal(Signal::Stop)?;
    wait(rng, 10.0, 10.5).await;
    world.instances[nth].signal(Signal::Continue)
}

async fn stop_one(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    let nth = rng.random_range(0..world.instances.len());
    world.instances[nth].end(Signal::Terminate).await?;
    world.instances[nth].begin()
}

async fn restart_each(world: &mut World) -> Result<(), Failure> {
    for instance in &mut world.instances {
        instance.end(Signal::Terminate).await?;
        instance.restart().await?;
    }
    Ok(())
}
