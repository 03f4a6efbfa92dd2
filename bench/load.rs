//! Many people at once, each on a connection of their own, as fast as they are answered.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{sync::Barrier, task::JoinSet};
use uuid::Uuid;

use crate::{
    http::{Answer, Connection},
    person::session,
    stage::Stage,
    tally::Tally,
};

/// What each person does, over and over.
#[derive(Clone, Debug)]
pub(crate) enum Errand {
    /// `GET /healthz`: what HTTP itself costs.
    Health,
    /// Each person joins the stage's queue once.
    Join(Stage),
    /// Each person asks for their place, always on the same connection.
    PollAgain(Stage),
    /// As many people as wait in the queue take turns at asking.
    PollInTurn(Stage, u64),
    /// So many people take turns at charging their wallets.
    Charge(u64),
    /// All charge one wallet.
    ChargeOne,
    /// Each person holds their seat once.
    Hold(Stage),
    /// Each person holds one place of the zone once.
    HoldPlace(Stage),
    /// Each person holds the first seat once.
    HoldOne(Stage),
    /// Each person holds their seat and pays it, once.
    Purchase(Stage),
    /// Each pays the one reservation of person 1, whose path this is, with a request key of its own.
    PayOne(String),
}

/// People 1 to this join no queue in which people wait: the first are let in.
pub(crate) const LET_IN: u64 = 200;

/// Sends `crowd` connections on `errand` for `lasts`, or until `people` had their turn. They take
/// turns at the `instances`.
pub(crate) async fn drive(
    instances: &[SocketAddr],
    errand: &Errand,
    crowd: u64,
    people: u64,
    lasts: Duration,
) -> io::Result<Tally> {
    let next = Arc::new(AtomicU64::new(1));
    let all = usize::try_from(crowd).map_err(io::Error::other)? + 1;
    let start = Arc::new(Barrier::new(all));
    let mut tasks = JoinSet::new();
    for (nth, address) in (0..crowd).zip(instances.iter().copied().cycle()) {
        let (errand, next, start) = (errand.clone(), next.clone(), start.clone());
        tasks.spawn(async move {
            let connection = Connection::open(address).await;
            start.wait().await;
            let ends = Instant::now() + lasts;
            let mut connection = connection?;
            let mut tally = Tally::default();
            while Instant::now() < ends {
                let turn = next.fetch_add(1, Ordering::Relaxed);
                if turn > people && errand.is_once() {
                    break;
                }
                let answer = errand.run(&mut connection, nth, turn).await?;
                tally.count(answer);
            }
            io::Result::Ok(tally)
        });
    }
    start.wait().await;
    let began = Instant::now();
    let mut sum = Tally::default();
    while let Some(tally) = tasks.join_next().await {
        sum.add(tally.map_err(io::Error::other)??);
    }
    sum.secs = began.elapsed().as_secs_f64();
    Ok(sum)
}

impl Errand {
    /// Whether each person can do it only once.
    fn is_once(&self) -> bool {
        matches!(self, Self::Join(_) | Self::Hold(_) | Self::HoldPlace(_) | Self::Purchase(_))
    }

    /// One turn of it.
    pub(crate) async fn run(
        &self,
        server: &mut Connection,
        nth: u64,
        turn: u64,
    ) -> io::Result<Answer> {
        match self {
            Self::Health => server.get("/healthz", "").await,
            Self::Join(stage) => server.post(&stage.queue_path(), &session(turn), "").await,
            Self::PollAgain(stage) => {
                server.get(&stage.queue_path(), &session(LET_IN + 1 + nth)).await
            }
            Self::PollInTurn(stage, waiting) => {
                let person = LET_IN + 1 + turn % waiting;
                server.get(&stage.queue_path(), &session(person)).await
            }
            Self::Charge(people) => charge(server, 1 + turn % people).await,
            Self::ChargeOne => charge(server, 1).await,
            Self::Hold(stage) => hold(server, stage, turn, turn).await,
            Self::HoldOne(stage) => hold(server, stage, turn, 1).await,
            Self::PayOne(path) => server.post(path, &session(1), &request_key()).await,
            Self::HoldPlace(stage) => {
                let path = format!("/schedules/{}/reservations", stage.schedule_id());
                let form = format!("zone_id={}&quantity=1&{}", stage.zone_id(), request_key());
                server.post(&path, &stage.cookies(turn), &form).await
            }
            Self::Purchase(stage) => {
                let held = hold(server, stage, turn, turn).await?;
                let Some(reservation_id) = field(&held.body, "reservation_id") else {
                    return Ok(held);
                };
                let path = format!("/reservations/{reservation_id}/payment");
                server.post(&path, &session(turn), &request_key()).await
            }
        }
    }
}

async fn charge(server: &mut Connection, person: u64) -> io::Result<Answer> {
    let form = format!("amount=1000&{}", request_key());
    server.post("/wallet/charges", &session(person), &form).await
}

/// A person holds the nth seat.
pub(crate) async fn hold(
    server: &mut Connection,
    stage: &Stage,
    person: u64,
    nth: u64,
) -> io::Result<Answer> {
    let path = format!("/schedules/{}/reservations", stage.schedule_id());
    let form = format!("seat_ids={}&{}", stage.first_seat + nth - 1, request_key());
    server.post(&path, &stage.cookies(person), &form).await
}

pub(crate) fn request_key() -> String {
    format!("request_key={}", Uuid::now_v7())
}

/// The text in the field `name` of a JSON object.
pub(crate) fn field(json: &str, name: &str) -> Option<String> {
    let json: serde_json::Value = serde_json::from_str(json).ok()?;
    Some(json.get(name)?.as_str()?.to_owned())
}
