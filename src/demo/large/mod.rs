//! A large office, to see what much of everything costs: twenty programs of a hundred
//! performances, each with a thousand seats and two hundred reservations, and all that
//! selling them left behind.
//!
//! Everything follows from its number and from today's date, so two loads of one day are
//! alike. Rows are made and copied one program at a time: memory holds no more than that.

mod orders;
mod rows;
mod visits;

use self::{rows::Rows, visits::Scene};
use super::{DemoError, PASSWORD, require_own, store::copy};
use crate::{accounts::PasswordGate, infra::postgres::Pool};

/// Who we are to the server.
const APPLICATION_NAME: &str = "stagedoor demo";

/// How much of it.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Programs, each in a hall of its own.
    pub programs: u32,
    /// Performances of each program.
    pub performances: u32,
}

impl Size {
    /// 2,000,000 seats on sale, 400,000 reservations, 200,000 accounts.
    pub const LARGE: Self = Self { programs: 20, performances: 100 };
    /// A hundredth of [`Self::LARGE`].
    pub const HUNDREDTH: Self = Self { programs: 2, performances: 10 };

    fn all_performances(self) -> u64 {
        u64::from(self.programs) * u64::from(self.performances)
    }

    /// Seats on sale, over all performances.
    pub fn schedule_seats(self) -> u64 {
        self.all_performances() * visits::SEATS
    }

    /// Reservations, most of them paid.
    pub fn reservations(self) -> u64 {
        self.all_performances() * visits::BUYERS * visits::ORDERS
    }

    /// People who made them.
    pub fn accounts(self) -> u64 {
        self.all_performances() * visits::BUYERS
    }
}

/// Adds a large office to an empty one or to demo data nobody has added to, all of it or nothing, and calls `told` with
/// the number of each program that is written; false when there is one already.
pub async fn fill_large(
    db: &Pool,
    size: Size,
    mut told: impl FnMut(u32),
) -> Result<bool, DemoError> {
    let password_hash = PasswordGate::new().hash_text(PASSWORD).await?;
    let mut db = db.connect_beside(APPLICATION_NAME, copy::LONG_CALL_MAX).await?;
    copy::take_time(&mut db).await?;
    let mut tx = db.begin().await?;
    if copy::is_large(&mut tx).await? {
        return Ok(false);
    }
    require_own(&mut tx).await?;
    let midnight_ms = copy::midnight_ms(&mut tx).await?;
    let n_on_sale = visits::SEATS * u64::from(size.performances);
    for nth in 0..size.programs {
        let scene = Scene {
            nth: u64::from(nth),
            performances: u64::from(size.performances),
            midnight_ms,
            password_hash: &password_hash,
            seat_ids: copy::take_ids(&mut tx, "seats", visits::SEATS).await?,
            schedule_seat_ids: copy::take_ids(&mut tx, "schedule_seats", n_on_sale).await?,
        };
        let mut rows = Rows::default();
        scene.write(&mut rows);
        rows.copy(&mut tx).await?;
        told(nth + 1);
    }
    tx.commit().await?;
    copy::tidy_up(&mut db).await?;
    Ok(true)
}
