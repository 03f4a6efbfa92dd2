//! People who wait in line and ask for their place again and again, at a fixed interval and at the
//! one that the server names.

use std::{
    io,
    time::{Duration, Instant},
};

use hdrhistogram::Histogram;
use tokio::task::JoinSet;

use crate::{
    Bench, Failure,
    even::{latencies, ms_at, record},
    http::Connection,
    others::Shape,
    person::session,
    stage::{CAPACITY, Plan, Stage, psql_file},
};

/// People who wait.
const POLLERS: u64 = 3_000;
/// How long they are watched.
const WATCHED: Duration = Duration::from_secs(30);
/// Interval where the server names none.
const FIXED: Duration = Duration::from_secs(1);
/// Connections that are opened at once.
const OPENED_AT_ONCE: u64 = 100;
/// The number of the first of them, of whom no other subject knows.
const FIRST: u64 = 5_000_001;

/// When a person asks again.
#[derive(Clone, Copy, Debug)]
enum Interval {
    Fixed,
    /// As the answer says.
    Told,
}

/// What was asked within [`WATCHED`].
struct Polls {
    took: Histogram<u64>,
    cpu_secs: f64,
}

impl Bench {
    /// A line of [`POLLERS`], asked at both intervals.
    pub(crate) async fn pollers(&mut self) -> Result<Shape, Failure> {
        self.stages += 1;
        let stage = Stage::build(self.stages, Plan { is_served: true, seats: 0 })?;
        let variables = [
            ("nth", stage.nth.to_string()),
            ("first", FIRST.to_string()),
            ("people", POLLERS.to_string()),
            ("apart", "1".to_owned()),
            ("inside", CAPACITY.to_string()),
        ];
        psql_file("queue.sql", &variables)?;
        let fixed = self.polls_at(&stage, Interval::Fixed).await?;
        let told = self.polls_at(&stage, Interval::Told).await?;
        stage.strike()?;
        let per_sec = |polls: &Polls| {
            f64::from(u32::try_from(polls.took.len()).unwrap_or(u32::MAX)) / WATCHED.as_secs_f64()
        };
        let percent = |polls: &Polls| polls.cpu_secs / WATCHED.as_secs_f64() * 100.0;
        Ok(Shape {
            what: "3,000 people in one line ask for their place, each second and as often as they are told",
            theirs: "tested with 3,000 polling users, without a figure",
            ours: format!(
                "each second: {:.0} polls a second, of a hundred the slowest {:.1} ms, the server at {:.0} % of a \
                 processor; as told: {:.0} a second, {:.1} ms, {:.0} %",
                per_sec(&fixed),
                ms_at(&fixed.took, 0.99),
                percent(&fixed),
                per_sec(&told),
                ms_at(&told.took, 0.99),
                percent(&told),
            ),
        })
    }

    async fn polls_at(&self, stage: &Stage, interval: Interval) -> Result<Polls, Failure> {
        let mut connections = Vec::new();
        for _ in 0..POLLERS / OPENED_AT_ONCE {
            for _ in 0..OPENED_AT_ONCE {
                connections.push(Connection::open(self.server.address).await?);
            }
        }
        let cpu_before = self.server.cpu_secs()?;
        let ends = Instant::now() + WATCHED;
        let mut tasks = JoinSet::new();
        for (nth, connection) in (0..POLLERS).zip(connections) {
            tasks.spawn(poll(connection, stage.queue_path(), nth, interval, ends));
        }
        let mut took = latencies()?;
        while let Some(each) = tasks.join_next().await {
            each??.into_iter().for_each(|each| record(&mut took, each));
        }
        Ok(Polls { took, cpu_secs: self.server.cpu_secs()? - cpu_before })
    }
}

/// Asks for the place of the nth person who waits until it `ends`. The first questions are spread
/// over an interval, as if the people had come one after the other.
async fn poll(
    mut connection: Connection,
    path: String,
    nth: u64,
    interval: Interval,
    ends: Instant,
) -> io::Result<Vec<Duration>> {
    let mut took = Vec::new();
    let of_all = |n: u64| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    let share = of_all(nth) / of_all(POLLERS);
    let mut pause = FIXED.mul_f64(share);
    let mut is_first = true;
    loop {
        tokio::time::sleep(pause).await;
        let began = Instant::now();
        if began >= ends {
            return Ok(took);
        }
        let answer = connection.get(&path, &session(FIRST + nth)).await?;
        if answer.status != 200 {
            return Err(io::Error::other(answer.body));
        }
        took.push(began.elapsed());
        pause = match interval {
            Interval::Fixed => FIXED,
            Interval::Told => {
                let state: serde_json::Value = serde_json::from_str(&answer.body)?;
                let ms = state.get("retry_after_ms").and_then(serde_json::Value::as_u64);
                let told = Duration::from_millis(
                    ms.ok_or_else(|| io::Error::other("nobody said when to ask again"))?,
                );
                // Who came long ago asks at any moment of its interval.
                if std::mem::take(&mut is_first) { told.mul_f64(share) } else { told }
            }
        };
    }
}
