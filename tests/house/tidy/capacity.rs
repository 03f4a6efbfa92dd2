//! docs/CAPACITY.md: its tables are computed from the figures of BENCHMARKS.md.

use std::{fmt::Write, fs};

use rand::{RngExt, SeedableRng, rngs::StdRng};

use super::source::read;

const PAGE: &str = "docs/CAPACITY.md";
/// Cores of the machine of BENCHMARKS.md.
const CORES: f64 = 2.0;
/// Share of a machine that is planned with: the rest is for what is uneven.
const FILLED: f64 = 0.7;

/// BENCHMARKS.md.
struct Benchmarks(String);

impl Benchmarks {
    /// Returns a column of the row that begins with `what`, without its spread.
    fn cell(&self, what: &str, column: usize) -> f64 {
        let row = self.0.lines().find(|line| line.starts_with(&format!("| {what} |"))).unwrap();
        number(row.split('|').nth(column + 1).unwrap())
    }

    fn a_second(&self, what: &str) -> f64 {
        self.cell(what, 2)
    }

    fn server_micros(&self, what: &str) -> f64 {
        self.cell(what, 7)
    }

    /// Processor time that neither the server nor the load generator took, in microseconds: at most
    /// what PostgreSQL and Redis took.
    fn rest_micros(&self, what: &str) -> f64 {
        CORES * 1e6 / self.a_second(what) - self.cell(what, 7) - self.cell(what, 8)
    }

    /// Returns the figure of a line below *Beside*.
    fn beside(&self, what: &str) -> f64 {
        let line = self.0.lines().find_map(|line| line.strip_prefix(&format!("* {what}: ")));
        number(line.unwrap())
    }
}

fn number(text: &str) -> f64 {
    text.split_whitespace().next().unwrap().parse().unwrap()
}

/// Writes a number with commas between thousands.
fn whole(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

const SEEN_SELDOM: &str = "state polls, each by somebody not seen for a while";

/// What polls cost at this rate.
fn polls(benchmarks: &Benchmarks, polls: f64, table: &mut String) {
    let n = whole(polls);
    let mut row = |what: &str, how: &str, result: String| {
        writeln!(table, "| {n} polls/s: {what} | {how} | {result} |").unwrap();
    };
    let (server, rest) =
        (benchmarks.server_micros(SEEN_SELDOM), benchmarks.rest_micros(SEEN_SELDOM));
    let rate = benchmarks.a_second(SEEN_SELDOM);
    let cores = polls * server / 1e6;
    row("cores of instances", &format!("{n} x {server} µs"), format!("{cores:.1}"));
    let instances = (cores / CORES / FILLED).ceil();
    let how = format!("{cores:.1} / 2 / 70 %");
    row("instances of 2 cores", &how, whole(instances));
    let how =
        format!("{n} x (2 cores / {} a second - {server} - generator) = {rest:.0} µs", whole(rate));
    row("cores of PostgreSQL and Redis, at most", &how, format!("{:.1}", polls * rest / 1e6));
    let redis = benchmarks.cell("state polls, beside Redis alone", 4);
    let how = format!("{n} / {} a second", whole(redis));
    row("of what one Redis does", &how, format!("{:.0} %", polls / redis * 100.0));
}

fn figures(benchmarks: &Benchmarks) -> String {
    let mut table = "| What | Arithmetic | Result |\n|---|---|---|\n".to_owned();
    writeln!(
        table,
        "| 1,000,000 in one line: polls a second, as told | 1,000,000 / 30 s | 33,333 |"
    )
    .unwrap();
    polls(benchmarks, 1e6 / 30.0, &mut table);
    polls(benchmarks, 1e5, &mut table);
    let mut row = |what: &str, how: String, result: String| {
        writeln!(table, "| {what} | {how} | {result} |").unwrap();
    };
    let joins = benchmarks.a_second("joins");
    let how = format!("1,000,000 / {} a second", whole(joins));
    row("1,000,000 join one line", how, format!("{} s", whole(1e6 / joins)));
    for (of, share) in
        [("the server", "instances"), ("PostgreSQL", "PostgreSQL"), ("Redis", "Redis")]
    {
        let micros = benchmarks.beside(&format!("processor time of one purchase, {of}"));
        let result = format!("{:.2}", micros / 1e3);
        row(
            &format!("1,000 purchases/s: cores of {share}"),
            format!("1,000 x {micros} µs"),
            result,
        );
    }
    let bytes = benchmarks.beside("memory of Redis for each of 1,000,000 who wait");
    let how = format!("10 x 1,000,000 x {bytes} bytes");
    row("10 lines of 1,000,000: memory of Redis", how, format!("{:.2} GB", bytes / 100.0));
    let line = benchmarks.0.lines().find(|line| line.contains("open event streams")).unwrap();
    let kib: f64 = number(line.rsplit(": ").next().unwrap());
    let how = format!("10 x 2,000 x {kib} KiB");
    let result = format!("{:.0} MiB", kib * 20_000.0 / 1024.0);
    row("10 halls with 2,000 people inside: memory of instances", how, result);
    table
}

/// Cores of each simulated PostgreSQL.
const SIMULATED_CORES: usize = 8;
/// Time of one round trip between machines, in milliseconds; assumed.
const ROUND_TRIP_MS: f64 = 0.2;
/// Round trips of a hold and its payment, of docs/ROUND-TRIPS.md.
const ROUND_TRIPS: f64 = 27.0;
/// Round trips that a payment has in addition where its wallet is in another partition: both sides
/// prepare, and both commit.
const CROSSING: f64 = 4.0;
const SLOWEST_MS_MAX: f64 = 50.0;

/// Returns the time that the slowest of a hundred purchases takes, in milliseconds, at `rate` a second
/// on one PostgreSQL, of which each takes `work_ms` of one of its cores.
fn slowest_of_a_hundred(rate: f64, work_ms: f64, fixed_ms: f64) -> f64 {
    const PURCHASES: usize = 20_000;
    let mut rng = StdRng::seed_from_u64(1);
    let mut now = 0.0_f64;
    let mut free_at = [0.0_f64; SIMULATED_CORES];
    let mut took: Vec<f64> = (0..PURCHASES)
        .map(|_| {
            now += -(1.0 - rng.random::<f64>()).ln() / rate * 1e3;
            let core = free_at.iter_mut().min_by(|one, other| one.total_cmp(other)).unwrap();
            *core = core.max(now) + work_ms;
            *core - now + fixed_ms
        })
        .collect();
    took.sort_by(f64::total_cmp);
    took[PURCHASES * 99 / 100]
}

/// Returns what a purchase costs one of so many partitions, in milliseconds, and how many a second one
/// of them makes.
fn most(benchmarks: &Benchmarks, partitions: f64) -> (f64, f64) {
    let work_ms = benchmarks.beside("processor time of one purchase, PostgreSQL") / 1e3;
    let crossing = CROSSING * (partitions - 1.0) / partitions;
    let work_ms = work_ms * (ROUND_TRIPS + crossing) / ROUND_TRIPS;
    let fixed_ms = (ROUND_TRIPS + crossing) * ROUND_TRIP_MS;
    let rates = (1..200).map(|hundreds| f64::from(hundreds) * 100.0);
    let is_fast = |rate: &f64| slowest_of_a_hundred(*rate, work_ms, fixed_ms) <= SLOWEST_MS_MAX;
    (work_ms, rates.take_while(is_fast).last().unwrap())
}

fn partitions(benchmarks: &Benchmarks) -> String {
    const PROGRAMS: f64 = 10.0;
    let mut table =
        "| Partitions of 8 cores | PostgreSQL µs a purchase | Purchases/s, 10 programs | \
                     Purchases/s, one program |\n|---|---|---|---|\n"
            .to_owned();
    for n in [1.0, 2.0, 5.0, 10.0] {
        let (work_ms, one) = most(benchmarks, n);
        let micros = work_ms * 1e3;
        let busiest = (PROGRAMS / n).ceil() / PROGRAMS;
        writeln!(table, "| {n} | {micros:.0} | {} | {} |", whole(one / busiest), whole(one))
            .unwrap();
    }
    table
}

#[test]
fn the_capacity_plan_is_computed_from_the_benchmarks() {
    let benchmarks = Benchmarks(read("BENCHMARKS.md").text);
    let page = read(PAGE).text;
    let mut wanted = page.clone();
    for (name, table) in
        [("figures", figures(&benchmarks)), ("partitions", partitions(&benchmarks))]
    {
        let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
        let from = wanted.find(&begin).unwrap() + begin.len();
        let to = wanted.find(&end).unwrap();
        wanted.replace_range(from..to, &format!("\n{table}\n"));
    }
    if std::env::var_os("UPDATE_CAPACITY").is_some() {
        fs::write(PAGE, &wanted).unwrap();
    } else {
        assert!(page == wanted, "UPDATE_CAPACITY=1 make test ARGS=capacity writes {PAGE} anew");
    }
}
