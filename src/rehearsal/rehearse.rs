//! A rehearsal: N people at an on-sale of their own, over HTTP, and what it was like.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use sqlx::PgPool;
use tokio::{
    task::JoinSet,
    time::{Instant, sleep_until},
};
use url::{Host, Url};

use super::{
    browser::{Browser, Event, History, Step, client},
    cast::{Cast, Plan},
    checker,
    error::RehearsalError,
    report::Report,
    verify::verify,
    visit::{Habit, Visit},
};
use crate::infra::redis::Redis;

/// More people than this are no rehearsal any more.
const PEOPLE_MAX: usize = 20_000;
/// A rehearsal ends after this, whatever people still want.
const LASTS_MAX: Duration = Duration::from_mins(10);
/// People who do not come at a rate all come within so many seconds.
const ARRIVAL_SECS: f64 = 2.0;
/// How often somebody who watches is told.
const TOLD_EVERY: Duration = Duration::from_millis(500);

/// What to rehearse.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// The deployment; it must be on this machine.
    pub target: Url,
    /// How many people come.
    pub people: usize,
    /// Arrivals a second that wait for nobody; none: everybody at once.
    pub open_loop: Option<f64>,
    /// Where every request and its end is kept, as JSON lines.
    pub history: Option<PathBuf>,
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Of so many.
    pub people: usize,
    /// Who stands in line or is through it.
    pub joined: usize,
    /// Who holds or held something.
    pub held: usize,
    /// Who paid.
    pub paid: usize,
    /// Who went home.
    pub gone: usize,
}

impl Rehearsal {
    /// Plays it until everybody went home, `stop` is ready or the time is over; then checks
    /// everything and removes what it made.
    pub async fn play(
        &self,
        db: &PgPool,
        redis: &Redis,
        stop: impl Future<Output = ()>,
        tell: impl FnMut(Progress),
    ) -> Result<Report, RehearsalError> {
        self.check()?;
        self.expect_served().await?;
        let cast = Cast::assemble(db, &self.plan()).await?;
        let played = self.play_with(&cast, stop, tell).await;
        let violations = verify(db, redis).await;
        cast.dismiss(redis).await?;
        let events = played?;
        self.keep(&events)?;
        Ok(Report::of(self.people, &events, checker::check(&events), &violations?))
    }

    fn check(&self) -> Result<(), RehearsalError> {
        let is_here = match self.target.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => false,
        };
        if !is_here {
            return Err(RehearsalError::Elsewhere(self.target.clone()));
        }
        if !(1..=PEOPLE_MAX).contains(&self.people) {
            return Err(RehearsalError::TooMany { people_max: PEOPLE_MAX });
        }
        if self.open_loop.is_some_and(|rate| !rate.is_finite() || rate <= 0.0) {
            return Err(RehearsalError::NoRate);
        }
        Ok(())
    }

    /// Fewer seats than people, so that some are too late.
    fn plan(&self) -> Plan {
        let people = i32::try_from(self.people).unwrap_or(i32::MAX);
        Plan {
            people: self.people,
            seats: (people / 2).max(1),
            places: (people / 4).max(2),
            queue_capacity: Some((people / 5).max(20)),
        }
    }

    async fn expect_served(&self) -> Result<(), RehearsalError> {
        let health = format!("{}healthz", self.target);
        let answer = client()?.get(health).send().await;
        match answer {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => Err(RehearsalError::NotServing(answer.status().to_string())),
            Err(error) => Err(RehearsalError::NotServing(error.without_url().to_string())),
        }
    }

    async fn play_with(
        &self,
        cast: &Cast,
        stop: impl Future<Output = ()>,
        mut tell: impl FnMut(Progress),
    ) -> Result<Vec<Event>, RehearsalError> {
        let history = History::begin();
        let mut visits = self.send_in(cast, &history)?;
        let mut timer = tokio::time::interval(TOLD_EVERY);
        tokio::pin!(stop);
        let mut gone = 0;
        loop {
            tokio::select! {
                visit = visits.join_next() => match visit {
                    Some(_) => gone += 1,
                    None => break,
                },
                () = &mut stop => break,
                _ = timer.tick() => tell(Progress {
                    people: self.people,
                    joined: history.count_ok(Step::Join),
                    held: history.count_ok(Step::Hold),
                    paid: history.count_ok(Step::Pay),
                    gone,
                }),
            }
        }
        visits.shutdown().await;
        Ok(history.events())
    }

    fn send_in(&self, cast: &Cast, history: &History) -> Result<JoinSet<()>, RehearsalError> {
        let client = client()?;
        let (began, began_us) = (Instant::now(), history.now_us());
        let until = began + LASTS_MAX;
        let target: Arc<str> = self.target.as_str().trim_end_matches('/').into();
        let stage = Arc::new(cast.stage.clone());
        let pause_secs = match self.open_loop {
            Some(rate) => 1.0 / rate,
            None => ARRIVAL_SECS / f64::from(u32::try_from(self.people).unwrap_or(u32::MAX)),
        };
        let mut arrives = Duration::ZERO;
        let mut visits = JoinSet::new();
        for (idx, actor) in cast.actors.iter().enumerate() {
            let visit = Visit {
                browser: Browser {
                    actor: actor.clone(),
                    client: client.clone(),
                    target: Arc::clone(&target),
                    history: history.clone(),
                },
                stage: Arc::clone(&stage),
                habit: Habit::of(idx),
                until,
            };
            let at = arrives;
            visits.spawn(async move {
                sleep_until(began + at).await;
                let at_us = u64::try_from(at.as_micros()).unwrap_or(u64::MAX);
                visit.play(Some(began_us.saturating_add(at_us))).await;
            });
            arrives += Duration::from_secs_f64(pause_secs);
        }
        Ok(visits)
    }

    fn keep(&self, events: &[Event]) -> Result<(), RehearsalError> {
        let Some(path) = &self.history else { return Ok(()) };
        write_lines(path, events)
            .map_err(|cause| RehearsalError::History { path: path.clone(), cause })
    }
}

fn write_lines(path: &Path, events: &[Event]) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for event in events {
        serde_json::to_writer(&mut file, event)?;
        file.write_all(b"\n")?;
    }
    file.flush()
}
