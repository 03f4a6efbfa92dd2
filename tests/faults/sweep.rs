//! Sweeps: one purchase for each message that it sends to a server, which loses just this message, and
//! one request for each of its bytes, after which the client is gone.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use socket2::SockRef;
use tokio::{
    io::AsyncWriteExt,
    net::TcpStream,
    time::{sleep, timeout},
};

use crate::{
    Failure,
    attempt::verify_what_is_left,
    outcome::Outcome,
    processes::Signal,
    purchase::Stage,
    template::Template,
    wire::{Loss, Wire},
    world::{Shape, World},
};

/// Upper bound of messages of one purchase, messages of the workers included.
const MESSAGES_MAX: usize = 400;
/// Upper bound of a whole sweep.
const SWEEP_MAX: Duration = Duration::from_mins(20);

/// What is gone through.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Through {
    Postgres(End),
    Redis(End),
    Bytes,
}

/// What happens at a message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    Lost(Loss),
    /// All instances are killed before it is sent, and start again.
    Killed,
}

/// One sweep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sweep {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    through: Through,
}

/// All sweeps.
pub(crate) const SWEEPS: &[Sweep] = &[
    Sweep {
        name: "each-statement-cut",
        what: "Each message of a purchase to PostgreSQL in turn does not arrive: its connection is reset.",
        through: Through::Postgres(End::Lost(Loss::Message)),
    },
    Sweep {
        name: "each-statement-lost",
        what: "Each message of a purchase to PostgreSQL in turn arrives, and its answer is lost.",
        through: Through::Postgres(End::Lost(Loss::Answer)),
    },
    Sweep {
        name: "killed-at-each-statement",
        what: "All instances are killed at each message of a purchase to PostgreSQL in turn.",
        through: Through::Postgres(End::Killed),
    },
    Sweep {
        name: "each-command-cut",
        what: "Each message of a purchase to Redis in turn does not arrive: its connection is reset.",
        through: Through::Redis(End::Lost(Loss::Message)),
    },
    Sweep {
        name: "each-command-lost",
        what: "Each message of a purchase to Redis in turn arrives, and its answer is lost.",
        through: Through::Redis(End::Lost(Loss::Answer)),
    },
    Sweep {
        name: "killed-at-each-command",
        what: "All instances are killed at each message of a purchase to Redis in turn.",
        through: Through::Redis(End::Killed),
    },
    Sweep {
        name: "client-gone-at-each-byte",
        what: "Somebody joins and holds, and resets the connection after each byte of the request in turn.",
        through: Through::Bytes,
    },
];

impl Sweep {
    /// Goes through every `every`th message from the one at `first`. What was said during a sweep with
    /// violations is kept in `kept`.
    pub(crate) async fn run(
        &self,
        template: &Template,
        first: usize,
        every: usize,
        kept: &Path,
    ) -> Result<Option<Outcome>, Failure> {
        let Some(mut world) = World::open(template, Shape::Plain).await? else { return Ok(None) };
        let stage = Stage::make(&world.address()?, MESSAGES_MAX).await?;
        let mut outcome = Outcome::default();
        let going = async {
            match self.through {
                Through::Postgres(end) => {
                    let wire = world.to_postgres.clone();
                    end.at_each(&mut world, &wire, &stage, first, every, &mut outcome).await
                }
                Through::Redis(end) => {
                    let wire = world.to_redis.clone();
                    end.at_each(&mut world, &wire, &stage, first, every, &mut outcome).await
                }
                Through::Bytes => {
                    leave_at_each_byte(&world, &stage, first, every, &mut outcome).await
                }
            }
        };
        timeout(SWEEP_MAX, going).await.map_err(|_elapsed| "a sweep does not end")??;
        world.until_ready().await?;
        let (db, redis) = world.stores()?;
        let left = verify_what_is_left(&db, &redis).await?;
        outcome.violations.extend(left.iter().map(|found| format!("in the end: {found}")));
        outcome.violations.extend(world.panics()?);
        if !outcome.violations.is_empty() {
            world.keep_logs(&kept.join(self.name))?;
        }
        Ok(Some(outcome))
    }
}

impl End {
    async fn at_each(
        self,
        world: &mut World,
        wire: &Wire,
        stage: &Stage,
        first: usize,
        every: usize,
        outcome: &mut Outcome,
    ) -> Result<(), Failure> {
        for (person, nth) in (first..MESSAGES_MAX).step_by(every).enumerate() {
            let began = Instant::now();
            let (bought, was_met) = match self {
                Self::Lost(loss) => {
                    let mut met = wire.lose(nth, b"", loss);
                    let bought = stage.buy(person).await;
                    wire.disarm();
                    (bought, met.try_recv().is_ok())
                }
                Self::Killed => kill_at(world, wire, nth, stage.buy(person)).await?,
            };
            outcome.requests += 1;
            outcome.unknown += usize::from(was_met);
            outcome.sold += usize::from(bought.is_ok());
            outcome.violations.extend(bought.err().map(|why| format!("message {nth}: {why}")));
            outcome.took(began.elapsed());
            if !was_met {
                return Ok(());
            }
        }
        Err(format!("a purchase has {MESSAGES_MAX} messages and more").into())
    }
}

/// Kills all instances at message `nth` of a purchase, and starts them again.
async fn kill_at(
    world: &mut World,
    wire: &Wire,
    nth: usize,
    buying: impl Future<Output = Result<(), String>>,
) -> Result<(Result<(), String>, bool), Failure> {
    let met = wire.lose(nth, b"", Loss::Held);
    let bought = async {
        let bought = buying.await;
        wire.disarm();
        bought
    };
    let killed = async {
        // An error says that the purchase ended before this message.
        let Ok(held) = met.await else { return Ok(false) };
        for instance in &mut world.instances {
            instance.end(Signal::Kill).await?;
        }
        drop(held);
        for instance in &mut world.instances {
            instance.begin()?;
        }
        Ok::<_, Failure>(true)
    };
    let (bought, killed) = tokio::join!(bought, killed);
    Ok((bought, killed?))
}

/// Sends the first bytes of a request and resets the connection, for each number of bytes.
async fn leave_at_each_byte(
    world: &World,
    stage: &Stage,
    first: usize,
    every: usize,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    const PERSON: usize = 0;
    /// Ample for a request that arrived whole to be carried out.
    const CARRIED_OUT_AFTER: Duration = Duration::from_secs(6);
    for request in [stage.join_in_bytes(PERSON), stage.hold_in_bytes(PERSON)] {
        let lengths = (first..request.len()).step_by(every).chain([request.len()]);
        for length in lengths {
            let mut stream = TcpStream::connect(("127.0.0.1", world.to_office.port)).await?;
            stream.write_all(&request[..length]).await?;
            SockRef::from(&stream).set_linger(Some(Duration::ZERO))?;
            outcome.requests += 1;
            outcome.unknown += 1;
        }
    }
    sleep(CARRIED_OUT_AFTER).await;
    let began = Instant::now();
    let held = stage.holds(PERSON).await;
    if !matches!(held, Ok(0 | 1)) {
        outcome.violations.push(format!("one request left {held:?} holds"));
    }
    let bought = stage.buy(PERSON + 1).await;
    outcome.sold += usize::from(bought.is_ok());
    outcome.violations.extend(bought.err());
    outcome.took(began.elapsed());
    Ok(())
}
