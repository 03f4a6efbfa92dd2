//! Worker of the draws: closes, reveals and numbers, each step in transactions of its own.

use super::{close, model::Draw, numbering::give_numbers, relays::Relays, store};
use crate::{
    app::App,
    catalog::{DrawStep, ProgramId},
    entry_queue::{admission::store as gate, join::store as numbers, projection},
};

/// Draws of one instance.
#[derive(Clone, Debug)]
pub struct Draws {
    app: App,
    relays: Relays,
}

impl Draws {
    /// Creates the draws of one instance.
    pub fn new(app: &App) -> Result<Self, reqwest::Error> {
        Ok(Self { app: app.clone(), relays: Relays::of(&app.config.drand)? })
    }

    /// Takes every draw as far as it gets. Any instance may; an error of one draw is logged and stops
    /// no other.
    pub async fn run(&self) -> Result<(), sqlx::Error> {
        for program_id in store::list_pending(&self.app.db).await? {
            if let Err(error) = self.run_one(program_id).await {
                tracing::warn!(%program_id, %error, "a draw goes on later");
            }
        }
        Ok(())
    }

    async fn run_one(&self, program_id: ProgramId) -> Result<(), sqlx::Error> {
        close_if_due(&self.app, program_id).await?;
        let draw = store::find_draw(&self.app.db, program_id).await?;
        if let Some(draw) = draw.filter(|draw| draw.step == DrawStep::Closed) {
            self.reveal(&draw).await?;
        }
        if give_numbers(&self.app, program_id).await? {
            projection::project_uncounted(&self.app, program_id).await;
        }
        Ok(())
    }

    /// Reveals a closed draw, as soon as its beacon is there.
    async fn reveal(&self, draw: &Draw) -> Result<(), sqlx::Error> {
        let (app, program_id) = (&self.app, draw.program_id);
        let Some(seed) = draw.own_seed(&app.log_secret) else {
            tracing::error!(%program_id, "LOG_SECRET is not the one that a draw committed to: it rests");
            return Ok(());
        };
        let beacon = match draw.beacon_round() {
            None => None,
            // The clock only spares the relays questions that come too early.
            Some(round) if app.now() < round.comes_at() => return Ok(()),
            Some(round) => match self.relays.find_beacon(&round).await {
                Some(beacon) => Some(beacon),
                None => return Ok(()),
            },
        };
        let mut tx = app.db.begin().await?;
        let locked = store::try_lock_draw(&mut tx, program_id).await?;
        if locked.is_some_and(|draw| draw.step == DrawStep::Closed) {
            let signature = beacon.as_ref().map(|beacon| &beacon.0[..]);
            store::write_revealed(&mut tx, program_id, &seed, signature).await?;
            tx.commit().await?;
        }
        Ok(())
    }
}

/// Closes the entries if the sale has opened, which is decided after the locks.
async fn close_if_due(app: &App, program_id: ProgramId) -> Result<(), sqlx::Error> {
    let mut tx = app.db.begin().await?;
    numbers::lock_next_number(&mut tx, program_id).await?;
    if gate::rules_of(&mut tx, program_id).await?.is_close_due() {
        close::close(&mut tx, program_id).await?;
    }
    tx.commit().await
}
