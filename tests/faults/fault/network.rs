//! Faults between people and the office.

use std::time::Duration;

use rand::rngs::StdRng;

use super::{Fault, wait};
use crate::{
    Failure,
    wire::Mode,
    world::{Shape, World},
};

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "people-cut",
        what: "All connections of people are reset, ten times in 5 s.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(cut(world, rng)),
    },
    Fault {
        name: "people-halved",
        what: "For 4 s each connection of people is reset after half a request or answer.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(halve(world, rng)),
    },
    Fault {
        name: "people-slow",
        what: "Each message of people and to them takes 300 ms more, for 8 s.",
        shape: Shape::Plain,
        explains: &[],
        run: |world, rng| Box::pin(slow_down(world, rng)),
    },
];

async fn cut(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    for _ in 0..10 {
        world.to_office.cut_all().await;
        wait(rng, 0.1, 0.9).await;
    }
    Ok(())
}

async fn halve(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.to_office.set(Mode::Halved);
    wait(rng, 3.5, 4.5).await;
    world.to_office.set(Mode::Pass);
    Ok(())
}

async fn slow_down(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    world.to_office.set(Mode::Slow(Duration::from_millis(300)));
    wait(rng, 7.0, 9.0).await;
    world.to_office.set(Mode::Pass);
    Ok(())
}
