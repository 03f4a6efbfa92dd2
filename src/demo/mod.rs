//! A believable ticket office to try things in: halls with seat maps, a festival with
//! standing places, one program that is sold out and one whose sale opens later.
//!
//! Everything it writes keeps the invariants: what is sold was paid for, by people with
//! wallets, and has its tickets. All demo people share one password and its hash.

mod halls;
mod large;
mod programs;
mod store;

pub use large::{Size, fill_large};

use crate::{
    accounts::{AccountError, PasswordGate},
    infra::postgres::Pool,
};

/// The password of every demo person.
pub const PASSWORD: &str = "open sesame door";

/// A log-in to print.
#[derive(Clone, Copy, Debug)]
pub struct LogIn {
    /// Where it is found by.
    pub email: &'static str,
    /// What the pages call its owner.
    pub name: &'static str,
    /// Its role, as the database writes it.
    pub role: &'static str,
    /// What it is for.
    pub purpose: &'static str,
    /// Points in its wallet.
    pub points: i64,
}

/// The demo log-ins.
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

/// Fills an empty office; false when it has demo data already.
pub async fn fill(db: &Pool) -> Result<bool, AccountError> {
    let password_hash = PasswordGate::new().hash_text(PASSWORD).await?;
    let mut tx = db.begin().await?;
    if store::is_filled(&mut tx).await? {
        return Ok(false);
    }
    store::insert_people(&mut tx, &password_hash).await?;
    for log_in in &LOG_INS {
        let id = store::insert_account(&mut tx, log_in, &password_hash).await?;
        if log_in.points > 0 {
            store::charge(&mut tx, id, log_in.points).await?;
        }
    }
    for hall in halls::HALLS {
        halls::build(&mut tx, hall).await?;
    }
    for program in programs::PROGRAMS {
        programs::announce(&mut tx, program).await?;
    }
    tx.commit().await?;
    Ok(true)
}
