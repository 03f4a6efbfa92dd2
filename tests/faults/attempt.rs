//! One try of one fault: a sale, the fault in the middle of it, and what must be true afterwards.

use std::{
    collections::BTreeSet,
    future::pending,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde::Deserialize;
use stagedoor::{
    infra::{postgres::Pool, redis::Redis},
    rehearsal::{Access, Rehearsal, RehearsalResult},
    verify::{Violation, verify},
};
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};
use url::Url;

use crate::{
    Failure,
    fault::Fault,
    outcome::Outcome,
    template::Template,
    world::{TOKEN, World},
};

/// People of the sale.
const PEOPLE: usize = 120;
/// Their arrivals a second: the last ones come after most faults.
const RATE: f64 = 12.0;
/// Upper bound of a sale with its checks.
const SALE_MAX: Duration = Duration::from_mins(5);
/// Longest time from the end of a fault to the next purchase of a new person.
pub(crate) const RECOVERY_MAX: Duration = Duration::from_secs(10);
/// Longest wait for that purchase, which tells a late one from none.
pub(crate) const RECOVERY_WAIT_MAX: Duration = Duration::from_mins(1);
const BETWEEN_TRIES: Duration = Duration::from_millis(200);

/// The parts of a rehearsal's report that are looked at.
#[derive(Debug, Deserialize)]
struct Report {
    broken: Vec<String>,
    /// `None` where a server was away when the sale ended: all is verified once it is back.
    violations: Option<Vec<String>>,
    unseen: usize,
    seats_sold: usize,
    steps: Vec<Step>,
    refusals: Vec<Refusal>,
}

#[derive(Debug, Deserialize)]
struct Step {
    requests: usize,
}

#[derive(Debug, Deserialize)]
struct Refusal {
    step: String,
    code: String,
    count: usize,
    is_expected: bool,
    is_unknown: bool,
}

/// Tries a fault in a world of its own; `None` where this machine lacks what it needs. What was said
/// during a try with violations is kept in `kept`.
pub(crate) async fn attempt(
    template: &Template,
    fault: &Fault,
    seed: u64,
    recovery_max: Duration,
    kept: &Path,
) -> Result<Option<Outcome>, Failure> {
    let Some(mut world) = World::open(template, fault.shape).await? else { return Ok(None) };
    let mut rng = StdRng::seed_from_u64(seed);
    let place = kept.join(format!("{}-{seed}", fault.name));
    std::fs::create_dir_all(&place)?;
    let outcome = timeout(SALE_MAX, sell(&mut world, fault, &mut rng, &place)).await;
    let mut outcome = outcome.unwrap_or_else(|_| Err("the sale does not end".into()));
    if let Ok(outcome) = &mut outcome
        && outcome.recovered_in.is_none_or(|took| took > recovery_max)
    {
        let took = outcome.recovered_in;
        outcome.violations.push(format!("somebody new bought a ticket after {took:?}"));
    }
    if outcome.as_ref().is_ok_and(|outcome| outcome.violations.is_empty()) {
        std::fs::remove_dir_all(&place)?;
    } else {
        world.keep_logs(&place)?;
    }
    outcome.map(Some)
}

async fn sell(
    world: &mut World,
    fault: &Fault,
    rng: &mut StdRng,
    place: &Path,
) -> Result<Outcome, Failure> {
    let (db, redis) = world.stores()?;
    let address = world.address()?;
    let history = Some(place.join("history.jsonl"));
    let sale = rehearsal(&address, PEOPLE, Some(RATE), history);
    let access = Access { token: Some(TOKEN), stores: Some((&db, &redis)) };
    let (joined, mut joining) = watch::channel(0);
    let begins_with = rng.random_range(PEOPLE / 10..PEOPLE / 2);
    let faulty = async {
        // An error says that the sale has ended, which the sale tells itself.
        let _ = joining.wait_for(|joined| *joined >= begins_with).await;
        (fault.run)(world, rng).await?;
        let healed = Instant::now();
        Ok::<_, Failure>(next_purchase(&address).await.map(|at| at - healed))
    };
    let (result, recovered_in) = tokio::join!(
        sale.run(access, pending(), move |now| {
            joined.send_replace(now.joined);
        }),
        faulty
    );
    let RehearsalResult { report, errors } = result?;
    let report = serde_json::to_value(report)?;
    std::fs::write(place.join("report.json"), serde_json::to_string_pretty(&report)?)?;
    let mut outcome = judge(&serde_json::from_value(report)?, fault.explains);
    outcome.violations.extend(errors.iter().map(ToString::to_string));
    outcome.recovered_in = recovered_in?;
    world.restart_what_ended().await?;
    world.until_ready().await?;
    let left = verify_what_is_left(&db, &redis).await?;
    outcome.violations.extend(left.iter().map(|found| format!("in the end: {found}")));
    outcome.violations.extend(world.panics()?);
    Ok(outcome)
}

fn rehearsal(
    target: &Url,
    people: usize,
    open_loop: Option<f64>,
    history: Option<PathBuf>,
) -> Rehearsal {
    let target = target.clone();
    Rehearsal { target, people, open_loop, choosing: None, history, html: None }
}

/// Has people who come one by one buy until one has; returns when.
async fn next_purchase(address: &Url) -> Option<Instant> {
    let began = Instant::now();
    while began.elapsed() < RECOVERY_WAIT_MAX {
        let (paid, mut paying) = watch::channel(false);
        let one = rehearsal(address, 1, None, None);
        let access = Access { token: Some(TOKEN), stores: None };
        let visit = one.run(access, pending(), move |now| {
            paid.send_replace(now.paid == 1);
        });
        let bought =
            async { paying.wait_for(|is_paid| *is_paid).await.ok().map(|_| Instant::now()) };
        // The visit is carried to its end, which removes what was made for it.
        let (visited, bought) = tokio::join!(visit, bought);
        if let (Ok(_), Some(at)) = (visited, bought) {
            return Some(at);
        }
        sleep(BETWEEN_TRIES).await;
    }
    None
}

/// Verifies what is left once its servers answer. The sale goes on without Redis, so it may be over before that is
/// back.
pub(crate) async fn verify_what_is_left(
    db: &Pool,
    redis: &Redis,
) -> Result<Vec<Violation>, Failure> {
    let began = Instant::now();
    loop {
        match verify(db, redis).await {
            Err(_) if began.elapsed() < RECOVERY_WAIT_MAX => sleep(BETWEEN_TRIES).await,
            left => return Ok(left?),
        }
    }
}

/// Lists what people saw that they must not see.
fn judge(report: &Report, explains: &[&str]) -> Outcome {
    let is_explained = |found: &&String| explains.iter().any(|part| found.contains(part));
    let found = report.broken.iter().chain(report.violations.iter().flatten());
    let mut violations: Vec<String> = found.filter(|found| !is_explained(found)).cloned().collect();
    if report.unseen > 0 && explains.is_empty() {
        violations.push(format!("{} people could not read what they have", report.unseen));
    }
    let is_allowed = |refusal: &Refusal| match refusal.is_unknown {
        // A person must not see that something went wrong inside; everything else says what to do
        // next.
        true => !refusal.code.starts_with("500"),
        false => refusal.is_expected || explains.contains(&refusal.code.as_str()),
    };
    let unallowed: BTreeSet<String> = report
        .refusals
        .iter()
        .filter(|refusal| !is_allowed(refusal))
        .map(|refusal| format!("{} x {}: {}", refusal.count, refusal.step, refusal.code))
        .collect();
    violations.extend(unallowed);
    let unknown = report.refusals.iter().filter(|refusal| refusal.is_unknown);
    Outcome {
        violations,
        recovered_in: None,
        requests: report.steps.iter().map(|step| step.requests).sum(),
        unknown: unknown.map(|refusal| refusal.count).sum(),
        sold: report.seats_sold,
    }
}
