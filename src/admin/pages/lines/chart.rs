//! The last hour of a line, drawn on the server.

use crate::admin::store::lines::Minute;

/// Units of the drawing: a bar is ten wide.
const BAR: i64 = 10;
const HEIGHT: i64 = 120;
/// A quiet line is drawn small, not blown up.
const TOP_MIN: i64 = 5;

/// One minute as a bar.
pub(super) struct Bar {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) height: i64,
}

/// Bars for who was let in, and a line for whose place was freed.
pub(super) struct Chart {
    pub(super) minutes: Vec<Minute>,
    pub(super) bars: Vec<Bar>,
    /// The points of the line.
    pub(super) freed: String,
    /// What the top edge stands for.
    pub(super) top: i64,
    pub(super) width: i64,
    pub(super) height: i64,
    pub(super) admitted_total: i64,
    pub(super) freed_total: i64,
}

impl Chart {
    pub(super) fn of(minutes: &[Minute]) -> Self {
        let highest = minutes.iter().map(|minute| minute.admitted.max(minute.freed)).max();
        let top = highest.unwrap_or_default().max(TOP_MIN);
        let scaled = |count: i64| count * HEIGHT / top;
        let columns = (0..).step_by(usize::try_from(BAR).unwrap_or(1)).zip(minutes);
        let bars = columns.clone().map(|(x, minute)| {
            let height = scaled(minute.admitted);
            Bar { x, y: HEIGHT - height, height }
        });
        let points =
            columns.map(|(x, minute)| format!("{},{}", x + BAR / 2, HEIGHT - scaled(minute.freed)));
        Self {
            bars: bars.collect(),
            freed: points.collect::<Vec<_>>().join(" "),
            top,
            width: i64::try_from(minutes.len()).unwrap_or_default() * BAR,
            height: HEIGHT,
            admitted_total: minutes.iter().map(|minute| minute.admitted).sum(),
            freed_total: minutes.iter().map(|minute| minute.freed).sum(),
            minutes: minutes.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_minute_reaches_the_top() {
        let minute = |ago, admitted, freed| Minute { ago, admitted, freed };
        let chart = Chart::of(&[minute(1, 5, 10), minute(0, 20, 0)]);
        let heights: Vec<i64> = chart.bars.iter().map(|bar| bar.height).collect();
        assert_eq!((heights, chart.top, chart.width), (vec![30, 120], 20, 20));
        assert_eq!(chart.freed, "5,60 15,120");
        assert_eq!(Chart::of(&[minute(0, 1, 0)]).top, TOP_MIN);
    }
}
