//! The seat map and a hold in a database with much of everything, beside one with a
//! hundredth of it: two databases of one PostgreSQL, each with a server of its own.

use std::{str::FromStr, time::Instant};

use sqlx::postgres::PgConnectOptions;
use stagedoor::{
    demo::{Size, load_large},
    infra::postgres::Pool,
};

use crate::{
    Bench, Failure,
    growth::Growth,
    http::{Connection, expect_ok},
    load::request_key,
    person::session,
    server::Server,
    stage::{psql, psql_file_in},
};

/// Holds in one run: all runs together take fewer seats than are free.
const HOLDS: u32 = 100;
/// Looks at the map in one run.
const LOOKS: u32 = 100;

/// One of the two, served.
struct Office {
    name: &'static str,
    server: Server,
    connection: Connection,
    schedule: String,
    free: std::vec::IntoIter<String>,
    /// The last person who held something.
    last: u64,
}

impl Bench {
    pub(crate) async fn large_offices(&self) -> Result<Vec<Growth>, Failure> {
        let mut small = Office::open("bench_hundredth", Size::HUNDREDTH).await?;
        let mut large = Office::open("bench_large", Size::LARGE).await?;
        // The server has closed the first one while the other office was filled.
        small.connection = Connection::open(small.server.address).await?;
        let (mut maps, mut holds) = (Vec::new(), Vec::new());
        for nth in 0..=self.pace.runs {
            let map = (small.look().await?, large.look().await?);
            let hold = (small.hold().await?, large.hold().await?);
            if nth > 0 {
                maps.push(map);
                holds.push(hold);
            }
        }
        small.close()?;
        large.close()?;
        let growth = |name, runs| Growth {
            name,
            little: "20,000 seats on sale, 4,000 reservations, 2,000 accounts",
            much: "2,000,000 seats on sale, 400,000 reservations, 200,000 accounts",
            target: 1.3,
            runs,
        };
        Ok(vec![growth("seat map of 1,000 seats", maps), growth("hold of one seat", holds)])
    }
}

impl Office {
    async fn open(name: &'static str, size: Size) -> Result<Self, Failure> {
        psql(&["-c", &format!("drop database if exists {name}")])?;
        psql(&["-c", &format!("create database {name}")])?;
        let mut url: url::Url = std::env::var("DATABASE_URL")?.parse()?;
        url.set_path(name);
        let settings = [("DATABASE_URL", url.as_str()), ("REDIS_PREFIX", name)];
        // It migrates.
        let server = Server::start_with(&settings).await?;
        let db = Pool::new(PgConnectOptions::from_str(url.as_str())?, 1)?;
        if !load_large(&db, size, |_| ()).await? {
            return Err("the new database is not empty".into());
        }
        let said = psql_file_in(name, "visitors.sql", &[])?;
        let mut lines: Vec<String> = said.lines().map(str::to_owned).collect();
        let schedule = lines.drain(..1).next().ok_or("there is no performance")?;
        let connection = Connection::open(server.address).await?;
        let free = lines.into_iter();
        Ok(Self { name, server, connection, schedule, free, last: 0 })
    }

    /// What one look at the map costs, in microseconds.
    async fn look(&mut self) -> Result<f64, Failure> {
        let path = format!("/schedules/{}", self.schedule);
        let began = Instant::now();
        for _ in 0..LOOKS {
            expect_ok(&self.connection.get(&path, &session(1)).await?)?;
        }
        Ok(began.elapsed().as_secs_f64() * 1e6 / f64::from(LOOKS))
    }

    /// What one hold costs, in microseconds: each of another seat by another person.
    async fn hold(&mut self) -> Result<f64, Failure> {
        let path = format!("/schedules/{}/reservations", self.schedule);
        let began = Instant::now();
        for _ in 0..HOLDS {
            let seat = self.free.next().ok_or("no seat is left")?;
            self.last += 1;
            let form = format!("seat_ids={seat}&{}", request_key());
            expect_ok(&self.connection.post(&path, &session(self.last), &form).await?)?;
        }
        Ok(began.elapsed().as_secs_f64() * 1e6 / f64::from(HOLDS))
    }

    fn close(self) -> Result<(), Failure> {
        let name = self.name;
        drop(self);
        psql(&["-c", &format!("drop database {name} with (force)")]).map(drop)
    }
}
