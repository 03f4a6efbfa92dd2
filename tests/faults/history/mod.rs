//! Histories: people who hold, pay, give back and send each other points, all at once and at several
//! instances, while faults come one after the other. Whatever they were answered is checked as a
//! whole: seats for linearizability, wallets as a bank, the line for its order.
//!
//! Only acknowledged answers are facts. A person without an answer asks again; a call without a
//! request key whose repetition is refused may have been carried out or not.

#[expect(dead_code, reason = "its tests are run with the integration tests")]
mod line;
mod points;
mod record;
#[expect(dead_code, reason = "its tests are run with the integration tests")]
mod seats;
#[expect(dead_code, reason = "its tests are run with the integration tests")]
mod wallets;
mod workload;

use std::{
    path::Path,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use stagedoor::verify::verify;

use self::{
    record::Record,
    workload::{Crowd, PEOPLE},
};
use crate::{
    Failure,
    fault::{self, Fault},
    outcome::Outcome,
    purchase::Stage,
    template::Template,
    world::{Shape, World},
};

/// Name in the table, and for `--only`.
pub(crate) const NAME: &str = "history";
/// What happens, as a sentence.
pub(crate) const WHAT: &str = "144 people hold, pay, give back, add points and send them to each other for as many requests as were \
     asked for, while a fault comes every few seconds. All answers together are checked: seats for \
     linearizability, wallets as a bank, the line for its order.";
/// Longest history.
const LASTS_MAX: Duration = Duration::from_mins(90);
/// Sale of the demo data that people come to.
const SLUG: &str = "quiet-machines";
/// Few may be inside, so that there is a line; and a person who gives back a seat may take another.
const TERMS: &str = "update programs set queue_capacity = 48, unpaid_holds_max = null, \
     cool_down_mins = null, refund_until_hours = 0, refund_percent = 100 where slug = 'quiet-machines'";
/// Faults that may come one after the other.
const FAULTS: [&str; 12] = [
    "instance-killed",
    "all-instances-killed",
    "postgres-crashes",
    "postgres-cut",
    "postgres-halved",
    "answers-lost",
    "commits-lost",
    "connections-used-up",
    "redis-killed",
    "redis-flushed",
    "redis-cut",
    "people-cut",
];

/// Makes a history of `operations` requests. What was said during one with violations is kept in
/// `kept`.
pub(crate) async fn attempt(
    template: &Template,
    seed: u64,
    operations: usize,
    kept: &Path,
) -> Result<Option<Outcome>, Failure> {
    let Some(mut world) = World::open(template, Shape::Plain).await? else { return Ok(None) };
    let mut rng = StdRng::seed_from_u64(seed);
    let faults: Vec<Fault> =
        fault::all().into_iter().filter(|fault| FAULTS.contains(&fault.name)).collect();
    world.load_demo()?;
    world.postgres.run_in_office(TERMS).await?;
    let stage = Stage::of_sale(&world.address()?, SLUG, PEOPLE).await?;
    let crowd = Arc::new(Crowd::new(stage, operations, Instant::now() + LASTS_MAX).await?);
    let mut outcome = Outcome::default();
    let people: Vec<_> = (0..PEOPLE)
        .map(|nth| tokio::spawn(Arc::clone(&crowd).act(nth, StdRng::seed_from_u64(rng.random()))))
        .collect();
    while !crowd.is_over() {
        tokio::time::sleep(Duration::from_secs_f64(rng.random_range(2.0..6.0))).await;
        if !crowd.is_over() {
            let fault = &faults[rng.random_range(0..faults.len())];
            let happened = (fault.run)(&mut world, &mut rng).await;
            happened.map_err(|failure| format!("{}: {failure}", fault.name))?;
        }
    }
    let mut record = Record::default();
    for (nth, person) in people.into_iter().enumerate() {
        match person.await? {
            Ok(part) => record.add(part),
            Err(why) => outcome.violations.push(format!("person {nth}: {why}")),
        }
    }
    world.until_ready().await?;
    let began = Instant::now();
    let histories = crowd.wallets().await?;
    outcome.took(began.elapsed());
    outcome.violations.extend(record.anomalies(&histories, &crowd.prices()));
    outcome.violations.extend(record.missing());
    outcome.requests = crowd.requests.load(Ordering::Relaxed);
    outcome.unknown = crowd.unknown.load(Ordering::Relaxed);
    outcome.sold = record.n_paid();
    let (db, redis) = world.stores()?;
    let left = verify(&db, &redis).await?;
    outcome.violations.extend(left.iter().map(|found| format!("in the end: {found}")));
    outcome.violations.extend(world.panics()?);
    if !outcome.violations.is_empty() {
        world.keep_logs(&kept.join(format!("{NAME}-{seed}")))?;
    }
    Ok(Some(outcome))
}
