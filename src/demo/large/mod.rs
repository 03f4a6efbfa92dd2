//! A large office, for measurements: twenty programs of a hundred performances, each with a
//! thousand seats and two hundred reservations, and every row that selling them leaves behind.
//!
//! All rows follow from their numbers and from today's date, so two loads on one day are alike.
//! Rows are made and copied one program at a time, which bounds the memory.

mod buyers;
mod orders;
mod rows;

use self::{buyers::ProgramRows, rows::Rows};
use super::{
    DemoError, PASSWORD, require_own,
    store::{copy, office},
};
use crate::{accounts::PasswordGate, infra::postgres::Pool};

/// `application_name` of this connection.
const APPLICATION_NAME: &str = "stagedoor demo";

/// Size of a large office.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Number of programs, each in a hall of its own.
    pub programs: u32,
    /// Number of performances of each program.
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

    /// Number of seats on sale, over all performances.
    pub fn schedule_seats(self) -> u64 {
        self.all_performances() * buyers::SEATS
    }

    /// Number of reservations, most of them paid.
    pub fn reservations(self) -> u64 {
        self.all_performances() * buyers::BUYERS * buyers::ORDERS
    }

    /// Number of accounts that made them.
    pub fn accounts(self) -> u64 {
        self.all_performances() * buyers::BUYERS
    }
}

/// Adds a large office to an empty office or to demo data, in one transaction, and calls `written`
/// with the number of each program when it is written; false if there is a large office already.
/// Refuses an office with data of its own.
pub async fn load_large(
    db: &Pool,
    size: Size,
    mut written: impl FnMut(u32),
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
    let n_on_sale = buyers::SEATS * u64::from(size.performances);
    for nth in 0..size.programs {
        let program = ProgramRows {
            nth: u64::from(nth),
            performances: u64::from(size.performances),
            midnight_ms,
            password_hash: &password_hash,
            seat_ids: copy::take_ids(&mut tx, "seats", buyers::SEATS).await?,
            schedule_seat_ids: copy::take_ids(&mut tx, "schedule_seats", n_on_sale).await?,
        };
        let mut rows = Rows::default();
        program.write(&mut rows);
        rows.copy(&mut tx).await?;
        written(nth + 1);
    }
    office::count_sales_anew(&mut tx).await?;
    tx.commit().await?;
    copy::tidy_up(&mut db).await?;
    Ok(true)
}
