//! Demo data: a believable ticket office to try things in, with halls and seat maps, a festival
//! with standing places, one program that is sold out and one whose sale opens later. The code WELCOME
//! takes ten percent off each; EARLY lets people in before that sale opens. Mina has planned to send Jun
//! some points.
//!
//! A **log-in** is a demo account whose password is published; a **large office** ([`load_large`])
//! is a data set for measurements.
//!
//! # Invariants
//!
//! - The data keeps every invariant of the product: sold places were paid for, by accounts with wallets,
//!   and have their tickets.
//! - An office with accounts, programs or venues of its own gets no demo data: the demo password is
//!   public.
//! - All demo accounts share one password and its hash.
//!
//! # Concurrency
//!
//! [`load`] is one transaction that locks accounts and venues against writes; of two runs at once
//! the second waits for the first and then finds its data.

mod announcement;
mod halls;
mod large;
pub mod log_in;
mod programs;
mod store;

use store::office;

use self::log_in::LogIn;
use crate::{
    accounts::{AccountError, PasswordGate},
    infra::postgres::Pool,
};

pub use large::{Size, load_large};

/// Password of every demo account.
pub const PASSWORD: &str = "open sesame door";

/// Points that the first log-in has planned to send to the second.
const PLANNED_POINTS: i64 = 5_000;

/// All demo log-ins.
pub const LOG_INS: [LogIn; 4] = [
    LogIn {
        email: "mina@stagedoor.example",
        name: "Mina",
        role: "CUSTOMER",
        purpose: "buys, has points",
        points: 500_000,
    },
    LogIn {
        email: "jun@stagedoor.example",
        name: "준",
        role: "CUSTOMER",
        purpose: "buys, has to charge first",
        points: 0,
    },
    LogIn {
        email: "door@stagedoor.example",
        name: "Door",
        role: "STAFF",
        purpose: "works at the door",
        points: 0,
    },
    LogIn {
        email: "admin@stagedoor.example",
        name: "Admin",
        role: "ADMIN",
        purpose: "manages",
        points: 0,
    },
];

/// Reason why no demo data was written.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The office has accounts or programs of its own, and the published demo log-ins would open it.
    #[error(
        "The office has people or programs of its own, so it gets no demo data: its log-ins \
         and their password are known to everybody. Use an empty database."
    )]
    NotEmpty,
    /// The password could not be hashed.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Whether a demo account exists that is not locked, checked on the log-ins and one account of each
/// other kind.
pub async fn has_open_log_ins(db: &Pool) -> Result<bool, sqlx::Error> {
    let mut emails: Vec<String> = LOG_INS.iter().map(|log_in| log_in.email.to_owned()).collect();
    emails.extend(["guest-1@stagedoor.example", "visitor-1-1@stagedoor.example"].map(String::from));
    office::has_open(db, &emails).await
}

/// Refuses an office with data that no demo wrote. Runs in the transaction that loads the data.
async fn require_own(tx: &mut crate::infra::postgres::Connection) -> Result<(), DemoError> {
    let emails: Vec<&str> = LOG_INS.iter().map(|log_in| log_in.email).collect();
    let slugs: Vec<String> =
        programs::PROGRAMS.iter().map(|program| (program.details)().slug).collect();
    let halls: Vec<&str> = halls::HALLS.iter().map(|hall| hall.name).collect();
    match office::has_others(tx, &emails, &slugs, &halls).await? {
        true => Err(DemoError::NotEmpty),
        false => Ok(()),
    }
}

/// Loads the demo data into an empty office; false if it is there already.
pub async fn load(db: &Pool) -> Result<bool, DemoError> {
    let password_hash = PasswordGate::new().hash_text(PASSWORD).await?;
    let mut tx = db.begin().await?;
    let emails: Vec<&str> = LOG_INS.iter().map(|log_in| log_in.email).collect();
    if office::has_all_log_ins(&mut tx, &emails).await? {
        return Ok(false);
    }
    require_own(&mut tx).await?;
    store::insert_people(&mut tx, &password_hash).await?;
    for log_in in &LOG_INS {
        let id = store::insert_account(&mut tx, log_in, &password_hash).await?;
        if log_in.points > 0 {
            store::charge(&mut tx, id, log_in.points).await?;
        }
    }
    let [mina, jun, ..] = LOG_INS;
    store::plan_transfer(&mut tx, mina.email, jun.email, PLANNED_POINTS).await?;
    for hall in halls::HALLS {
        halls::build(&mut tx, hall).await?;
    }
    for program in programs::PROGRAMS {
        programs::announce(&mut tx, program).await?;
    }
    store::insert_codes(&mut tx).await?;
    office::count_sales_anew(&mut tx).await?;
    tx.commit().await?;
    Ok(true)
}
