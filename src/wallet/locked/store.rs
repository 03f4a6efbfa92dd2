//! SQL that writes the movements of many wallets in one statement.

use uuid::Uuid;

use crate::{
    infra::{ids::new_id, postgres::Connection},
    points::Points,
    wallet::{
        error::WalletError,
        model::{Movement, Wallet, WalletId},
    },
};

/// Movements to be written: the columns of their entries, in order.
#[derive(Debug, Default)]
pub struct Movements {
    pub ids: Vec<Uuid>,
    pub wallets: Vec<WalletId>,
    /// Version of the wallet that each entry makes.
    pub versions: Vec<i64>,
    pub amounts: Vec<i64>,
    pub balances: Vec<Points>,
    pub references: Vec<Uuid>,
    pub kinds: Vec<String>,
}

impl Movements {
    /// Whether no wallet moves.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Fails unless all entries were written: `n_written` is their number.
    pub fn require_written(&self, n_written: i64) -> Result<(), WalletError> {
        match usize::try_from(n_written) == Ok(self.ids.len()) {
            true => Ok(()),
            false => Err(WalletError::StaleVersion),
        }
    }

    /// Adds the entry of a movement that takes `before` to `after`. The withheld points stay.
    pub fn add(&mut self, before: &Wallet, after: &Wallet, movement: &Movement) {
        self.ids.push(new_id());
        self.wallets.push(before.wallet_id);
        self.versions.push(after.version);
        self.amounts.push(movement.amount);
        self.balances.push(after.balance);
        self.references.push(movement.reference_id);
        self.kinds.push(movement.kind.as_ref().to_owned());
    }
}

/// Writes the wallets, their entries and their house entries in one statement; fails with
/// `StaleVersion` if a wallet has another version than the one before its first entry. The
/// other side of all of them is the house.
pub(crate) async fn write_movements(
    tx: &mut Connection,
    movements: &Movements,
) -> Result<(), WalletError> {
    let n_written = sqlx::query_scalar!(
        r#"select n_entries as "n_entries!" from move_points($1, $2, $3, $4, $5, $6, $7)"#,
        &movements.ids,
        movements.wallets as _,
        &movements.versions,
        &movements.amounts,
        movements.balances as _,
        &movements.references,
        &movements.kinds,
    )
    .fetch_one(tx)
    .await?;
    movements.require_written(n_written)
}
