//! What can be tried: a fault, a sweep or a history.

use std::path::Path;

use crate::{
    Failure,
    attempt::{RECOVERY_MAX, RECOVERY_WAIT_MAX, attempt},
    fault::{self, Fault},
    history,
    outcome::Outcome,
    strike::{can_strike, strike},
    sweep::{SWEEPS, Sweep},
    template::Template,
};

/// In a run of limited time a sweep looks at every message of this many.
const SAMPLED: u64 = 8;

/// Fault at a random moment or at each failpoint, sweep, or history of so many requests.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Subject {
    Fault(Fault),
    Strikes(Fault),
    Sweep(Sweep),
    History(usize),
}

impl Subject {
    /// Lists all of them, the history with so many requests.
    pub(crate) fn all(operations: usize) -> Vec<Self> {
        let faults = fault::all().into_iter().map(Self::Fault);
        let sweeps = SWEEPS.iter().copied().map(Self::Sweep);
        let striking = fault::all().into_iter().filter(can_strike).map(Self::Strikes);
        faults.chain(striking).chain(sweeps).chain([Self::History(operations)]).collect()
    }

    /// Name in the table, and for `--only`.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Fault(fault) => fault.name.to_owned(),
            Self::Strikes(fault) => format!("{}-at-failpoints", fault.name),
            Self::Sweep(sweep) => sweep.name.to_owned(),
            Self::History(_) => history::NAME.to_owned(),
        }
    }

    /// What happens, as a sentence.
    pub(crate) fn what(&self) -> &'static str {
        match self {
            Self::Fault(fault) | Self::Strikes(fault) => fault.what,
            Self::Sweep(sweep) => sweep.what,
            Self::History(_) => history::WHAT,
        }
    }

    /// Tries it once, a sweep as a sample if `is_sampled`; `None` where this machine lacks what it
    /// needs.
    pub(crate) async fn attempt(
        &self,
        template: &Template,
        seed: u64,
        is_sampled: bool,
        kept: &Path,
    ) -> Result<Option<Outcome>, Failure> {
        match self {
            Self::Fault(fault) => {
                // A sample is taken on any machine, however slow and busy.
                let recovery_max = if is_sampled { RECOVERY_WAIT_MAX } else { RECOVERY_MAX };
                attempt(template, fault, seed, recovery_max, kept).await
            }
            Self::Strikes(fault) => {
                let every = if is_sampled { SAMPLED } else { 1 };
                strike(template, fault, seed, usize::try_from(every)?, kept).await
            }
            Self::Sweep(sweep) => {
                let every = if is_sampled { SAMPLED } else { 1 };
                let (first, every) = (usize::try_from(seed % every)?, usize::try_from(every)?);
                sweep.run(template, first, every, kept).await
            }
            Self::History(operations) => history::attempt(template, seed, *operations, kept).await,
        }
    }
}
