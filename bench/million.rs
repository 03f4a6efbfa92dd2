//! A million people in a queue: what a join and a poll cost beside a queue of a thousand, what
//! they take up in memory, and how long it takes to count the queue again once Redis has
//! forgotten it.

use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

use crate::{
    Bench, Failure,
    figure::middle_us,
    growth::Growth,
    http::Connection,
    person::session,
    stage::{CAPACITY, Stage, psql_file},
};

const FEW: u64 = 1_000;
const MANY: u64 = 1_000_000;
/// Of each queue so many have a session, evenly spread over it.
const ASKING: u64 = 1_000;
/// The person in place n has this number and n - 1 more.
const FIRST_OF_FEW: u64 = 1_000_001;
const FIRST_OF_MANY: u64 = 2_000_001;
/// People with a session who are in neither queue, and join it in each run.
const FIRST_TO_JOIN: u64 = 1_001;
const JOINS: u64 = 200;
/// No queue takes longer to be counted.
const COUNTED_MAX: Duration = Duration::from_mins(3);
/// No queue takes longer to be in the public log.
const LOGGED_MAX: Duration = Duration::from_mins(5);
/// How often it is looked after.
const LOOK_PERIOD: Duration = Duration::from_millis(20);

/// What this subject comes to.
#[derive(Debug)]
pub(crate) struct Million {
    /// A join and a poll, at a thousand and at a million.
    pub(crate) growths: Vec<Growth>,
    /// Seconds and bytes.
    pub(crate) facts: Vec<(&'static str, String)>,
}

/// So many wait in the queue of `stage`.
struct Queue {
    stage: Stage,
    first: u64,
    waiting: u64,
    /// When all of them were there.
    written: Instant,
}

#[derive(Clone, Copy)]
enum Step {
    Join,
    Poll,
}

impl Bench {
    pub(crate) async fn million(&mut self) -> Result<Million, Failure> {
        let few = self.queue_of(FIRST_OF_FEW, FEW).await?;
        let many = self.queue_of(FIRST_OF_MANY, MANY).await?;
        let logged = self.until_logged(&many).await?;
        let mut growths = Vec::new();
        for (name, step) in [("a join", Step::Join), ("a state poll", Step::Poll)] {
            growths.push(self.growth(name, step, (&few, &many)).await?);
        }
        let mut facts = self.forget(&many).await?;
        facts.push((
            "from the moment 1,000,000 joins were written until the public log had all of them",
            format!("{:.1} s (asked for: at most 60)", logged.as_secs_f64()),
        ));
        many.stage.strike()?;
        few.stage.strike()?;
        Ok(Million { growths, facts })
    }

    /// A queue in which so many wait, counted.
    async fn queue_of(&mut self, first: u64, waiting: u64) -> Result<Queue, Failure> {
        let stage = self.stage(true, 0)?;
        let mut queue = Queue { stage, first, waiting, written: Instant::now() };
        let variables = [
            ("nth", queue.stage.nth.to_string()),
            ("first", first.to_string()),
            ("people", waiting.to_string()),
            ("apart", queue.apart().to_string()),
            ("inside", CAPACITY.to_string()),
        ];
        psql_file("queue.sql", &variables)?;
        queue.written = Instant::now();
        let took = self.until_counted(&queue).await?;
        writeln!(io::stderr(), "{waiting} wait: counted in {:.1} s", took.as_secs_f64())?;
        Ok(queue)
    }

    /// Waits until the last person learns how many are ahead.
    async fn until_counted(&self, queue: &Queue) -> Result<Duration, Failure> {
        let mut server = Connection::open(self.server.address).await?;
        let last = queue.waiting - queue.apart();
        let began = Instant::now();
        while began.elapsed() < COUNTED_MAX {
            let answer =
                server.get(&queue.stage.queue_path(), &session(queue.first + last)).await?;
            let state: serde_json::Value = serde_json::from_str(&answer.body)?;
            if let Some(ahead) = state.get("ahead").and_then(serde_json::Value::as_u64) {
                return match ahead == last {
                    true => Ok(began.elapsed()),
                    false => Err(format!("{last} are ahead, and {ahead} were told").into()),
                };
            }
            tokio::time::sleep(LOOK_PERIOD).await;
        }
        Err("the queue was not counted".into())
    }

    /// Waits until the public log has every account of a queue that was written just now.
    async fn until_logged(&self, queue: &Queue) -> Result<Duration, Failure> {
        let mut server = Connection::open(self.server.address).await?;
        while queue.written.elapsed() < LOGGED_MAX {
            let answer = server.get(&queue.stage.checkpoint_path(), "").await?;
            let size = answer.body.lines().nth(1).and_then(|size| size.parse().ok());
            if size.is_some_and(|size: u64| size >= queue.waiting) {
                return Ok(queue.written.elapsed());
            }
            tokio::time::sleep(LOOK_PERIOD).await;
        }
        Err("the queue was not logged".into())
    }

    async fn growth(
        &self,
        name: &'static str,
        step: Step,
        (few, many): (&Queue, &Queue),
    ) -> Result<Growth, Failure> {
        let (little, much) = ("1,000 waiting", "1,000,000 waiting");
        let mut growth = Growth { name, little, much, target: 1.3, runs: Vec::new() };
        for nth in 0..=self.pace.runs {
            let run = self.costs_us(step, few, many).await?;
            let mark = if nth == 0 { " (warming up)" } else { "" };
            writeln!(io::stderr(), "{name}: {:.0} µs, {:.0} µs{mark}", run.0, run.1)?;
            if nth > 0 {
                growth.runs.push(run);
            }
        }
        Ok(growth)
    }

    /// What one costs in both queues, where one comes after the other: the middle one of many.
    async fn costs_us(&self, step: Step, few: &Queue, many: &Queue) -> Result<(f64, f64), Failure> {
        let mut server = Connection::open(self.server.address).await?;
        match step {
            Step::Join => Ok((join_us(&mut server, few).await?, join_us(&mut server, many).await?)),
            Step::Poll => {
                let (mut in_few, mut in_many) = (Vec::new(), Vec::new());
                // By turns, so that whatever else the machine does meets both.
                for nth in 0..ASKING {
                    in_few.push(poll(&mut server, few, nth).await?);
                    in_many.push(poll(&mut server, many, nth).await?);
                }
                Ok((middle_us(&in_few)?, middle_us(&in_many)?))
            }
        }
    }

    /// Redis forgets everything: how long until the last one knows their place again, and
    /// what the queue took up.
    async fn forget(&self, queue: &Queue) -> Result<Vec<(&'static str, String)>, Failure> {
        let mut redis = redis::Client::open(std::env::var("REDIS_URL")?)?.get_connection()?;
        redis::cmd("FLUSHALL").exec(&mut redis)?;
        let empty_bytes = used_memory(&mut redis)?;
        let took = self.until_counted(queue).await?;
        let each_bytes = (used_memory(&mut redis)? - empty_bytes) / to_f64(queue.waiting)?;
        let server_mib = self.server.memory_mib()?;
        Ok(vec![
            (
                "from the moment Redis lost 1,000,000 places until the last person was told theirs again",
                format!("{:.1} s", took.as_secs_f64()),
            ),
            (
                "memory of Redis for each of 1,000,000 who wait",
                format!("{each_bytes:.0} bytes (asked for: at most 160)"),
            ),
            ("memory of the server with 1,000,000 waiting", format!("{server_mib:.0} MiB")),
        ])
    }
}

impl Queue {
    /// From one who has a session to the next.
    fn apart(&self) -> u64 {
        self.waiting / ASKING
    }
}

/// What one join costs.
async fn join_us(server: &mut Connection, queue: &Queue) -> Result<f64, Failure> {
    let path = queue.stage.queue_path();
    let people = (FIRST_TO_JOIN..).take(usize::try_from(JOINS)?);
    let mut each = Vec::new();
    for person in people.clone() {
        let began = Instant::now();
        let answer = server.post(&path, &session(person), "").await?;
        each.push(began.elapsed());
        expect_status(&answer, 201)?;
    }
    for person in people {
        expect_status(&server.delete(&path, &session(person)).await?, 204)?;
    }
    middle_us(&each)
}

/// Time until the nth person who asks has an answer.
async fn poll(server: &mut Connection, queue: &Queue, nth: u64) -> Result<Duration, Failure> {
    let (path, session) = (queue.stage.queue_path(), session(queue.first + nth * queue.apart()));
    // The first one looks the session up, the second is a poll like most.
    server.get(&path, &session).await?;
    let began = Instant::now();
    let answer = server.get(&path, &session).await?;
    let took = began.elapsed();
    expect_status(&answer, 200)?;
    Ok(took)
}

fn expect_status(answer: &crate::http::Answer, status: u16) -> Result<(), Failure> {
    match answer.status == status {
        true => Ok(()),
        false => Err(format!("{} instead of {status}: {}", answer.status, answer.body).into()),
    }
}

/// What Redis has given out, in bytes.
fn used_memory(redis: &mut redis::Connection) -> Result<f64, Failure> {
    let info: String = redis::cmd("INFO").arg("memory").query(redis)?;
    let used = info.lines().find_map(|line| line.strip_prefix("used_memory:"));
    Ok(used.ok_or("Redis does not tell")?.trim().parse()?)
}

fn to_f64(n: u64) -> Result<f64, Failure> {
    Ok(f64::from(u32::try_from(n)?))
}
