//! Measures how many people a second one instance serves, each figure beside the limit
//! that the same PostgreSQL sets, and writes `BENCHMARKS.md`. Run by `scripts/bench`, which
//! starts a PostgreSQL and a Redis for it.

mod announced;
mod at_once;
mod backlog;
mod bare_queue;
mod beside;
mod cost;
mod distance;
mod even;
mod figure;
mod growth;
mod http;
mod instances;
mod large;
mod latency;
mod lists;
mod load;
mod million;
mod money;
mod others;
mod passes;
mod person;
mod polling;
mod queue;
mod report;
mod sales;
mod server;
mod stage;
mod tally;
mod wire;
mod zones;

use std::{
    io::{self, Write},
    net::SocketAddr,
    process::ExitCode,
    time::Duration,
};

use figure::{Figure, Run};
use growth::Growth;
use load::{Errand, drive};
use others::Shape;
use server::Server;
use stage::{CLIENTS, Plan, Stage, psql_file};
use tally::Tally;

/// Why there is no result.
type Failure = Box<dyn std::error::Error>;

/// People with a session and a wallet.
const PEOPLE: u64 = 60_000;
/// Connections of a run without contention.
const CROWD: u64 = 64;
/// Connections at an opening: all of them at once.
const OPENING: u64 = 512;
/// Connections at one wallet.
const HANDS: u64 = 16;

/// How long all this takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    runs: usize,
    secs: u64,
    /// Seats that each client of pgbench may take in one run.
    turns: u64,
}

/// What `--only` may name.
const SUBJECTS: [&str; 15] = [
    "queue",
    "money",
    "sales",
    "latency",
    "instances",
    "zones",
    "costs",
    "distance",
    "announced",
    "others",
    "lists",
    "backlog",
    "large",
    "beside",
    "million",
];
/// What takes too long to be measured quickly.
const SLOW_SUBJECTS: [&str; 6] = ["others", "lists", "backlog", "large", "beside", "million"];
/// No subject is waited for any longer.
const SUBJECT_MAX: Duration = Duration::from_mins(8);

const FULL: Pace = Pace { runs: 5, secs: 3, turns: 1_500 };
const QUICK: Pace = Pace { runs: 3, secs: 1, turns: 600 };

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().collect();
    if words.iter().any(|word| word == announced::LISTEN) {
        return match announced::listen(&words).await {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => {
                let _ = writeln!(io::stderr(), "a page: {failure}");
                ExitCode::FAILURE
            }
        };
    }
    let pace = if words.iter().any(|word| word == "--quick") { QUICK } else { FULL };
    let only = words.iter().skip_while(|word| *word != "--only").nth(1);
    match run(pace, only.map(String::as_str)).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Nowhere is left to say that standard error is closed.
            let _ = writeln!(io::stderr(), "{failure}");
            ExitCode::FAILURE
        }
    }
}

/// All subjects, or `only` one.
async fn run(pace: Pace, only: Option<&str>) -> Result<(), Failure> {
    if only.is_some_and(|only| !SUBJECTS.contains(&only)) {
        return Err(format!("--only takes one of {SUBJECTS:?}").into());
    }
    let busy_before = report::load_average()?;
    // The first start migrates; those after it are what an operator waits for.
    drop(Server::start().await?);
    let mut starts = Vec::new();
    for _ in 0..pace.runs {
        starts.push(Server::start().await?.started_in.as_secs_f64());
    }
    let server = Server::start().await?;
    let memory_mib = server.memory_mib()?;
    psql_file("people.sql", &[("people", PEOPLE.to_string())])?;

    let mut bench = Bench { server, pace, stages: 0 };
    let mut all = Part {
        facts: vec![("memory before anybody comes", format!("{memory_mib:.0} MiB"))],
        ..Part::default()
    };
    let mut failed = Vec::new();
    for subject in SUBJECTS.into_iter().filter(|subject| only.is_none_or(|only| only == *subject)) {
        if pace.runs < FULL.runs && SLOW_SUBJECTS.contains(&subject) {
            continue;
        }
        // What one subject fails at says nothing of the others.
        match tokio::time::timeout(SUBJECT_MAX, bench.measure_subject(subject)).await {
            Ok(Ok(part)) => all.add(part),
            Ok(Err(failure)) => failed.push(format!("{subject}: {failure}")),
            Err(_) => failed.push(format!("{subject}: not done within {SUBJECT_MAX:?}")),
        }
    }
    let findings = report::Findings {
        pace,
        is_whole: only.is_none(),
        figures: all.figures,
        growths: all.growths,
        facts: all.facts,
        shapes: all.shapes,
        failed,
        starts,
        busy: (busy_before, report::load_average()?),
    };
    let report = report::write(&findings)?;
    writeln!(io::stdout(), "{report}")?;
    match findings.failed.is_empty() {
        true => Ok(()),
        false => Err(findings.failed.join("\n").into()),
    }
}

/// What was found of one subject, or of all.
#[derive(Debug, Default)]
struct Part {
    figures: Vec<Figure>,
    growths: Vec<Growth>,
    facts: Vec<(&'static str, String)>,
    shapes: Vec<Shape>,
}

impl Part {
    fn add(&mut self, other: Self) {
        self.figures.extend(other.figures);
        self.growths.extend(other.growths);
        self.facts.extend(other.facts);
        self.shapes.extend(other.shapes);
    }
}

/// A running server, measured.
struct Bench {
    server: Server,
    pace: Pace,
    stages: u64,
}

impl Bench {
    async fn measure_subject(&mut self, subject: &str) -> Result<Part, Failure> {
        let mut part = Part::default();
        match subject {
            "queue" => part.figures = self.queue().await?,
            "money" => part.figures = self.charges().await?,
            "sales" => {
                let beside = self.purchases_beside_tpcb().await?;
                part.figures = vec![self.holds().await?, self.purchases().await?, beside];
            }
            "latency" => {
                part.figures = vec![self.lone_purchases().await?];
                part.facts = vec![self.purchases_below_the_most().await?];
            }
            "instances" => part.figures = vec![self.two_instances().await?],
            "zones" => {
                part.figures = vec![self.zone_holds().await?];
                part.growths = vec![self.crowded_lock().await?];
            }
            "costs" => part.facts = self.costs().await?,
            "announced" => part.facts = vec![self.announced().await?],
            "distance" => part.facts = self.at_a_distance().await?,
            "others" => part.shapes = self.others().await?,
            "lists" => part.facts = self.lists().await?,
            "backlog" => {
                let (growth, cleared) = self.backlog().await?;
                part.growths = vec![growth];
                let what = "100,000 holds that ended at once, cleared while sales went on";
                part.facts = vec![(what, cleared)];
            }
            "large" => part.growths = self.large_offices().await?,
            "beside" => part.growths = self.beside().await?,
            // Last, because a million people stay in the database.
            _ => {
                let million = self.million().await?;
                (part.growths, part.facts) = (million.growths, million.facts);
            }
        }
        Ok(part)
    }

    fn stage(&mut self, is_served: bool, seats: u64) -> Result<Stage, Failure> {
        self.stages += 1;
        Stage::build(self.stages, Plan { is_served, seats })
    }

    fn seats(&self) -> u64 {
        CLIENTS * self.pace.turns
    }

    /// One run of the server after its limit.
    async fn measure(
        &self,
        limit: Option<Tally>,
        errand: &Errand,
        crowd: u64,
        people: u64,
    ) -> Result<Run, Failure> {
        self.measure_at(&[&self.server], limit, errand, crowd, people).await
    }

    /// As [`Self::measure`], of several instances.
    async fn measure_at(
        &self,
        instances: &[&Server],
        limit: Option<Tally>,
        errand: &Errand,
        crowd: u64,
        people: u64,
    ) -> Result<Run, Failure> {
        let cpu = || {
            let servers: Result<Vec<f64>, Failure> =
                instances.iter().map(|server| server.cpu_secs()).collect();
            Ok::<_, Failure>((servers?.into_iter().sum::<f64>(), server::cpu_secs("self")?))
        };
        let addresses: Vec<SocketAddr> = instances.iter().map(|server| server.address).collect();
        let lasts = Duration::from_secs(self.pace.secs);
        let (server, generator) = cpu()?;
        let service = drive(&addresses, errand, crowd, people, lasts).await?;
        let after = cpu()?;
        let cpu_secs = (after.0 - server, after.1 - generator);
        Ok(Run { service, limit, cpu_secs })
    }

    async fn drive(&self, errand: &Errand, crowd: u64, people: u64) -> io::Result<Tally> {
        let lasts = Duration::from_secs(self.pace.secs);
        drive(&[self.server.address], errand, crowd, people, lasts).await
    }
}

impl Figure {
    /// Notes the nth run, and tells it.
    fn keep(&mut self, nth: usize, run: Run) -> io::Result<()> {
        let (service, limit) = (&run.service, run.limit.as_ref());
        let limit = limit.map_or(String::new(), |limit| format!(" / {:.0}", limit.per_sec()));
        let refused = match &service.refusal {
            Some(refusal) => format!(", {} refused: {refusal}", service.refused),
            None => String::new(),
        };
        let mark = if nth == 0 { " (warming up)" } else { "" };
        writeln!(io::stderr(), "{}: {:.0}{limit}{refused}{mark}", self.name, service.per_sec())?;
        if nth > 0 {
            self.runs.push(run);
        }
        Ok(())
    }
}

/// What was answered is what the database has: nothing that failed is counted.
fn expect(what: &str, answered: u64, written: u64) -> Result<(), Failure> {
    match answered == written {
        true => Ok(()),
        false => Err(format!("{what}: {answered} were counted and {written} are there").into()),
    }
}
