//! A rehearsal from start to report: N shoppers at an on-sale of their own, over HTTP.

use std::{path::PathBuf, sync::Arc, time::Duration};

use reqwest::Client;
use tokio::{
    task::JoinSet,
    time::{Instant, sleep_until},
};
use url::{Host, Url};

use super::{
    browser::{Browser, client},
    checker,
    choosing::Choosing,
    error::RehearsalError,
    final_check,
    fixtures::{
        PEOPLE_MAX,
        model::{Plan, ShopperAccount, Stage},
        store,
    },
    history::History,
    output::Outputs,
    progress::{Counter, Progress},
    provisioning::{HttpAccess, Provisioner},
    report::{Circumstances, Ended, Report},
    shopper::{Habit, ShopperRun},
};
use crate::{
    infra::{postgres::Pool, redis::Redis},
    verify::{VerifyError, Violation, verify},
};

/// Upper bound of a rehearsal's duration.
const LASTS_MAX: Duration = Duration::from_mins(30);
/// Upper bound of the arrival rate, in shoppers a second.
const RATE_MAX: f64 = 2_000.0;
/// Time within which all shoppers arrive if no rate is given, in seconds.
const ARRIVAL_SECS: f64 = 2.0;
/// Period of progress reports.
const REPORT_PERIOD: Duration = Duration::from_millis(250);

/// Parameters of a rehearsal.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// Address of the deployment; without a token it must be on this machine.
    pub target: Url,
    /// Number of shoppers.
    pub people: usize,
    /// Arrivals a second, independent of answers; `None`: all shoppers within `ARRIVAL_SECS`.
    pub open_loop: Option<f64>,
    /// Time that shoppers take to choose; `None`: none.
    pub choosing: Option<Choosing>,
    /// File for every request with its outcome, as JSON lines.
    pub history: Option<PathBuf>,
    /// File for the report as a page.
    pub html: Option<PathBuf>,
}

/// Access to the deployment: a token, its stores, or both.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// The deployment's rehearsal token.
    pub token: Option<&'a str>,
    /// The deployment's database and Redis, to be verified; without a token the stage is made there
    /// too.
    pub stores: Option<(&'a Pool, &'a Redis)>,
}

/// Result of a rehearsal.
#[derive(Debug)]
pub struct RehearsalResult {
    /// The report.
    pub report: Report,
    /// Errors of cleaning up and of writing files; the report is valid without them.
    pub errors: Vec<RehearsalError>,
}

impl Rehearsal {
    /// Runs the rehearsal until all shoppers have finished, `stop` is ready or the time is over;
    /// then checks everything and removes the stage, also after an error.
    pub async fn run(
        &self,
        access: Access<'_>,
        stop: impl Future<Output = ()>,
        report: impl FnMut(Progress),
    ) -> Result<RehearsalResult, RehearsalError> {
        self.check(access)?;
        let client = client(&self.target)
            .map_err(|error| RehearsalError::NoHttpClient(root_cause(&error)))?;
        self.expect_served(&client).await?;
        let mut outputs = Outputs::open(self.history.as_deref(), self.html.as_deref())?;
        let provisioner = self.provisioner(&client, access)?;
        tokio::pin!(stop);

        let stage = provisioner.set_up(self.people).await?;
        let history = History::begin();
        let outcome = tokio::select! {
            outcome = self.run_shoppers(&stage, &provisioner, &client, &history, report) => outcome,
            () = &mut stop => Ok(Ended::Interrupted),
        };
        let violations = match &outcome {
            Ok(_) => self.verify_stores(access, &stage).await,
            Err(_) => Err("no shopper ran".to_owned()),
        };
        let removed = provisioner.take_down(&stage).await;
        let ended = outcome?;

        let events = history.events();
        let about = Circumstances {
            target: self.target.to_string(),
            people: self.people,
            open_loop: self.open_loop,
            ended,
            violations,
        };
        let report = Report::of(&events, checker::check(&events, Plan::POINTS), about);
        let mut errors: Vec<RehearsalError> = removed.err().into_iter().collect();
        errors.extend(outputs.write(&events, &report));
        Ok(RehearsalResult { report, errors })
    }

    fn check(&self, access: Access<'_>) -> Result<(), RehearsalError> {
        if !matches!(self.target.scheme(), "http" | "https") {
            return Err(RehearsalError::NoHttp(self.target.clone()));
        }
        let is_here = match self.target.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => false,
        };
        if !is_here && access.token.is_none() {
            return Err(RehearsalError::Elsewhere(self.target.clone()));
        }
        if !(1..=PEOPLE_MAX).contains(&self.people) {
            return Err(RehearsalError::TooMany(PEOPLE_MAX));
        }
        if self.open_loop.is_some_and(|rate| !(rate > 0.0 && rate <= RATE_MAX)) {
            return Err(RehearsalError::NoRate(RATE_MAX));
        }
        Ok(())
    }

    async fn expect_served(&self, client: &Client) -> Result<(), RehearsalError> {
        let ready = format!("{}/readyz", self.target.as_str().trim_end_matches('/'));
        match client.get(ready).send().await {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => {
                let status = answer.status();
                let why = answer.text().await.unwrap_or_default();
                Err(RehearsalError::NotServing(format!("{status} {}", why.trim())))
            }
            Err(error) => Err(RehearsalError::NotServing(root_cause(&error.without_url()))),
        }
    }

    fn provisioner<'a>(
        &'a self,
        client: &Client,
        access: Access<'a>,
    ) -> Result<Provisioner<'a>, RehearsalError> {
        match (access.token, access.stores) {
            (Some(token), _) => Ok(Provisioner::Http(HttpAccess {
                client: client.clone(),
                target: &self.target,
                token,
            })),
            (None, Some((db, redis))) => Ok(Provisioner::Database { db, redis }),
            (None, None) => Err(RehearsalError::NoAccess),
        }
    }

    /// Runs all shoppers, then the final reads.
    async fn run_shoppers(
        &self,
        stage: &Stage,
        provisioner: &Provisioner<'_>,
        client: &Client,
        history: &History,
        mut report: impl FnMut(Progress),
    ) -> Result<Ended, RehearsalError> {
        let accounts = provisioner.add_people(stage, self.people).await?;
        let browsers = self.browsers(&accounts, client, history);
        let mut runs = self.send_in(stage, &browsers);
        let mut timer = tokio::time::interval(REPORT_PERIOD);
        let mut counter = Counter::default();
        let until = Instant::now() + LASTS_MAX;
        let mut finished = 0;
        let ended = loop {
            tokio::select! {
                run = runs.join_next() => match run {
                    Some(_) => finished += 1,
                    None => break Ended::AllFinished,
                },
                () = sleep_until(until) => break Ended::TimeOver,
                _ = timer.tick() => {
                    report(counter.count(history, self.people, finished));
                    if history.is_full() {
                        break Ended::HistoryFull;
                    }
                }
            }
        };
        runs.shutdown().await;
        report(counter.count(history, self.people, finished));
        final_check::ask_everybody(&browsers, history).await;
        Ok(ended)
    }

    fn browsers(
        &self,
        accounts: &[ShopperAccount],
        client: &Client,
        history: &History,
    ) -> Vec<Browser> {
        let target: Arc<str> = self.target.as_str().trim_end_matches('/').into();
        let browser = |account: &ShopperAccount| Browser {
            account: account.clone(),
            client: client.clone(),
            target: Arc::clone(&target),
            history: history.clone(),
            is_second: false,
        };
        accounts.iter().map(browser).collect()
    }

    fn send_in(&self, stage: &Stage, browsers: &[Browser]) -> JoinSet<()> {
        let began = Instant::now();
        let stage = Arc::new(stage.clone());
        let pause_secs = match self.open_loop {
            Some(rate) => 1.0 / rate,
            None => ARRIVAL_SECS / f64::from(u32::try_from(self.people).unwrap_or(u32::MAX)),
        };
        let mut arrives = Duration::ZERO;
        let mut runs = JoinSet::new();
        for (idx, browser) in browsers.iter().enumerate() {
            let (history, began_us) = (browser.history.clone(), browser.history.now_us());
            let run = ShopperRun {
                browser: browser.clone(),
                stage: Arc::clone(&stage),
                habit: Habit::of(idx),
                choosing: self.choosing,
                began,
                until: began + LASTS_MAX,
            };
            let at = arrives;
            runs.spawn(async move {
                sleep_until(began + at).await;
                let at_us = u64::try_from(at.as_micros()).unwrap_or(u64::MAX);
                run.run(began_us.saturating_add(at_us).min(history.now_us())).await;
            });
            arrives += Duration::from_secs_f64(pause_secs);
        }
        runs
    }

    /// Verifies the deployment's stores; `Err` says why that was not possible.
    async fn verify_stores(
        &self,
        access: Access<'_>,
        stage: &Stage,
    ) -> Result<Vec<Violation>, String> {
        let Some((db, redis)) = access.stores else {
            return Err("DATABASE_URL and REDIS_URL are not set.".to_owned());
        };
        match store::has_program(db, stage.program_id).await {
            Ok(true) => verify(db, redis).await.map_err(|error| error.to_string()),
            Ok(false) => Err("DATABASE_URL is not the database of the deployment.".to_owned()),
            Err(error) => Err(VerifyError::from(error).to_string()),
        }
    }
}

/// Returns the innermost cause, which is the one a person can act on.
fn root_cause(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| (*cause).source());
    causes.last().map_or_else(|| error.to_string(), ToString::to_string)
}
