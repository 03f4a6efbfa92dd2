//! Measures how many people a second one instance serves, each figure beside the limit
//! that the same PostgreSQL sets, and writes `BENCHMARKS.md`. Run by `scripts/bench`, which
//! starts a PostgreSQL and a Redis for it.

mod figure;
mod http;
mod load;
mod report;
mod server;
mod stage;

use std::{
    io::{self, Write},
    process::ExitCode,
    time::Duration,
};

use figure::{Figure, Run, Target};
use load::{Errand, LET_IN, Tally, drive};
use server::Server;
use stage::{CLIENTS, Plan, Stage, pgbench, psql_file};

/// Why there is no result.
type Failure = Box<dyn std::error::Error>;

/// People with a session and a wallet.
const PEOPLE: u64 = 60_000;
/// Connections where nobody waits for anybody.
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

const FULL: Pace = Pace { runs: 5, secs: 3, turns: 1_500 };
const QUICK: Pace = Pace { runs: 3, secs: 1, turns: 600 };

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let pace = if std::env::args().any(|word| word == "--quick") { QUICK } else { FULL };
    match run(pace).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Nowhere is left to say that standard error is closed.
            let _ = writeln!(io::stderr(), "{failure}");
            ExitCode::FAILURE
        }
    }
}

async fn run(pace: Pace) -> Result<(), Failure> {
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
    let (joins, line) = bench.joins().await?;
    let figures = [
        vec![joins],
        bench.polls(&line).await?,
        bench.charges().await?,
        vec![bench.holds().await?, bench.purchases().await?],
    ]
    .concat();
    let busy = (busy_before, report::load_average()?);
    let report = report::write(&report::Findings { pace, figures, starts, memory_mib, busy })?;
    writeln!(io::stdout(), "{report}")?;
    Ok(())
}

/// A running server, measured.
struct Bench {
    server: Server,
    pace: Pace,
    stages: u64,
}

/// A stage in whose line so many wait.
struct FullLine {
    stage: Stage,
    waiting: u64,
}

impl Bench {
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
        let cpu = || Ok::<_, Failure>((self.server.cpu_secs()?, server::cpu_secs("self")?));
        let (server, generator) = cpu()?;
        let service = self.drive(errand, crowd, people).await?;
        let after = cpu()?;
        let cpu_secs = (after.0 - server, after.1 - generator);
        Ok(Run { service, limit, cpu_secs })
    }

    async fn drive(&self, errand: &Errand, crowd: u64, people: u64) -> io::Result<Tally> {
        let lasts = Duration::from_secs(self.pace.secs);
        drive(self.server.address, errand, crowd, people, lasts).await
    }

    async fn joins(&mut self) -> Result<(Figure, FullLine), Failure> {
        let mut figure = Figure {
            name: "joins",
            limit: "pgbench, one join a transaction on the locked row",
            crowd: OPENING,
            target: Target::Ratio(4.0),
            runs: Vec::new(),
        };
        let mut line = None;
        // The first run of each figure only warms up.
        for nth in 0..=self.pace.runs {
            let alone = self.stage(false, 0)?;
            let limit = pgbench(&["join.sql"], &alone.variables(0), self.pace.secs)?;
            expect("joins of pgbench", limit.done, alone.count_joined()?)?;
            alone.strike()?;

            let stage = self.stage(true, 0)?;
            let errand = Errand::Join(stage.clone());
            let run = self.measure(Some(limit), &errand, OPENING, PEOPLE).await?;
            expect("joins", run.service.done, stage.count_joined()?)?;
            if nth == self.pace.runs {
                let waiting = run.service.done.saturating_sub(LET_IN);
                line = Some(FullLine { stage, waiting });
            } else {
                stage.strike()?;
            }
            figure.keep(nth, run)?;
        }
        Ok((figure, line.ok_or("nobody joined")?))
    }

    async fn polls(&mut self, line: &FullLine) -> Result<Vec<Figure>, Failure> {
        let each = |name, target, errand| (name, target, errand);
        let mut figures = Vec::new();
        for (name, target, errand) in [
            each("state polls", Target::Ratio(0.3), Errand::PollAgain(line.stage.clone())),
            each(
                "state polls, each by somebody not seen for a while",
                Target::None,
                Errand::PollInTurn(line.stage.clone(), line.waiting),
            ),
        ] {
            let limit = "a bare handler of the same server (/healthz)";
            let mut figure = Figure { name, limit, crowd: CROWD, target, runs: Vec::new() };
            for nth in 0..=self.pace.runs {
                let limit = self.drive(&Errand::Health, CROWD, PEOPLE).await?;
                figure.keep(nth, self.measure(Some(limit), &errand, CROWD, PEOPLE).await?)?;
            }
            figures.push(figure);
        }
        line.stage.strike()?;
        Ok(figures)
    }

    async fn charges(&mut self) -> Result<Vec<Figure>, Failure> {
        let mut distinct = Figure {
            name: "charges, distinct wallets",
            limit: "pgbench, the same statements",
            crowd: CROWD,
            target: Target::Ratio(0.5),
            runs: Vec::new(),
        };
        let people = [("people", PEOPLE.to_string())];
        for nth in 0..=self.pace.runs {
            let limit = pgbench(&["charge.sql"], &people, self.pace.secs)?;
            let errand = Errand::Charge(PEOPLE);
            distinct.keep(nth, self.measure(Some(limit), &errand, CROWD, PEOPLE).await?)?;
        }
        let mut one = Figure {
            name: "charges, one wallet",
            limit: "none",
            crowd: HANDS,
            target: Target::PerSec(200.0),
            runs: Vec::new(),
        };
        for nth in 0..=self.pace.runs {
            one.keep(nth, self.measure(None, &Errand::ChargeOne, HANDS, PEOPLE).await?)?;
        }
        Ok(vec![distinct, one])
    }

    async fn holds(&mut self) -> Result<Figure, Failure> {
        let figure = Figure {
            name: "holds of one seat",
            limit: "pgbench, the same statements",
            crowd: CROWD,
            target: Target::Ratio(0.5),
            runs: Vec::new(),
        };
        self.sales(figure, &["hold.sql"], "HELD", Errand::Hold).await
    }

    async fn purchases(&mut self) -> Result<Figure, Failure> {
        let figure = Figure {
            name: "purchases (hold and pay)",
            limit: "pgbench, the same statements",
            crowd: CROWD,
            target: Target::Ratio(0.4),
            runs: Vec::new(),
        };
        self.sales(figure, &["hold.sql", "pay.sql"], "CONFIRMED", Errand::Purchase).await
    }

    /// Runs that leave reservations with `status` behind.
    async fn sales(
        &mut self,
        mut figure: Figure,
        scripts: &[&str],
        status: &str,
        errand: fn(Stage) -> Errand,
    ) -> Result<Figure, Failure> {
        for nth in 0..=self.pace.runs {
            let alone = self.stage(false, self.seats())?;
            let limit = pgbench(scripts, &alone.variables(self.pace.turns), self.pace.secs)?;
            expect("sales of pgbench", limit.done, alone.count_reservations(status)?)?;
            alone.strike()?;

            let stage = self.stage(true, self.seats())?;
            let run =
                self.measure(Some(limit), &errand(stage.clone()), CROWD, self.seats()).await?;
            expect("sales", run.service.done, stage.count_reservations(status)?)?;
            stage.strike()?;
            figure.keep(nth, run)?;
        }
        Ok(figure)
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
