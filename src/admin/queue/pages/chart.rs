//! Charts of a queue's last hour, drawn on the server.

use crate::admin::queue::store::Minute;

/// Width of a bar, in units of the drawing.
const BAR: i64 = 10;
const HEIGHT: i64 = 120;
/// Smallest count at the top edge, so that a quiet queue is not drawn large.
const TOP_MIN: i64 = 5;

/// Minute drawn as a bar.
pub(crate) struct ChartBar {
    pub(crate) x: i64,
    pub(crate) y: i64,
    pub(crate) height: i64,
}

/// Bars, optionally with a line over them.
pub(crate) struct Chart {
    /// One bar for each minute with a known count.
    pub(crate) bars: Vec<ChartBar>,
    /// Points of the line; empty without one.
    pub(crate) line: String,
    /// Count at the top edge.
    pub(crate) top: i64,
    pub(crate) width: i64,
    pub(crate) height: i64,
}

impl Chart {
    /// Draws one count a minute.
    fn of(bars: &[Option<i64>], line: &[i64]) -> Self {
        let highest = bars.iter().flatten().chain(line).max();
        let top = highest.copied().unwrap_or_default().max(TOP_MIN);
        let scaled = |count: i64| count.saturating_mul(HEIGHT) / top;
        let columns = || (0..).step_by(usize::try_from(BAR).unwrap_or(1));
        let drawn = columns().zip(bars).filter_map(|(x, count)| {
            let height = scaled((*count)?);
            Some(ChartBar { x, y: HEIGHT - height, height })
        });
        let points = columns()
            .zip(line)
            .map(|(x, count)| format!("{},{}", x + BAR / 2, HEIGHT - scaled(*count)));
        Self {
            bars: drawn.collect(),
            line: points.collect::<Vec<_>>().join(" "),
            top,
            width: i64::try_from(bars.len()).unwrap_or_default() * BAR,
            height: HEIGHT,
        }
    }
}

/// Three charts of the same hour.
pub(crate) struct Charts {
    /// Minutes, oldest first.
    pub(crate) minutes: Vec<Minute>,
    /// Waiting accounts.
    pub(crate) length: Chart,
    /// Accounts that joined.
    pub(crate) arrivals: Chart,
    pub(crate) joined_total: i64,
    /// Admitted accounts as bars, ended stays as a line.
    pub(crate) gate: Chart,
    pub(crate) admitted_total: i64,
    pub(crate) freed_total: i64,
}

impl Charts {
    pub(crate) fn of(minutes: Vec<Minute>) -> Self {
        let bars = |count: fn(&Minute) -> Option<i64>| -> Vec<Option<i64>> {
            minutes.iter().map(count).collect()
        };
        let freed: Vec<i64> = minutes.iter().map(|minute| minute.freed).collect();
        Self {
            length: Chart::of(&bars(|minute| minute.waiting), &[]),
            arrivals: Chart::of(&bars(|minute| minute.joined), &[]),
            joined_total: minutes.iter().filter_map(|minute| minute.joined).sum(),
            gate: Chart::of(&bars(|minute| Some(minute.admitted)), &freed),
            admitted_total: minutes.iter().map(|minute| minute.admitted).sum(),
            freed_total: freed.iter().sum(),
            minutes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_minute_reaches_the_top_and_an_unknown_one_is_left_out() {
        let chart = Chart::of(&[Some(5), None, Some(20)], &[10, 0, 0]);
        let bars: Vec<(i64, i64)> = chart.bars.iter().map(|bar| (bar.x, bar.height)).collect();
        assert_eq!((bars, chart.top, chart.width), (vec![(0, 30), (20, 120)], 20, 30));
        assert_eq!(chart.line, "5,60 15,120 25,120");
        assert_eq!(Chart::of(&[Some(1)], &[]).top, TOP_MIN);
    }
}
