//! One figure: several runs, each beside its limit.

use crate::tally::Tally;

/// What a figure has to reach.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// Number of times its limit; no request was refused.
    Ratio(f64),
    /// None: told for comparison.
    None,
}

/// One run.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// What the server did.
    pub(crate) service: Tally,
    /// What the limit did right before it; none where there is no limit.
    pub(crate) limit: Option<Tally>,
    /// Processor time of the server and of the load generator, in seconds.
    pub(crate) cpu_secs: (f64, f64),
}

/// A figure.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// What is counted.
    pub(crate) name: &'static str,
    /// What it is compared with.
    pub(crate) limit: &'static str,
    /// How many connections ask at once.
    pub(crate) crowd: u64,
    /// What it has to reach.
    pub(crate) target: Target,
    /// The runs, in their order.
    pub(crate) runs: Vec<Run>,
}

/// The middle one and both ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    /// Half of the runs are below it.
    pub(crate) median: f64,
    /// The lowest.
    pub(crate) min: f64,
    /// The highest.
    pub(crate) max: f64,
}

impl Spread {
    /// Of these; nothing of none.
    pub(crate) fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let above = values.get(values.len() / 2)?;
        let below = values.get((values.len() - 1) / 2)?;
        Some(Self { median: f64::midpoint(*above, *below), min, max })
    }
}

impl Figure {
    /// What the server did in a second.
    pub(crate) fn per_sec(&self) -> Option<Spread> {
        Spread::of(self.runs.iter().map(|run| run.service.per_sec()))
    }

    /// What the limit did in a second.
    pub(crate) fn limit_per_sec(&self) -> Option<Spread> {
        Spread::of(self.runs.iter().filter_map(|run| Some(run.limit.as_ref()?.per_sec())))
    }

    /// The server by its limit, run by run.
    pub(crate) fn ratio(&self) -> Option<Spread> {
        Spread::of(
            self.runs
                .iter()
                .filter_map(|run| Some(run.service.per_sec() / run.limit.as_ref()?.per_sec())),
        )
    }

    /// Processor time for one, in microseconds: the server's and the load generator's.
    pub(crate) fn cpu_us(&self) -> Option<(f64, f64)> {
        let of = |part: fn(&Run) -> f64| {
            let each = |run: &Run| part(run) * 1e6 / (run.service.per_sec() * run.service.secs);
            Spread::of(self.runs.iter().map(each)).map(|spread| spread.median)
        };
        Some((of(|run| run.cpu_secs.0)?, of(|run| run.cpu_secs.1)?))
    }

    /// Requests that were not carried out.
    pub(crate) fn refused(&self) -> u64 {
        self.runs.iter().map(|run| run.service.refused).sum()
    }

    /// Whether the target is met; none where there is no target.
    pub(crate) fn is_met(&self) -> Option<bool> {
        match self.target {
            Target::Ratio(ratio) => Some(self.ratio()?.median >= ratio && self.refused() == 0),
            Target::None => None,
        }
    }
}

/// The median of `each`, in microseconds.
pub(crate) fn middle_us(each: &[std::time::Duration]) -> Result<f64, crate::Failure> {
    let secs = each.iter().map(std::time::Duration::as_secs_f64);
    Ok(Spread::of(secs).ok_or("nothing was asked")?.median * 1e6)
}
