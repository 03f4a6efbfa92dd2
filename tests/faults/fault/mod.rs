//! Faults: what may happen to a running office.

mod database;
mod deployment;
mod instances;
mod machine;
mod network;
mod redis;
mod slots;

use std::{pin::Pin, time::Duration};

use rand::{RngExt, rngs::StdRng};
use tokio::time::timeout;

use crate::{
    Failure,
    wire::{Loss, Wire},
    world::{Shape, World},
};

/// What a fault does; it is over when this is ready.
type Run = for<'a> fn(
    &'a mut World,
    &'a mut StdRng,
) -> Pin<Box<dyn Future<Output = Result<(), Failure>> + 'a>>;

/// One fault.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// Name in the table, and for `--only`.
    pub(crate) name: &'static str,
    /// What happens, as a sentence.
    pub(crate) what: &'static str,
    pub(crate) shape: Shape,
    /// Codes of refusals that the fault explains, beside the usual ones of a sale, and parts of
    /// sentences about violations.
    pub(crate) explains: &'static [&'static str],
    pub(crate) run: Run,
}

/// Lists all faults.
pub(crate) fn all() -> Vec<Fault> {
    [
        instances::FAULTS,
        database::FAULTS,
        redis::FAULTS,
        network::FAULTS,
        machine::FAULTS,
        deployment::FAULTS,
    ]
    .concat()
}

/// Waits for a time between these bounds.
async fn wait(rng: &mut StdRng, secs_min: f64, secs_max: f64) {
    tokio::time::sleep(Duration::from_secs_f64(rng.random_range(secs_min..secs_max))).await;
}

/// Loses so many messages that contain `pattern`, one after the other, each after as many others as
/// `apart` says.
async fn lose_some(
    wire: &Wire,
    times: usize,
    mut apart: impl FnMut() -> usize,
    pattern: &'static [u8],
    loss: Loss,
) -> Result<(), Failure> {
    /// Longest wait for a message to lose.
    const LOSS_MAX: Duration = Duration::from_secs(1);
    let mut n_lost = 0;
    for _ in 0..times {
        let met = wire.lose(apart(), pattern, loss);
        n_lost += usize::from(timeout(LOSS_MAX, met).await.is_ok());
    }
    wire.disarm();
    // The sale may end meanwhile, and little is said then.
    if n_lost < times / 2 {
        Err(format!("only {n_lost} messages were lost").into())
    } else {
        Ok(())
    }
}
