//! Purchases where PostgreSQL and Redis are other machines, which stand half a millisecond to five milliseconds
//! away. `BENCH_OTHER` may name another build of the program: it sells in a database of its own, in turn with
//! this one.

use std::{
    fmt::Write as _,
    io::{self, Write},
    net::{SocketAddr, ToSocketAddrs},
    time::{Duration, Instant},
};

use crate::{
    Bench, CROWD, Failure,
    cost::Fact,
    figure::{Spread, middle_us},
    http::{Connection, expect_ok},
    load::{Errand, drive, field, hold, request_key},
    passes,
    server::{PROGRAM, Server},
    stage::{Plan, Stage, psql, psql_file_in},
    wire::Wire,
};

/// How far away both servers are, one way, with the name of it.
const WAYS: [(Duration, &str); 4] = [
    (Duration::ZERO, "on the same machine"),
    (Duration::from_micros(500), "0.5 ms away"),
    (Duration::from_millis(1), "1 ms away"),
    (Duration::from_millis(5), "5 ms away"),
];
/// Names another build of the program.
const OTHER: &str = "BENCH_OTHER";
/// Purchases by one person after the other in each run.
const ALONE: u64 = 30;
/// Seats for the crowd in each run: more than it can buy.
const SEATS: u64 = 2_000;

/// One build, served behind wires.
struct Office {
    server: Server,
    database: &'static str,
    wires: [Wire; 2],
    n_stages: u64,
}

/// What one run of an office gave.
#[derive(Clone, Copy, Debug)]
struct Sold {
    /// Median of a hold and its payment, in microseconds.
    alone_us: f64,
    /// Purchases of the crowd in a second.
    per_sec: f64,
}

impl Bench {
    /// Purchases at each distance: by one person after the other, and by many at once.
    pub(crate) async fn at_a_distance(&self) -> Result<Vec<Fact>, Failure> {
        let mut this = Office::open("bench_far", PROGRAM).await?;
        let mut other = match std::env::var(OTHER) {
            Ok(program) => Some(Office::open("bench_far_other", &program).await?),
            Err(_) => None,
        };
        let mut facts = Vec::new();
        let mut near: Option<Spread> = None;
        for (one_way, name) in WAYS {
            let (mut own, mut others) = (Vec::new(), Vec::new());
            for nth in 0..=self.pace.runs {
                let sold = this.sell(one_way, self.pace.secs).await?;
                let beside = match &mut other {
                    Some(other) => Some(other.sell(one_way, self.pace.secs).await?),
                    None => None,
                };
                let mark = if nth == 0 { " (warming up)" } else { "" };
                writeln!(io::stderr(), "servers {name}: {sold:?}, the other: {beside:?}{mark}")?;
                // The first run only warms up.
                if nth > 0 {
                    own.push(sold);
                    others.extend(beside);
                }
            }
            let alone = spread(&own, |sold| sold.alone_us / 1_000.0)?;
            let near = *near.get_or_insert(alone);
            facts.push((name, told(&own, &others, alone, near)?));
        }
        this.close()?;
        if let Some(other) = other {
            other.close()?;
        }
        Ok(facts)
    }
}

fn spread(sold: &[Sold], of: fn(&Sold) -> f64) -> Result<Spread, Failure> {
    Spread::of(sold.iter().map(of)).ok_or_else(|| "nothing was sold".into())
}

/// Tells what was sold at one distance, with the ratios to `others` run by run, and how much longer a purchase
/// takes than `near`.
fn told(own: &[Sold], others: &[Sold], alone: Spread, near: Spread) -> Result<String, Failure> {
    let per_sec = spread(own, |sold| sold.per_sec)?;
    let mut text = format!(
        "a hold and its payment {:.1} ms ({:.1} - {:.1}), {:.2} times as long as on one machine; {CROWD} \
         buyers of one performance {:.0} purchases a second ({:.0} - {:.0})",
        alone.median,
        alone.min,
        alone.max,
        alone.median / near.median,
        per_sec.median,
        per_sec.min,
        per_sec.max,
    );
    let both = || own.iter().zip(others);
    let slower = Spread::of(both().map(|(own, other)| own.alone_us / other.alone_us));
    let faster = Spread::of(both().map(|(own, other)| own.per_sec / other.per_sec));
    if let Some((slower, faster)) = slower.zip(faster) {
        write!(
            text,
            "; to the other build {:.2} ({:.2} - {:.2}) of its time and {:.2} times ({:.2} - {:.2}) its purchases",
            slower.median, slower.min, slower.max, faster.median, faster.min, faster.max,
        )?;
    }
    Ok(text)
}

impl Office {
    /// Serves `program` on a new database, behind wires of no length.
    async fn open(database: &'static str, program: &str) -> Result<Self, Failure> {
        psql(&["-c", &format!("drop database if exists {database}")])?;
        psql(&["-c", &format!("create database {database}")])?;
        let mut postgres: url::Url = std::env::var("DATABASE_URL")?.parse()?;
        let mut redis: url::Url = std::env::var("REDIS_URL")?.parse()?;
        let wires = [lay(&mut postgres, 5432)?, lay(&mut redis, 6379)?];
        postgres.set_path(database);
        let settings = [
            ("DATABASE_URL", postgres.as_str()),
            ("REDIS_URL", redis.as_str()),
            ("REDIS_PREFIX", database),
        ];
        // It migrates.
        drop(Server::start_program(program, &settings).await?);
        psql_file_in(database, "people.sql", &[("people", SEATS.to_string())])?;
        let server = Server::start_program(program, &settings).await?;
        Ok(Self { server, database, wires, n_stages: 0 })
    }

    /// Sells seats of two new performances while the servers are `one_way` off: alone, and to a crowd.
    async fn sell(&mut self, one_way: Duration, secs: u64) -> Result<Sold, Failure> {
        let (quiet, crowded) = (self.stage(ALONE).await?, self.stage(SEATS).await?);
        self.set(one_way);
        let alone_us = self.sell_alone(&quiet).await?;
        let (instances, lasts) = ([self.server.address], Duration::from_secs(secs));
        let tally = drive(&instances, &Errand::Purchase(crowded), CROWD, SEATS, lasts).await?;
        self.set(Duration::ZERO);
        match tally.refusal {
            Some(refusal) => Err(refusal.into()),
            None => Ok(Sold { alone_us, per_sec: tally.per_sec() }),
        }
    }

    /// A stage of so many seats, with the passes of the people who may take them.
    async fn stage(&mut self, seats: u64) -> Result<Stage, Failure> {
        self.n_stages += 1;
        let plan = Plan { is_served: true, seats };
        let mut stage = Stage::build_in(Some(self.database), self.n_stages, plan)?;
        stage.passes = passes::fetch(self.server.address, &stage, seats).await?;
        Ok(stage)
    }

    fn set(&self, one_way: Duration) {
        for wire in &self.wires {
            wire.set(one_way);
        }
    }

    async fn sell_alone(&self, stage: &Stage) -> Result<f64, Failure> {
        let mut server = Connection::open(self.server.address).await?;
        let mut each = Vec::new();
        for nth in 1..=ALONE {
            let began = Instant::now();
            let held = hold(&mut server, stage, nth, nth).await?;
            expect_ok(&held)?;
            let id = field(&held.body, "reservation_id").ok_or("a hold has no id")?;
            let path = format!("/reservations/{id}/payment");
            let paid = server.post(&path, &stage.cookies(nth), &request_key()).await?;
            each.push(began.elapsed());
            expect_ok(&paid)?;
        }
        middle_us(&each)
    }

    fn close(self) -> Result<(), Failure> {
        let database = self.database;
        drop(self);
        psql(&["-c", &format!("drop database {database} with (force)")]).map(drop)
    }
}

/// Lays a wire to the server of `url`, and has `url` lead over it.
fn lay(url: &mut url::Url, usual_port: u16) -> Result<Wire, Failure> {
    let host = url.host_str().ok_or("an address has no host")?.to_owned();
    let server = (host.as_str(), url.port().unwrap_or(usual_port)).to_socket_addrs()?.next();
    let wire = Wire::to(server.ok_or("a host has no address")?)?;
    let SocketAddr::V4(here) = wire.address else {
        return Err("a wire is at no address of IPv4".into());
    };
    url.set_host(Some(&here.ip().to_string()))?;
    url.set_port(Some(here.port())).map_err(|()| "an address takes no port")?;
    Ok(wire)
}
