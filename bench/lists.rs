//! Lists of many things: rankings of 10,000 programs, and the page of a program with 100 performances.

use std::time::{Duration, Instant};

use redis::cmd;
use stagedoor::infra::redis::Redis;
use uuid::Uuid;

use crate::{
    Bench, Failure,
    cost::Fact,
    even::{latencies, ms_at, record},
    figure::Spread,
    http::{Connection, expect_ok},
    load::Errand,
    person::session,
    server::Server,
    stage::{psql, psql_file_in},
};

const DATABASE: &str = "bench_lists";
/// People of its own: one administrator.
const PEOPLE: u64 = 100;
/// Pages of a ranking that are asked for: each another one.
const PAGES: u32 = 100;
/// Longer than the page of a program is remembered.
const FORGOTTEN_AFTER: Duration = Duration::from_millis(1_100);
/// No ranking takes longer to be whole, or to show a purchase.
const SHOWN_MAX: Duration = Duration::from_mins(3);
/// Pause between two looks.
const LOOK_PERIOD: Duration = Duration::from_millis(20);
/// What is asked of a ranking, in milliseconds, and of its age, in seconds.
const RANK_MAX_MS: f64 = 20.0;
const AGE_MAX_SECS: f64 = 5.0;

impl Bench {
    /// All of this.
    pub(crate) async fn lists(&mut self) -> Result<Vec<Fact>, Failure> {
        let mut facts = vec![self.age_of_rankings().await?];
        psql(&["-c", &format!("drop database if exists {DATABASE} with (force)")])?;
        psql(&["-c", &format!("create database {DATABASE}")])?;
        let mut url: url::Url = std::env::var("DATABASE_URL")?.parse()?;
        url.set_path(DATABASE);
        // Nothing that an earlier bench left in Redis is of this database.
        let prefix = format!("{DATABASE}-{}", Uuid::now_v7());
        let settings = [("DATABASE_URL", url.as_str()), ("REDIS_PREFIX", &prefix)];
        // It migrates.
        drop(Server::start_with(&settings).await?);
        psql_file_in(DATABASE, "people.sql", &[("people", PEOPLE.to_string())])?;
        psql_file_in(DATABASE, "lists.sql", &[])?;
        let server = Server::start_with(&settings).await?;
        facts.extend(rankings(&server, &prefix).await?);
        facts.push(dates(&server, self.pace.runs).await?);
        drop(server);
        psql(&["-c", &format!("drop database {DATABASE} with (force)")])?;
        Ok(facts)
    }

    /// How long after a payment the ranking of its day shows it.
    async fn age_of_rankings(&mut self) -> Result<Fact, Failure> {
        let mut ages = Vec::new();
        for _ in 0..self.pace.runs {
            let stage = self.stage_with_passes(1).await?;
            let mut connection = Connection::open(self.server.address).await?;
            let path = format!("/programs/bench-{}", stage.nth);
            if rank_today(&mut connection, &path).await?.is_some() {
                return Err("Redis has rankings of an earlier bench".into());
            }
            let purchase = Errand::Purchase(stage.clone());
            expect_ok(&purchase.run(&mut connection, 1, 1).await?)?;
            let began = Instant::now();
            while rank_today(&mut connection, &path).await?.is_none() {
                if began.elapsed() > SHOWN_MAX {
                    return Err("a purchase was not ranked".into());
                }
                tokio::time::sleep(LOOK_PERIOD).await;
            }
            ages.push(began.elapsed().as_secs_f64());
            stage.strike()?;
        }
        let age = Spread::of(ages.into_iter()).ok_or("no purchase was ranked")?;
        let word = if age.max <= AGE_MAX_SECS { "met" } else { "**missed**" };
        let told = format!(
            "{:.1} s ({:.1} - {:.1}); asked for: <= {AGE_MAX_SECS} s, {word}",
            age.median, age.min, age.max
        );
        Ok(("a purchase is in the ranking of its day on the program's page", told))
    }
}

async fn rank_today(connection: &mut Connection, path: &str) -> Result<Option<i64>, Failure> {
    let answer = connection.get(path, "").await?;
    expect_ok(&answer)?;
    let program: serde_json::Value = serde_json::from_str(&answer.body)?;
    Ok(program.pointer("/popularity/today").and_then(serde_json::Value::as_i64))
}

/// Key whose presence says that the rankings in Redis are whole.
const WHOLE_KEY: &str = "{popular}:whole";

/// What rankings cost: from Redis, and right after Redis has lost everything.
async fn rankings(server: &Server, prefix: &str) -> Result<Vec<Fact>, Failure> {
    let redis = Redis::open(&std::env::var("REDIS_URL")?, prefix)?;
    let rebuilt_in = until_whole(&redis).await?.as_secs_f64();
    let mut connection = Connection::open(server.address).await?;
    let pages = |over: &'static str| {
        (1..=PAGES).map(move |page| format!("/popular?over={over}&n=100&page={page}"))
    };
    let one = (1..=PAGES).map(|nth| {
        format!("/admin/popularity?of=performances&by=revenue&over=week&slug=bench-{}", nth * 97)
    });
    let day = ask(&mut connection, pages("day")).await?;
    let week = ask(&mut connection, pages("week")).await?;
    let one = ask(&mut connection, one).await?;
    let mut lost = Vec::new();
    for path in pages("week").take(5) {
        redis.query::<i64>(cmd("DEL").arg(redis.key(WHOLE_KEY))).await?;
        lost.push(ask(&mut connection, std::iter::once(path)).await?.1);
    }
    let lost = Spread::of(lost.into_iter()).ok_or("no ranking was asked for")?;
    let told = |(middle, slowest): (f64, f64)| {
        let word = if slowest < RANK_MAX_MS { "met" } else { "**missed**" };
        format!(
            "the middle one {middle:.1} ms, of a hundred the slowest {slowest:.1} ms; asked for: < {RANK_MAX_MS} ms, {word}"
        )
    };
    Ok(vec![
        ("a page of 100 of the ranking of a day, of 10,000 programs", told(day)),
        ("a page of 100 of the ranking of seven days, of 10,000 programs", told(week)),
        (
            "the rank of one by revenue of seven days, with the first 20 of 10,000 performances",
            told(one),
        ),
        (
            "the rankings in Redis made from nothing, of 300,000 daily sales",
            format!("{rebuilt_in:.1} s"),
        ),
        (
            "a page of the ranking of seven days, by PostgreSQL, while Redis has nothing of it",
            format!("{:.1} ms ({:.1} - {:.1})", lost.median, lost.min, lost.max),
        ),
    ])
}

/// Asks for each of `paths` as the administrator. Returns the middle and the 99th of a hundred, in
/// milliseconds.
async fn ask(
    connection: &mut Connection,
    paths: impl Iterator<Item = String>,
) -> Result<(f64, f64), Failure> {
    let mut took = latencies()?;
    for path in paths {
        let began = Instant::now();
        let answer = connection.get(&path, &session(1)).await?;
        record(&mut took, began.elapsed());
        expect_ok(&answer)?;
    }
    Ok((ms_at(&took, 0.5), ms_at(&took, 0.99)))
}

/// Waits until the rankings in Redis are whole. Returns how long that took.
async fn until_whole(redis: &Redis) -> Result<Duration, Failure> {
    let began = Instant::now();
    while !redis.query::<bool>(cmd("EXISTS").arg(redis.key(WHOLE_KEY))).await? {
        if began.elapsed() > SHOWN_MAX {
            return Err("the rankings were not made".into());
        }
        tokio::time::sleep(LOOK_PERIOD).await;
    }
    Ok(began.elapsed())
}

/// What the page of a program with 100 performances of 2,000 seats costs where nothing of it is remembered:
/// with all seats free, without the index of what is free, and with a tenth just held.
async fn dates(server: &Server, runs: usize) -> Result<Fact, Failure> {
    let free = look_at_dates(server, runs).await?;
    let definition = "select pg_get_indexdef('schedule_seats_available'::regclass)";
    let definition = psql(&["-d", DATABASE, "-c", definition])?;
    psql(&["-d", DATABASE, "-c", "drop index schedule_seats_available"])?;
    let without = look_at_dates(server, runs).await?;
    psql(&["-d", DATABASE, "-c", definition.trim(), "-c", "vacuum analyze schedule_seats"])?;
    let update =
        "update schedule_seats set status = 'HELD', version = version + 1 where id % 10 = 3";
    psql(&["-d", DATABASE, "-c", update])?;
    let held = look_at_dates(server, runs).await?;
    let told =
        |spread: Spread| format!("{:.1} ms ({:.1} - {:.1})", spread.median, spread.min, spread.max);
    Ok((
        "the page of a program with 100 performances of 2,000 seats, nothing of it remembered",
        format!(
            "{}; {} without the index of free seats; {} with it while a tenth of all seats was just held. A concert \
             reservation server reported 586 ms without an index and 21 ms with one",
            told(free),
            told(without),
            told(held),
        ),
    ))
}

async fn look_at_dates(server: &Server, runs: usize) -> Result<Spread, Failure> {
    let mut each = Vec::new();
    for nth in 0..=runs {
        tokio::time::sleep(FORGOTTEN_AFTER).await;
        // One that was kept open all the while is closed by the server.
        let mut connection = Connection::open(server.address).await?;
        let began = Instant::now();
        let answer = connection.get("/programs/bench-dates", "").await?;
        let took = began.elapsed().as_secs_f64() * 1e3;
        expect_ok(&answer)?;
        if nth > 0 {
            each.push(took);
        }
    }
    Ok(Spread::of(each.into_iter()).ok_or("nobody looked")?)
}
