//! What one request costs where there is much of something, beside the same where there
//! is little.

use crate::figure::Spread;

/// One such comparison.
#[derive(Clone, Debug)]
pub(crate) struct Growth {
    /// What is done.
    pub(crate) name: &'static str,
    /// How little there is, in words.
    pub(crate) little: &'static str,
    /// How much there is, in words.
    pub(crate) much: &'static str,
    /// At most so many times the cost.
    pub(crate) target: f64,
    /// What one cost in each run, in microseconds: with little, and right after it with much.
    pub(crate) runs: Vec<(f64, f64)>,
}

impl Growth {
    /// With little.
    pub(crate) fn little_us(&self) -> Option<Spread> {
        Spread::of(self.runs.iter().map(|(little, _)| *little))
    }

    /// With much.
    pub(crate) fn much_us(&self) -> Option<Spread> {
        Spread::of(self.runs.iter().map(|(_, much)| *much))
    }

    /// Much by little, run by run.
    pub(crate) fn ratio(&self) -> Option<Spread> {
        Spread::of(self.runs.iter().map(|(little, much)| much / little))
    }

    /// Whether it costs no more than it may.
    pub(crate) fn is_met(&self) -> Option<bool> {
        Some(self.ratio()?.median <= self.target)
    }
}
