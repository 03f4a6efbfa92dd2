//! How fast, as a share of what PostgreSQL itself reaches: each figure is measured in turns
//! with `pgbench` running the same statements on the same server.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use serde_json::json;
use sqlx::PgPool;
use tokio::task::JoinSet;
use url::Url;
use uuid::Uuid;

use super::{
    browser::{Browser, History, Step, client},
    cast::{Cast, Plan},
    error::RehearsalError,
};
use crate::infra::redis::Redis;

/// Requests in flight at once.
const CONNECTIONS: usize = 64;
/// What `pgbench` is asked with.
const CLIENTS: usize = 16;

/// A bench against a deployment of its own on this machine.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The deployment, with `ACCOUNT_BURST` out of the way.
    pub target: Url,
    /// Its database, as `pgbench` is told it.
    pub database_url: String,
    /// The program.
    pub pgbench: PathBuf,
    /// How often each figure is taken; the median counts.
    pub rounds: usize,
    /// Operations of a round.
    pub operations: usize,
}

/// One figure: both sides of it, round by round, in operations a second.
#[derive(Clone, Debug)]
pub struct Figure {
    name: &'static str,
    limit: &'static str,
    ratio_min: f64,
    ours: Vec<f64>,
    theirs: Vec<f64>,
    refused: usize,
}

/// What a figure is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    Join,
    Charge,
    Purchase,
}

impl Work {
    fn script(self) -> &'static str {
        match self {
            Self::Join => include_str!("bench/join.sql"),
            Self::Charge => include_str!("bench/charge.sql"),
            Self::Purchase => include_str!("bench/purchase.sql"),
        }
    }

    fn figure(self) -> Figure {
        let (name, limit, ratio_min) = match self {
            Self::Join => {
                ("joins", "pgbench -c 16, one join a transaction under the row lock", 4.0)
            }
            Self::Charge => ("charges on distinct wallets", "pgbench -c 16, same statements", 0.5),
            Self::Purchase => ("purchases (hold and pay)", "pgbench -c 16, same statements", 0.4),
        };
        Figure { name, limit, ratio_min, ours: Vec::new(), theirs: Vec::new(), refused: 0 }
    }
}

impl Bench {
    /// Measures everything.
    pub async fn run(&self, db: &PgPool, redis: &Redis) -> Result<Vec<Figure>, RehearsalError> {
        let mut figures = Vec::new();
        for work in [Work::Join, Work::Charge, Work::Purchase] {
            let mut figure = work.figure();
            for _ in 0..self.rounds {
                let cast = Cast::assemble(db, &self.plan(work)).await?;
                let theirs = self.their_rate(work, &cast).await;
                cast.dismiss(redis).await?;
                figure.theirs.push(theirs?);

                let cast = Cast::assemble(db, &self.plan(work)).await?;
                let ours = self.our_rate(work, &cast).await;
                cast.dismiss(redis).await?;
                let (rate, refused) = ours?;
                figure.ours.push(rate);
                figure.refused += refused;
            }
            figures.push(figure);
        }
        Ok(figures)
    }

    fn plan(&self, work: Work) -> Plan {
        let people = i32::try_from(self.operations).unwrap_or(i32::MAX);
        Plan {
            people: self.operations,
            seats: if work == Work::Purchase { people } else { 1 },
            places: 1,
            queue_capacity: (work == Work::Join).then_some(1),
            is_inside: work == Work::Purchase,
        }
    }

    async fn their_rate(&self, work: Work, cast: &Cast) -> Result<f64, RehearsalError> {
        let variables = [
            ("n", "0".to_owned()),
            ("clients", CLIENTS.to_string()),
            ("people", self.operations.to_string()),
            ("host", cast.stage.email_host()),
            ("program", cast.stage.program_id.to_string()),
            ("schedule", cast.stage.schedule_id.to_string()),
            ("first_seat", cast.first_seat.to_string()),
        ];
        let (bench, operations) = (self.clone(), self.operations / CLIENTS);
        let asked = tokio::task::spawn_blocking(move || {
            pgbench(&bench.pgbench, &bench.database_url, work.script(), operations, &variables)
        });
        asked.await.unwrap_or_else(|lost| Err(RehearsalError::Pgbench(lost.to_string())))
    }

    /// Operations a second over HTTP, and how many requests were not carried out.
    async fn our_rate(&self, work: Work, cast: &Cast) -> Result<(f64, usize), RehearsalError> {
        let (client, history) = (client()?, History::begin());
        let target: Arc<str> = self.target.as_str().trim_end_matches('/').into();
        let browsers = cast.actors.iter().map(|actor| Browser {
            actor: actor.clone(),
            client: client.clone(),
            target: Arc::clone(&target),
            history: history.clone(),
        });
        let browsers: Arc<Vec<Browser>> = Arc::new(browsers.collect());
        let stage = Arc::new((cast.stage.slug.clone(), cast.stage.schedule_id, cast.first_seat));
        let (next, failed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let began = Instant::now();
        let mut running = JoinSet::new();
        for _ in 0..CONNECTIONS {
            let (browsers, stage) = (Arc::clone(&browsers), Arc::clone(&stage));
            let (next, failed) = (Arc::clone(&next), Arc::clone(&failed));
            running.spawn(async move {
                loop {
                    let idx = next.fetch_add(1, Ordering::Relaxed);
                    let Some(browser) = browsers.get(idx) else { break };
                    if !operate(work, browser, &stage, idx).await {
                        failed.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        while running.join_next().await.is_some() {}
        let operations = f64::from(u32::try_from(browsers.len()).unwrap_or(u32::MAX));
        Ok((operations / began.elapsed().as_secs_f64(), failed.load(Ordering::Relaxed)))
    }
}

/// One operation; whether it was carried out.
async fn operate(work: Work, browser: &Browser, stage: &(String, Uuid, i64), idx: usize) -> bool {
    let (slug, schedule_id, first_seat) = stage;
    match work {
        Work::Join => {
            let path = format!("/programs/{slug}/queue");
            browser.post(Step::Join, &path, &json!({}), &[], None).await.is_ok()
        }
        Work::Charge => {
            let order = json!({ "amount": 1 });
            browser.post(Step::Charge, "/wallet/charges", &order, &[], None).await.is_ok()
        }
        Work::Purchase => {
            let seat = first_seat + i64::try_from(idx).unwrap_or(i64::MAX);
            let path = format!("/schedules/{schedule_id}/reservations");
            let order = json!({ "seat_ids": [seat] });
            let hold = browser.post(Step::Hold, &path, &order, &[seat], None).await;
            let Some(id) = hold.get("reservation_id").as_str() else { return false };
            let path = format!("/reservations/{id}/payment");
            browser.post(Step::Pay, &path, &json!({}), &[], None).await.is_ok()
        }
    }
}

/// Runs `script` so often on each of sixteen connections; transactions a second.
fn pgbench(
    program: &Path,
    database_url: &str,
    script: &str,
    operations: usize,
    variables: &[(&str, String)],
) -> Result<f64, RehearsalError> {
    let failed = |why: String| RehearsalError::Pgbench(why);
    let file = std::env::temp_dir().join(format!("stagedoor-bench-{}.sql", Uuid::new_v4()));
    std::fs::write(&file, script).map_err(|error| failed(error.to_string()))?;
    let mut command = Command::new(program);
    command.args(["-n", "-M", "prepared", "-j", "2"]);
    command.args(["-c", &CLIENTS.to_string(), "-t", &operations.to_string()]);
    for (name, value) in variables {
        command.args(["-D", &format!("{name}={value}")]);
    }
    let output = command.arg("-f").arg(&file).arg(database_url).output();
    let removed = std::fs::remove_file(&file);
    let output = output.and_then(|output| removed.map(|()| output));
    let output = output.map_err(|error| failed(error.to_string()))?;
    let told = String::from_utf8_lossy(&output.stdout);
    let rate = told.lines().find_map(|line| {
        line.strip_prefix("tps = ")?.split_whitespace().next()?.parse::<f64>().ok()
    });
    match rate {
        Some(rate) if output.status.success() => Ok(rate),
        _ => Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}

impl Figure {
    /// Whether the wanted share is reached and nothing was refused.
    pub fn is_reached(&self) -> bool {
        self.refused == 0 && self.ratio() >= self.ratio_min
    }

    fn ratio(&self) -> f64 {
        median(&self.ours) / median(&self.theirs)
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn spread(values: &[f64]) -> String {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(0.0, f64::max);
    format!("{:.0} ({low:.0}-{high:.0})", median(values))
}

/// The figures as a table of Markdown.
pub fn table(figures: &[Figure]) -> String {
    let mut text = String::from(
        "| a second | ours | limit | limit is | ratio | wanted | |\n|---|---|---|---|---|---|---|\n",
    );
    for figure in figures {
        let verdict = match (figure.refused, figure.is_reached()) {
            (0, true) => "reached".to_owned(),
            (0, false) => "missed".to_owned(),
            (refused, _) => format!("{refused} not carried out"),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.2} | {:.1} | {verdict} |",
            figure.name,
            spread(&figure.ours),
            spread(&figure.theirs),
            figure.limit,
            figure.ratio(),
            figure.ratio_min,
        );
    }
    text
}
