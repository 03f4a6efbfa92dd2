//! What a rehearsal is played with: a program of its own and people of its own.

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use sha2::{Digest, Sha256};
use sqlx::PgPool;
use uuid::Uuid;

use super::{
    error::RehearsalError,
    store::{cast as store, server},
};
use crate::infra::{postgres, redis::Redis};

/// How we are known to the server.
const APPLICATION_NAME: &str = "stagedoor rehearsal";

/// How large a rehearsal is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// People with a session and points.
    pub(super) people: usize,
    /// Seats on sale.
    pub(super) seats: i32,
    /// Standing places on sale.
    pub(super) places: i32,
    /// How many are inside at once; no line without it.
    pub(super) queue_capacity: Option<i32>,
}

impl Plan {
    /// What a seat and a place cost.
    pub(super) const PRICE: i64 = 1_000;
    /// What is in every wallet.
    const POINTS: i64 = 10_000_000;
}

/// The program of a rehearsal.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub(super) program_id: Uuid,
    pub(super) slug: String,
    pub(super) venue_id: Uuid,
    pub(super) schedule_id: Uuid,
    pub(super) zone_id: Uuid,
}

impl Stage {
    fn new() -> Self {
        let program_id = Uuid::now_v7();
        Self {
            program_id,
            slug: format!("rehearsal-{}", program_id.simple()),
            venue_id: Uuid::now_v7(),
            schedule_id: Uuid::now_v7(),
            zone_id: Uuid::now_v7(),
        }
    }

    /// What the addresses of the people end in, and of nobody else.
    pub(super) fn email_host(&self) -> String {
        format!("{}.invalid", self.slug)
    }
}

/// Somebody who takes part.
#[derive(Clone, Debug)]
pub(super) struct Actor {
    pub(super) account_id: Uuid,
    /// The value of their session's cookie.
    pub(super) session: String,
}

/// A stage and its people, in the database.
#[derive(Debug)]
pub(super) struct Cast {
    pub(super) stage: Stage,
    pub(super) actors: Vec<Actor>,
    db: PgPool,
}

impl Cast {
    /// Writes everything in one transaction.
    pub(super) async fn assemble(db: &PgPool, plan: &Plan) -> Result<Self, sqlx::Error> {
        let stage = Stage::new();
        let tokens: Vec<[u8; 32]> = (0..plan.people).map(|_| rand::random()).collect();
        let people: Vec<Uuid> = tokens.iter().map(|_| Uuid::now_v7()).collect();
        let hashes: Vec<Vec<u8>> =
            tokens.iter().map(|token| Sha256::digest(token).to_vec()).collect();

        let mut connection = postgres::connect(db, APPLICATION_NAME).await?;
        let mut tx = server::begin(&mut connection).await?;
        server::take_time(&mut tx).await?;
        store::insert_program(&mut tx, &stage, plan).await?;
        store::insert_schedule(&mut tx, &stage, plan).await?;
        store::insert_schedule_seats(&mut tx, &stage).await?;
        store::insert_people(&mut tx, &stage, &people, &hashes).await?;
        store::insert_wallets(&mut tx, &people, Plan::POINTS).await?;
        tx.commit().await?;

        let actors = people.into_iter().zip(&tokens).map(|(account_id, token)| Actor {
            account_id,
            session: BASE64_URL_SAFE_NO_PAD.encode(token),
        });
        Ok(Self { stage, actors: actors.collect(), db: db.clone() })
    }

    /// Removes everything again, in three steps that each lock little: only the middle one
    /// makes writers of other wallets wait, for a moment.
    pub(super) async fn dismiss(&self, redis: &Redis) -> Result<(), RehearsalError> {
        let mut connection = postgres::connect(&self.db, APPLICATION_NAME).await?;
        let mut tx = server::begin(&mut connection).await?;
        server::take_time(&mut tx).await?;
        store::delete_sales(&mut tx, &self.stage).await?;
        store::delete_reservations(&mut tx, &self.stage).await?;
        store::delete_program(&mut tx, &self.stage).await?;
        tx.commit().await?;

        let mut tx = server::begin(&mut connection).await?;
        store::open_record(&mut tx).await?;
        store::delete_wallets(&mut tx, &self.stage).await?;
        store::close_record(&mut tx).await?;
        tx.commit().await?;

        let mut tx = server::begin(&mut connection).await?;
        server::take_time(&mut tx).await?;
        store::delete_people(&mut tx, &self.stage).await?;
        tx.commit().await?;
        redis.forget_keys(&format!("{{{}}}:", self.stage.program_id)).await?;
        Ok(())
    }
}
