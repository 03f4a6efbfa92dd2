//! Charts with axes, drawn on the server as SVG.
//!
//! A **slot** is one unit of time, a column of the chart: it has a bar, a point of the line over the bars,
//! or neither where nothing was counted, and a text with its values that appears on hover. The table
//! beside a chart has the same values, for people who do not see the chart or have no pointer.

/// Size of a drawing and the margins of its plot, in units of the drawing: ten are a pixel where the
/// chart is as wide as on a phone.
const WIDTH: i64 = 3_600;
const HEIGHT: i64 = 1_900;
const TOP: i64 = 120;
const BOTTOM: i64 = 1_620;
const RIGHT: i64 = 3_480;
/// Width of a digit of an axis, and of what stands between a number and the plot.
const DIGIT: i64 = 75;
const GAP: i64 = 110;
/// Lines of the grid above zero, at most.
const TICKS_MAX: i64 = 4;
/// Whole multiples of a power of ten that are round.
const ROUND: [i64; 3] = [1, 2, 5];

/// Values of one unit of time.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotValues {
    /// Height of the bar; `None` where nothing was counted.
    pub bar: Option<i64>,
    /// Height of the line; `None` without a line.
    pub line: Option<i64>,
    /// Words of the time axis at the start of the slot; `None` without a tick.
    pub tick: Option<String>,
    /// Time and values of the slot, in words.
    pub title: String,
}

/// Column of a drawing.
#[derive(Debug)]
pub(crate) struct Slot {
    pub x: i64,
    pub width: i64,
    /// Upper edge and height of the bar.
    pub bar: Option<(i64, i64)>,
    pub title: String,
}

/// Mark on an axis.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tick {
    pub at: i64,
    pub text: String,
}

/// Drawing of bars, and optionally of a line over them.
#[derive(Debug)]
pub(crate) struct Chart {
    pub slots: Vec<Slot>,
    /// Points of the line; empty without one.
    pub line: String,
    /// Ticks of the axis of values, the lowest first.
    pub rows: Vec<Tick>,
    /// Ticks of the axis of time.
    pub columns: Vec<Tick>,
    /// Left edge of the plot.
    pub left: i64,
    /// Highest value.
    pub highest: i64,
}

impl Chart {
    pub(crate) const WIDTH: i64 = WIDTH;
    pub(crate) const HEIGHT: i64 = HEIGHT;
    pub(crate) const TOP: i64 = TOP;
    pub(crate) const BOTTOM: i64 = BOTTOM;
    pub(crate) const RIGHT: i64 = RIGHT;

    /// Draws slots, the oldest first; `number` writes a value at the axis. Values below zero, as on a day
    /// of refunds, reach below the line of zero.
    pub(crate) fn of(slots: Vec<SlotValues>, number: impl Fn(i64) -> String) -> Self {
        let values = || slots.iter().flat_map(|slot| [slot.bar, slot.line]).flatten();
        let highest = values().max().unwrap_or_default();
        let lowest = values().min().unwrap_or_default().min(0);
        let step = round_step(highest.max(0).saturating_sub(lowest).max(TICKS_MAX));
        let (first, last) =
            (lowest.div_euclid(step), highest.max(1).saturating_add(step - 1) / step);
        let span = (last - first).max(1) * step;
        let y = |value: i64| {
            let above = (value - first * step).clamp(0, span);
            let above = i128::from(above) * i128::from(BOTTOM - TOP) / i128::from(span);
            BOTTOM - i64::try_from(above).unwrap_or_default()
        };
        let rows: Vec<Tick> = (first..=last)
            .map(|row| Tick { at: y(row * step), text: number(row * step) })
            .collect();
        let digits = rows.iter().map(|row| row.text.chars().count()).max().unwrap_or_default();
        let left = i64::try_from(digits).unwrap_or_default() * DIGIT + GAP;
        let count = i64::try_from(slots.len()).unwrap_or_default().max(1);
        let x = |idx: i64| left + (RIGHT - left) * idx / count;
        let mut line = Vec::new();
        let mut columns = Vec::new();
        let mut drawn = Vec::with_capacity(slots.len());
        for (idx, slot) in (0..).zip(slots) {
            let (from, to) = (x(idx), x(idx + 1));
            if let Some(value) = slot.line {
                line.push(format!("{},{}", i64::midpoint(from, to), y(value)));
            }
            if let Some(text) = slot.tick {
                columns.push(Tick { at: from, text });
            }
            let bar = slot.bar.map(|value| (y(value.max(0)), y(value.min(0)) - y(value.max(0))));
            drawn.push(Slot { x: from, width: to - from, bar, title: slot.title });
        }
        Self { slots: drawn, line: line.join(" "), rows, columns, left, highest }
    }
}

/// Returns the smallest round step by which at most [`TICKS_MAX`] ticks reach `span`.
fn round_step(span: i64) -> i64 {
    let powers = std::iter::successors(Some(1_i64), |power| power.checked_mul(10));
    let mut steps = powers.flat_map(|power| ROUND.map(|times| times.saturating_mul(power)));
    steps.find(|step| step.saturating_mul(TICKS_MAX) >= span).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(values: &[(Option<i64>, Option<i64>)]) -> Chart {
        let slot = |(bar, line): &(Option<i64>, Option<i64>)| SlotValues {
            bar: *bar,
            line: *line,
            ..SlotValues::default()
        };
        Chart::of(values.iter().map(slot).collect(), |value| value.to_string())
    }

    #[test]
    fn ticks_are_round_and_reach_the_highest_value() {
        for (span, step) in
            [(1, 1), (4, 1), (5, 2), (9, 5), (37, 10), (41, 20), (1_234_567, 500_000)]
        {
            assert_eq!(round_step(span), step, "{span}");
        }
        let rows = |highest| {
            drawn(&[(Some(highest), None)]).rows.into_iter().map(|row| row.text).collect::<Vec<_>>()
        };
        assert_eq!(rows(37), ["0", "10", "20", "30", "40"]);
        assert_eq!(rows(0), ["0", "1"]);
        assert_eq!(rows(20), ["0", "5", "10", "15", "20"]);
        assert!(rows(i64::MAX).len() > 1, "the largest number is drawn too");
    }

    #[test]
    fn a_bar_is_as_high_as_its_value_and_an_unknown_one_is_left_out() {
        let chart = drawn(&[(Some(5), Some(10)), (None, Some(0)), (Some(20), Some(0))]);
        let bars: Vec<Option<(i64, i64)>> = chart.slots.iter().map(|slot| slot.bar).collect();
        let whole = BOTTOM - TOP;
        assert_eq!(bars, [Some((BOTTOM - whole / 4, whole / 4)), None, Some((TOP, whole))]);
        assert_eq!(chart.line.split(' ').count(), 3);
        assert!(
            chart.line.split(' ').next().unwrap().ends_with(&format!(",{}", BOTTOM - whole / 2))
        );
        let edges = (chart.slots[0].x, chart.slots[2].x + chart.slots[2].width);
        assert_eq!(edges, (chart.left, RIGHT));
    }

    #[test]
    fn a_day_of_refunds_reaches_below_zero() {
        let chart = drawn(&[(Some(4), None), (Some(-2), None)]);
        let texts: Vec<&str> = chart.rows.iter().map(|row| row.text.as_str()).collect();
        assert_eq!(texts, ["-2", "0", "2", "4"]);
        let zero = chart.rows[1].at;
        let bars: Vec<(i64, i64)> = chart.slots.iter().filter_map(|slot| slot.bar).collect();
        assert_eq!(bars, [(TOP, zero - TOP), (zero, BOTTOM - zero)]);
    }
}
