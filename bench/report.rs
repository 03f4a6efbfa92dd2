//! `BENCHMARKS.md`: what was measured, on what, and which targets are met.

use std::{path::PathBuf, process::Command};

use crate::{
    FULL, Failure, Pace,
    figure::{Figure, Spread, Target},
    growth::Growth,
    others::Shape,
    server::PROGRAM,
    stage::{output, psql},
};

/// All that was found.
#[derive(Debug)]
pub(crate) struct Findings {
    /// How long each run took.
    pub(crate) pace: Pace,
    /// Whether no subject was left out.
    pub(crate) is_whole: bool,
    /// Every figure.
    pub(crate) figures: Vec<Figure>,
    /// Every comparison of much with little.
    pub(crate) growths: Vec<Growth>,
    /// What else was measured, with its unit.
    pub(crate) facts: Vec<(&'static str, String)>,
    /// What others published the like of.
    pub(crate) shapes: Vec<Shape>,
    /// What was to be measured and failed, and why.
    pub(crate) failed: Vec<String>,
    /// How long starts took, in seconds.
    pub(crate) starts: Vec<f64>,
    /// The machine's load average before and after.
    pub(crate) busy: (f64, f64),
}

/// Counted on the wire by a test, which fails when a number changes.
const ROUND_TRIPS: &str = include_str!("../docs/ROUND-TRIPS.md");

const WHERE_THE_TIME_GOES: &str = "\
## Where the time goes

How often one request waits for an answer of PostgreSQL, and how many commands it sends to Redis. A test counts both on
the wire. Taking a connection from the pool and giving it back costs none (`src/infra/postgres/pool/mod.rs`). A join is
counted alone; those that come together are written in one transaction, and the sessions of those that ask at the same
moment are looked up in one statement that begins after the last of them asked: a log-out and a locked account count at
once.

`docs/PROFILE.md` says what the processor does meanwhile: the largest costs of a purchase, a join and a poll, which of
them were removed, and why the others stay.
";

const OTHERS: &str = "\
## As others were tested

Load tests of systems like this one, with what their authors reported of them, in the same shape. Their machines were
others, so only the shape of the outcome compares.

| What | Theirs | Ours |
|---|---|---|";

/// What is asked for elsewhere and not measured here.
const NOT_MEASURED: [&str; 1] = ["a load generator on a machine of its own"];

const METHOD: &str = "\
Written by `make bench`: the release build as one process with its usual settings, on a PostgreSQL and a Redis of its
own (PostgreSQL's defaults, `fsync` on). Sessions stand in the database before a run begins. Requests are JSON over
kept connections, one request at a time on each; nobody pauses between two. Holds, payments and charges carry a request
key and the entry pass, as the pages send them. The bound on changes of one account is lifted, because one wallet is charged far more often
than one person may, and only warnings are logged.

The server, PostgreSQL, Redis, pgbench and the load generator share the machine: the server's figure pays for a client
that speaks HTTP, pgbench's for one that hardly costs anything. Each run of pgbench (`-M prepared -c 16 -j 2`, scripts
in `bench/sql`) or of the bare handler stands right before the run of the server that it is compared with, and the
ratio is taken within that pair. The scripts send what one request sends to PostgreSQL, the look at the session
included; what the server remembers for a moment (how many places a zone had half a second ago) is asked by neither. The
first pair of each figure only warms up. After each run of joins, holds and purchases the rows in the database are
counted: they are as many as were answered with success, or there is no report.
";

/// Writes the report of a full run to `BENCHMARKS.md`; one that is quick or of one subject
/// is only told.
pub(crate) fn write(findings: &Findings) -> Result<String, Failure> {
    let report = text(findings)?;
    if findings.pace.runs == FULL.runs && findings.is_whole {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("BENCHMARKS.md");
        std::fs::write(path, &report)?;
    }
    Ok(report)
}

fn text(findings: &Findings) -> Result<String, Failure> {
    let Pace { runs, secs, .. } = findings.pace;
    let rows: Option<String> = findings.figures.iter().map(row).collect();
    let rows = rows.ok_or("a figure has no runs")?;
    let growths: Option<String> = findings.growths.iter().map(growth_row).collect();
    let growths = growths.ok_or("a comparison has no runs")?;
    let verdicts: String = findings.figures.iter().filter_map(verdict).collect();
    let grown: String = findings.growths.iter().filter_map(growth_verdict).collect();
    let facts: Vec<String> =
        findings.facts.iter().map(|(what, value)| format!("* {what}: {value}\n")).collect();
    let facts = facts.concat();
    let shape = |Shape { what, theirs, ours }: &Shape| format!("| {what} | {theirs} | {ours} |\n");
    let shapes: String = findings.shapes.iter().map(shape).collect();
    let failed: Vec<String> =
        findings.failed.iter().map(|what| format!("* **failed**: {what}\n")).collect();
    let not_measured = NOT_MEASURED.map(|what| format!("* {what}: not measured\n")).concat();
    let not_measured = failed.concat() + &not_measured;
    let starts = Spread::of(findings.starts.iter().map(|secs| secs * 1e3));
    let starts = starts.ok_or("no start was measured")?;
    let size_mb = bytes_of_program()? / 1e6;
    let machine = machine(findings.busy)?;
    let (_, trips) = ROUND_TRIPS.split_once("\n| ").ok_or("docs/ROUND-TRIPS.md has no table")?;
    Ok(format!(
        "# Benchmarks\n\n{METHOD}\n{machine}\n\n## Figures a second\n\n\
         Medians of {runs} runs of {secs} s, lowest and highest in brackets. Processor time is that of one request or \
         purchase, in microseconds: the server's and the load generator's.\n\n\
         | What | Connections | A second | Its limit | Limit a second | Ratio | Target | Server µs | Generator µs |\n\
         |---|---|---|---|---|---|---|---|---|\n{rows}\n\
         ## What more of it costs\n\nOne request at a time, in microseconds, with little and with much; a run of one \
         right after a run of the other.\n\n\
         | What | With | µs | With | µs | Ratio | Target |\n|---|---|---|---|---|---|---|\n{growths}\n\
         ## Targets\n\n{verdicts}{grown}\n{WHERE_THE_TIME_GOES}\n| {trips}\n## Beside\n\n\
         * start to first page, database migrated: {:.0} ms ({:.0} - {:.0})\n\
         {facts}* the program: {size_mb:.1} MB\n\n\
         {OTHERS}\n{shapes}\n\
         ## Not measured\n\n{not_measured}",
        starts.median, starts.min, starts.max,
    ))
}

fn row(figure: &Figure) -> Option<String> {
    let (server_us, generator_us) = figure.cpu_us()?;
    let per_sec = spread(figure.per_sec()?, 0);
    let limit = figure.limit_per_sec().map_or("-".to_owned(), |limit| spread(limit, 0));
    let ratio = figure.ratio().map_or("-".to_owned(), |ratio| spread(ratio, 2));
    Some(format!(
        "| {} | {} | {per_sec} | {} | {limit} | {ratio} | {} | {server_us:.0} | {generator_us:.0} |\n",
        figure.name,
        figure.crowd,
        figure.limit,
        target(figure.target),
    ))
}

fn verdict(figure: &Figure) -> Option<String> {
    let word = if figure.is_met()? { "met" } else { "**missed**" };
    let is = match figure.target {
        Target::Ratio(_) => {
            format!("{:.2} x, {} refused", figure.ratio()?.median, figure.refused())
        }
        Target::None => format!("{:.0} a second", figure.per_sec()?.median),
    };
    Some(format!("* {}: {word}. {is}; asked for: {}.\n", figure.name, target(figure.target)))
}

fn growth_row(growth: &Growth) -> Option<String> {
    let (little, much) = (spread(growth.little_us()?, 0), spread(growth.much_us()?, 0));
    let ratio = spread(growth.ratio()?, 2);
    let Growth { name, little: few, much: many, target, .. } = growth;
    Some(format!("| {name} | {few} | {little} | {many} | {much} | {ratio} | <= {target} x |\n"))
}

fn growth_verdict(growth: &Growth) -> Option<String> {
    let word = if growth.is_met()? { "met" } else { "**missed**" };
    let Growth { name, much, target, .. } = growth;
    let is = growth.ratio()?.median;
    Some(format!("* {name}, {much}: {word}. {is:.2} x; asked for: <= {target} x.\n"))
}

fn target(target: Target) -> String {
    match target {
        Target::Ratio(ratio) => format!(">= {ratio} x, none refused"),
        Target::None => "none".to_owned(),
    }
}

fn spread(spread: Spread, digits: usize) -> String {
    let Spread { median, min, max } = spread;
    format!("{median:.digits$} ({min:.digits$} - {max:.digits$})")
}

/// What it was measured on.
fn machine((busy_before, busy_after): (f64, f64)) -> Result<String, Failure> {
    const KIB_IN_GIB: f64 = 1024.0 * 1024.0;
    let cores = std::thread::available_parallelism()?;
    let memory_gib = number_of("/proc/meminfo", "MemTotal:")? / KIB_IN_GIB;
    let date = psql(&["-c", "select current_date"])?;
    let postgres = psql(&["-c", "show server_version"])?;
    let settings = psql(&[
        "-c",
        "select string_agg(name || ' ' || current_setting(name), ', ' order by name) from pg_settings
         where name in ('fsync', 'synchronous_commit', 'shared_buffers')",
    ])?;
    let redis = output(Command::new(std::env::var("REDIS_SERVER")?).arg("--version"))?;
    let redis = redis.split_once("v=").map_or("unknown", |(_, rest)| rest);
    let redis = redis.split(' ').next().unwrap_or("unknown");
    let rust = output(Command::new("rustc").arg("--version"))?;
    Ok(format!(
        "* {} cores, {memory_gib:.0} GiB of memory. Load average when it began {busy_before:.1}, when it ended \
         {busy_after:.1}: what others did on the machine before and during it is in the spread.\n\
         * {}, Stagedoor {}, PostgreSQL {} ({}), Redis {redis}, {}",
        cores,
        date.trim(),
        env!("CARGO_PKG_VERSION"),
        postgres.trim(),
        settings.trim(),
        rust.trim(),
    ))
}

/// How many programs wanted to run in the last minute.
pub(crate) fn load_average() -> Result<f64, Failure> {
    number_of("/proc/loadavg", "")
}

/// The number after `label` in a file of the kernel.
fn number_of(path: &str, label: &str) -> Result<f64, Failure> {
    let file = std::fs::read_to_string(path)?;
    let line = file.lines().find_map(|line| line.strip_prefix(label));
    let word = line.and_then(|line| line.split_whitespace().next());
    Ok(word.ok_or("the kernel does not tell")?.parse()?)
}

fn bytes_of_program() -> Result<f64, Failure> {
    let bytes = std::fs::metadata(PROGRAM)?.len();
    Ok(bytes.to_string().parse()?)
}
