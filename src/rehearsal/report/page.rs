//! The report as a self-contained page, without external resources or scripts.

use askama::Template;

use super::{Latency, Refusal, Report, StepReport, timeline::Moment};
use crate::web::files::assets;

/// Size of a drawing, in its own units.
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 120.0;
/// Range of the logarithmic latency bars: the left edge in milliseconds, and the number of decades
/// up to the right edge.
const SHORTEST_MS: f64 = 0.1;
const DECADES: f64 = 5.5;

/// Part of a moment's bar.
struct Bar {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    kind: &'static str,
}

#[derive(Template)]
#[template(path = "rehearsal/report.html")]
struct ReportPage<'a> {
    report: &'a Report,
    style: String,
    bars: Vec<Bar>,
    /// Requests at the top edge of the throughput chart.
    requests_top: f64,
    p50: String,
    p99: String,
    /// Milliseconds at the top edge of the latency chart.
    millis_top: f64,
    problems: Vec<String>,
}

impl ReportPage<'_> {
    fn moment_secs(&self) -> f64 {
        whole(self.report.timeline.moment_secs)
    }

    fn median_along(&self, step: &StepReport) -> f64 {
        let _ = self;
        along(step.latency_ms.p50)
    }

    fn p99_along(&self, step: &StepReport) -> f64 {
        let _ = self;
        along(step.latency_ms.p99)
    }

    fn share(&self, refusal: &Refusal) -> f64 {
        let most = self.report.refusals.iter().map(|refusal| refusal.count).max();
        part(refusal.count, most.unwrap_or(1)) * 100.0
    }

    fn kind(&self, refusal: &Refusal) -> &'static str {
        let _ = self;
        match (refusal.is_unknown, refusal.is_expected) {
            (false, true) => "expected",
            (false, false) => "unexpected",
            (true, _) => "nobody knows the end",
        }
    }

    fn is_quiet(&self, refusal: &Refusal) -> bool {
        let _ = self;
        refusal.is_expected
    }

    fn latency<'r>(&self, step: &'r StepReport) -> &'r Latency {
        let _ = self;
        &step.latency_ms
    }
}

impl Report {
    /// Renders the report as a page.
    pub fn page(&self) -> Result<String, askama::Error> {
        let moments = &self.timeline.moments;
        let of = |moment: &Moment| moment.ok + moment.refused + moment.unknown;
        let most = moments.iter().map(of).max().unwrap_or_default().max(1);
        let slowest = moments.iter().map(|moment| moment.latency_ms.p99).fold(1.0, f64::max);
        let line = |value: fn(&Latency) -> f64| {
            let points = columns(moments).map(|(x, width, moment)| {
                let y = HEIGHT - value(&moment.latency_ms) / slowest * HEIGHT;
                format!("{:.1},{y:.1}", x + width / 2.0)
            });
            points.collect::<Vec<_>>().join(" ")
        };
        let page = ReportPage {
            report: self,
            style: assets::inlined(
                &["css/tokens.css", "css/base.css", "css/rehearsal.css"],
                "text/css",
            ),
            bars: columns(moments).flat_map(|column| stacked(column, most)).collect(),
            requests_top: whole(most) / whole(self.timeline.moment_secs),
            p50: line(|latency| latency.p50),
            p99: line(|latency| latency.p99),
            millis_top: slowest,
            problems: self.problems().collect(),
        };
        page.render()
    }
}

/// Returns the position of `ms` on the logarithmic scale of the latency bars, from 0 to 100.
fn along(ms: f64) -> f64 {
    ((ms / SHORTEST_MS).max(1.0).log10() / DECADES * 100.0).min(100.0)
}

/// Returns each moment with its position and width.
fn columns(moments: &[Moment]) -> impl Iterator<Item = (f64, f64, &Moment)> {
    let width = WIDTH / whole(moments.len().max(1));
    (0_u32..).zip(moments).map(move |(idx, moment)| (f64::from(idx) * width, width, moment))
}

/// Returns the parts of a moment's bar, the lowest first.
fn stacked((x, width, moment): (f64, f64, &Moment), most: usize) -> Vec<Bar> {
    let parts = [("ok", moment.ok), ("refused", moment.refused), ("unknown", moment.unknown)];
    let mut y = HEIGHT;
    let mut bars = Vec::new();
    for (kind, count) in parts.into_iter().filter(|(_, count)| *count > 0) {
        let height = part(count, most) * HEIGHT;
        y -= height;
        bars.push(Bar { x, y, width: width * 0.9, height, kind });
    }
    bars
}

fn part(count: usize, of: usize) -> f64 {
    whole(count) / whole(of.max(1))
}

/// Converts a count to drawing units; counts above `u32::MAX` become that.
fn whole<N: TryInto<u32>>(count: N) -> f64 {
    f64::from(count.try_into().unwrap_or(u32::MAX))
}
