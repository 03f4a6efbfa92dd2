//! A small house beside a huge one: what a map, a hold, a payment, a join and a poll cost in a
//! hall of 300 seats, in an office with nothing else and in one with a performance of 400,000
//! seats, a queue of 1,000,000 people and a wallet of 1,000,000 entries. Two databases of one
//! PostgreSQL, each with a server of its own.

use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

use crate::{
    Bench, Failure,
    figure::middle_us,
    growth::Growth,
    http::{Answer, Connection, expect_ok},
    load::{field, request_key},
    person::session,
    server::Server,
    stage::{CAPACITY, Plan, Stage, psql, psql_file_in},
};

/// People with a session and a wallet in each office.
const PEOPLE: u64 = 2_000;
/// Seats of the hall, each with a person inside who may take it.
const SEATS: u64 = 300;
/// Holds, and payments, in one run: all runs together take fewer seats than there are.
const HOLDS: u64 = 40;
/// Maps, joins and polls in one run.
const ASKED: u64 = 100;
/// People from this number on join the hall's queue and leave it again.
const FIRST_TO_JOIN: u64 = 1_001;
/// People from this number on wait in the hall's queue.
const FIRST_TO_WAIT: u64 = 501;
/// People who wait there, behind the people inside.
const WAITING: u64 = 10;
/// The huge queue: how many wait, and the number of the first of them.
const CROWD: u64 = 1_000_000;
const FIRST_OF_CROWD: u64 = 1_000_001;
/// No queue takes longer to be admitted or counted.
const SETTLED_MAX: Duration = Duration::from_mins(3);
/// Pause between two looks at a queue.
const LOOK_PERIOD: Duration = Duration::from_millis(50);

/// One of the two offices, served.
struct Office {
    name: &'static str,
    server: Server,
    connection: Connection,
    /// The hall, with one person inside for each seat.
    hall: Stage,
    /// The queue of ten.
    queue: Stage,
    /// The last person who held a seat.
    last: u64,
}

/// Medians of one run, in microseconds.
#[derive(Clone, Copy)]
struct Costs {
    map: f64,
    hold: f64,
    pay: f64,
    join: f64,
    poll: f64,
}

impl Bench {
    pub(crate) async fn beside(&self) -> Result<Vec<Growth>, Failure> {
        let mut alone = Office::open("bench_alone", false).await?;
        let mut beside = Office::open("bench_beside", true).await?;
        // The server has closed the first one while the other office was filled.
        alone.connection = Connection::open(alone.server.address).await?;
        let mut runs = Vec::new();
        for nth in 0..=self.pace.runs {
            let run = (alone.run().await?, beside.run().await?);
            let mark = if nth == 0 { " (warming up)" } else { "" };
            writeln!(
                io::stderr(),
                "a hall of {SEATS} alone and beside: hold {:.0} and {:.0} µs{mark}",
                run.0.hold,
                run.1.hold
            )?;
            if nth > 0 {
                runs.push(run);
            }
        }
        alone.close()?;
        beside.close()?;
        let growth = |name, of: fn(&Costs) -> f64| Growth {
            name,
            little: "nothing beside it",
            much: "400,000 seats, 1,000,000 waiting, 1,000,000 entries beside it",
            target: 1.3,
            runs: runs.iter().map(|(alone, beside)| (of(alone), of(beside))).collect(),
        };
        Ok(vec![
            growth("map of a hall of 300 seats", |costs| costs.map),
            growth("hold of a seat in it", |costs| costs.hold),
            growth("payment of that seat", |costs| costs.pay),
            growth("join of a queue of ten", |costs| costs.join),
            growth("state poll in it", |costs| costs.poll),
        ])
    }
}

impl Office {
    async fn open(name: &'static str, has_huge: bool) -> Result<Self, Failure> {
        psql(&["-c", &format!("drop database if exists {name}")])?;
        psql(&["-c", &format!("create database {name}")])?;
        let mut url: url::Url = std::env::var("DATABASE_URL")?.parse()?;
        url.set_path(name);
        let settings = [("DATABASE_URL", url.as_str()), ("REDIS_PREFIX", name)];
        // It migrates.
        drop(Server::start_with(&settings).await?);
        psql_file_in(name, "people.sql", &[("people", PEOPLE.to_string())])?;
        let queue = Stage::build_in(Some(name), 1, Plan { is_served: true, seats: 0 })?;
        let hall = Stage::build_in(Some(name), 2, Plan { is_served: true, seats: SEATS })?;
        if has_huge {
            psql_file_in(name, "huge.sql", &[("people", PEOPLE.to_string())])?;
            let crowd = Stage::build_in(Some(name), 3, Plan { is_served: true, seats: 0 })?;
            let variables = [
                ("nth", crowd.nth.to_string()),
                ("first", FIRST_OF_CROWD.to_string()),
                ("people", CROWD.to_string()),
                ("apart", (CROWD / 1_000).to_string()),
                ("inside", CAPACITY.to_string()),
            ];
            psql_file_in(name, "queue.sql", &variables)?;
        }
        // Begins with what the planner knows now.
        let server = Server::start_with(&settings).await?;
        let connection = Connection::open(server.address).await?;
        let mut office = Self { name, server, connection, hall, queue, last: 0 };
        office.form_line().await?;
        if has_huge {
            office.until_counted(&Stage { nth: 3, ..office.queue.clone() }).await?;
        }
        Ok(office)
    }

    /// As many join as may be inside, and ten more; returns when those wait and know where.
    async fn form_line(&mut self) -> Result<(), Failure> {
        let path = self.queue.queue_path();
        for nth in 0..CAPACITY + WAITING {
            expect_ok(&self.connection.post(&path, &session(FIRST_TO_WAIT + nth), "").await?)?;
        }
        let last = FIRST_TO_WAIT + CAPACITY + WAITING - 1;
        let began = Instant::now();
        while began.elapsed() < SETTLED_MAX {
            let answer = self.connection.get(&path, &session(last)).await?;
            if ahead_of(&answer)? == Some(WAITING - 1) {
                return Ok(());
            }
            tokio::time::sleep(LOOK_PERIOD).await;
        }
        Err("the queue of ten did not form".into())
    }

    /// Waits until a person in the queue of `stage` learns how many are ahead.
    async fn until_counted(&mut self, stage: &Stage) -> Result<(), Failure> {
        let began = Instant::now();
        while began.elapsed() < SETTLED_MAX {
            let path = stage.queue_path();
            let answer = self.connection.get(&path, &session(FIRST_OF_CROWD + CROWD / 2)).await?;
            if ahead_of(&answer)?.is_some() {
                return Ok(());
            }
            tokio::time::sleep(LOOK_PERIOD).await;
        }
        Err("the queue of a million was not counted".into())
    }

    async fn run(&mut self) -> Result<Costs, Failure> {
        let (hold, pay) = self.sell().await?;
        let (map, join, poll) = (self.look().await?, self.join().await?, self.poll().await?);
        Ok(Costs { map, hold, pay, join, poll })
    }

    /// Cookies of the nth person, who is inside the hall: the log-in and the pass.
    async fn inside(&mut self, nth: u64) -> Result<String, Failure> {
        let answer = self.connection.get(&self.hall.queue_path(), &session(nth)).await?;
        let pass = answer.pass.ok_or_else(|| {
            let (name, status, body) = (self.name, answer.status, &answer.body);
            format!("person {nth}, who is inside in {name}, got no pass: {status} {body}")
        })?;
        Ok(format!("{}; entry_pass_{}={pass}", session(nth), self.hall.program_id().simple()))
    }

    /// Cost of a look at the map of the hall, by the next person who will hold a seat there: a
    /// person who has paid is no longer inside.
    async fn look(&mut self) -> Result<f64, Failure> {
        let path = format!("/schedules/{}", self.hall.schedule_id());
        let person = self.inside(self.last + 1).await?;
        let mut each = Vec::new();
        for _ in 0..ASKED {
            let began = Instant::now();
            let answer = self.connection.get(&path, &person).await?;
            each.push(began.elapsed());
            expect_ok(&answer)?;
        }
        middle_us(&each)
    }

    /// Costs of a hold and of its payment, each of another seat by another person.
    async fn sell(&mut self) -> Result<(f64, f64), Failure> {
        let (mut holds, mut payments) = (Vec::new(), Vec::new());
        for _ in 0..HOLDS {
            self.last += 1;
            let person = self.inside(self.last).await?;
            let path = format!("/schedules/{}/reservations", self.hall.schedule_id());
            let seat = self.hall.first_seat + self.last - 1;
            let form = format!("seat_ids={seat}&{}", request_key());
            let began = Instant::now();
            let held = self.connection.post(&path, &person, &form).await?;
            holds.push(began.elapsed());
            expect_ok(&held)?;
            let id = field(&held.body, "reservation_id").ok_or("a hold has no id")?;
            let path = format!("/reservations/{id}/payment");
            let began = Instant::now();
            let paid = self.connection.post(&path, &person, &request_key()).await?;
            payments.push(began.elapsed());
            expect_ok(&paid)?;
        }
        Ok((middle_us(&holds)?, middle_us(&payments)?))
    }

    /// Cost of a join of the queue of ten; the person who joined leaves again.
    async fn join(&mut self) -> Result<f64, Failure> {
        let path = self.queue.queue_path();
        let mut each = Vec::new();
        for nth in 0..ASKED {
            let began = Instant::now();
            let answer = self.connection.post(&path, &session(FIRST_TO_JOIN + nth), "").await?;
            each.push(began.elapsed());
            expect_ok(&answer)?;
        }
        for nth in 0..ASKED {
            expect_ok(&self.connection.delete(&path, &session(FIRST_TO_JOIN + nth)).await?)?;
        }
        middle_us(&each)
    }

    /// Cost of a poll by one of the ten.
    async fn poll(&mut self) -> Result<f64, Failure> {
        let path = self.queue.queue_path();
        let mut each = Vec::new();
        for nth in 0..ASKED {
            let person = session(FIRST_TO_WAIT + CAPACITY + nth % WAITING);
            let began = Instant::now();
            let answer = self.connection.get(&path, &person).await?;
            each.push(began.elapsed());
            expect_ok(&answer)?;
        }
        middle_us(&each)
    }

    fn close(self) -> Result<(), Failure> {
        let name = self.name;
        drop(self);
        psql(&["-c", &format!("drop database {name} with (force)")]).map(drop)
    }
}

fn ahead_of(answer: &Answer) -> Result<Option<u64>, Failure> {
    let state: serde_json::Value = serde_json::from_str(&answer.body)?;
    Ok(state.get("ahead").and_then(serde_json::Value::as_u64))
}
