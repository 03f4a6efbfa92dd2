//! Strikes: a fault that comes while work is parked at failpoints, at each of them in turn.
//!
//! In a round people go through all legs at once. The first of them that comes to a failpoint where the
//! fault has not struck yet is parked there. Then the fault begins, and they go on in the middle of it.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use rand::{SeedableRng, rngs::StdRng};
use tokio::time::{sleep, timeout};

use crate::{
    Failure,
    attempt::{RECOVERY_MAX, RECOVERY_WAIT_MAX, verify_what_is_left},
    fault::Fault,
    leg::{Actor, Leg, Sale},
    outcome::Outcome,
    purchase::Stage,
    template::Template,
    world::{Shape, World},
};

/// People of a world: two for each leg of a round, and one who buys afterwards.
const PEOPLE: usize = 400;
const PEOPLE_OF_ROUND: usize = 2 * Leg::ALL.len() + 1;
/// Rounds one after the other that come to no new failpoint, after which the rest is left.
const IDLE_ROUNDS_MAX: usize = 2;
/// Upper bound of one round.
const ROUND_MAX: Duration = Duration::from_mins(3);
/// Time from the beginning of a fault until the parked work goes on.
const GOES_ON_AFTER: Duration = Duration::from_millis(100);
/// Faults that lose messages one by one, which the sweeps do at each message.
const OF_MESSAGES: [&str; 5] =
    ["statements-cut", "answers-lost", "commits-cut", "commits-lost", "redis-answers-lost"];
/// Faults that can come once in a world. With PostgreSQL's clock ahead, sessions that were not used
/// yet end.
const ONCE: [&str; 6] = [
    "postgres-clock-ahead",
    "standby-promoted",
    "replica-promoted",
    "primary-behind-haproxy",
    "redis-behind-sentinels",
    "upgrade-behind-haproxy",
];
/// Refusals of deadlines, which a clock that is set explains.
const OF_CLOCKS: [&str; 5] =
    ["hold-expired", "sale-closed", "not-admitted", "invalid-state", "transfer-expired"];

/// Whether a fault can come at a failpoint.
pub(crate) fn can_strike(fault: &Fault) -> bool {
    !OF_MESSAGES.contains(&fault.name)
}

/// World with the people of its rounds.
struct Scene {
    world: World,
    people: People,
    n_rounds: usize,
}

/// People of a world, at its rehearsal and at its sale.
struct People {
    stage: Stage,
    sale: Sale,
    /// Two people who send each other points in all rounds.
    friends: [usize; 2],
}

impl People {
    /// Brings two of them to the beginning of each leg.
    async fn prepare(&self, n_round: usize) -> Result<Vec<(Actor<'_>, Leg, String)>, Failure> {
        let first = n_round * PEOPLE_OF_ROUND;
        let actors = Leg::ALL.iter().enumerate().map(|(nth, leg)| async move {
            let stage = if leg.is_of_sale() { &self.sale.stage } else { &self.stage };
            let [me, friend] = match *leg {
                Leg::Points => self.friends,
                leg if leg.is_of_sale() => Sale::people(leg, n_round).ok_or("nobody is left")?,
                _ => [first + 2 * nth, first + 2 * nth + 1],
            };
            let actor = Actor { stage, sale: &self.sale, me, friend };
            Ok((actor, *leg, actor.prepare(*leg).await?))
        });
        join_all(actors).await.into_iter().collect()
    }
}

impl Scene {
    async fn open(template: &Template, shape: Shape) -> Result<Option<Self>, Failure> {
        let Some(world) = World::open(template, shape).await? else { return Ok(None) };
        if shape.is_deployed() {
            // Its wires were led to HAProxy a moment ago.
            world.until_in_service().await?;
        }
        let address = world.address()?;
        world.load_demo()?;
        let mut stage = Stage::make(&address, PEOPLE).await?;
        let friends = [stage.sign_up().await?, stage.sign_up().await?];
        let sale = Sale::open(&world, &address).await?;
        let people = People { stage, sale, friends };
        Ok(Some(Self { world, people, n_rounds: 0 }))
    }

    fn is_used_up(&self) -> bool {
        (self.n_rounds + 1) * PEOPLE_OF_ROUND > PEOPLE
            || Sale::people(Leg::Wish, self.n_rounds).is_none()
    }

    /// Goes through all legs once, and lists the failpoints on the way.
    async fn look(&mut self) -> Result<Vec<String>, Failure> {
        self.world.failpoints.forget();
        let n_round = self.n_rounds;
        self.n_rounds += 1;
        let prepared = self.people.prepare(n_round).await?;
        let went = join_all(prepared.iter().map(|(actor, leg, id)| actor.go(*leg, id))).await;
        went.into_iter().collect::<Result<Vec<()>, _>>()?;
        Ok(self.world.failpoints.reached().into_iter().collect())
    }

    /// Has the fault come while work is parked at some of `left`; returns those.
    async fn round(
        &mut self,
        fault: &Fault,
        left: &[String],
        rng: &mut StdRng,
        outcome: &mut Outcome,
    ) -> Result<Vec<String>, Failure> {
        let n_round = self.n_rounds;
        self.n_rounds += 1;
        let (people, world) = (&self.people, &mut self.world);
        let prepared = people.prepare(n_round).await?;
        let failpoints = world.failpoints.clone();
        failpoints.arm(left.iter().cloned());
        let going = join_all(prepared.iter().map(|(actor, leg, id)| actor.go(*leg, id)));
        let striking = async {
            let parked = failpoints.parked().await;
            if parked.is_empty() {
                failpoints.release();
                return Ok::<_, Failure>((parked, None));
            }
            let released = async {
                sleep(GOES_ON_AFTER).await;
                failpoints.release();
            };
            let (struck, ()) = tokio::join!((fault.run)(world, rng), released);
            struck?;
            let healed = Instant::now();
            let bought =
                timeout(RECOVERY_WAIT_MAX, people.stage.buy((n_round + 1) * PEOPLE_OF_ROUND - 1))
                    .await;
            bought.map_err(|_elapsed| "nobody can buy afterwards")??;
            Ok((parked, Some(healed.elapsed())))
        };
        let (went, struck) = tokio::join!(going, striking);
        let (parked, recovered_in) = struck?;
        let at = parked.join(", ");
        let refused = went.into_iter().filter_map(Result::err);
        let refused = refused.filter(|why| !is_explained(fault, why));
        outcome.violations.extend(refused.map(|why| format!("parked at {at}: {why}")));
        outcome.unknown += parked.len();
        if let Some(took) = recovered_in {
            outcome.sold += 1;
            outcome.took(took);
        }
        Ok(parked)
    }

    /// Checks what is left in the end. Redis gets meanwhile what the last fault kept from it.
    async fn close(&mut self, fault: &Fault, outcome: &mut Outcome) -> Result<(), Failure> {
        self.world.restart_what_ended().await?;
        self.world.until_ready().await?;
        let (db, redis) = self.world.stores()?;
        let began = Instant::now();
        let mut left = verify_what_is_left(&db, &redis).await?;
        while !left.is_empty() && began.elapsed() < RECOVERY_MAX {
            left = verify_what_is_left(&db, &redis).await?;
        }
        let left = left.iter().map(|found| format!("in the end: {found}"));
        outcome.violations.extend(left.filter(|found| !is_explained(fault, found)));
        outcome.violations.extend(self.world.panics()?);
        Ok(())
    }
}

/// Whether the fault explains a refusal, or a row that is left.
fn is_explained(fault: &Fault, found: &str) -> bool {
    fault.shape == Shape::Clocks && OF_CLOCKS.iter().any(|code| found.contains(code))
        || fault.explains.iter().any(|part| found.contains(part))
}

/// Strikes at every `every`th failpoint from the one at `first`; `None` where this machine lacks what the
/// fault needs. What was said with violations is kept in `kept`.
pub(crate) async fn strike(
    template: &Template,
    fault: &Fault,
    seed: u64,
    every: usize,
    kept: &Path,
) -> Result<Option<Outcome>, Failure> {
    let Some(mut scene) = Scene::open(template, fault.shape).await? else { return Ok(None) };
    let mut rng = StdRng::seed_from_u64(seed);
    let mut outcome = Outcome::default();
    let first = usize::try_from(seed)? % every;
    let mut left: Vec<String> =
        scene.look().await?.into_iter().skip(first).step_by(every).collect();
    outcome.requests = left.len();
    let mut n_idle = 0;
    while !left.is_empty() && n_idle < IDLE_ROUNDS_MAX {
        if scene.is_used_up() || ONCE.contains(&fault.name) && outcome.sold > 0 {
            scene.close(fault, &mut outcome).await?;
            let next = Scene::open(template, fault.shape).await?;
            scene = next.ok_or("a world cannot be opened again")?;
        }
        let round = scene.round(fault, &left, &mut rng, &mut outcome);
        let struck = timeout(ROUND_MAX, round).await.map_err(|_elapsed| "a round has no end")??;
        n_idle = if struck.is_empty() { n_idle + 1 } else { 0 };
        left.retain(|name| !struck.contains(name));
    }
    if outcome.unknown == 0 {
        outcome.violations.push("no failpoint was reached".to_owned());
    }
    if outcome.recovered_in.is_some_and(|took| took > RECOVERY_MAX) && every == 1 {
        outcome.violations.push(format!("somebody new bought after {:?}", outcome.recovered_in));
    }
    scene.close(fault, &mut outcome).await?;
    if !outcome.violations.is_empty() {
        scene.world.keep_logs(&kept.join(format!("{}-struck-{seed}", fault.name)))?;
    }
    Ok(Some(outcome))
}
