//! SQL that writes the movements of many wallets in one statement.

use uuid::Uuid;

use crate::{
    infra::postgres::Connection,
    points::Points,
    wallet::{
        error::WalletError,
        model::{Movement, Wallet, WalletId},
    },
};

/// Movements to be written: the columns of their entries, in order.
#[derive(Debug, Default)]
pub(crate) struct Movements {
    ids: Vec<Uuid>,
    wallets: Vec<WalletId>,
    /// Version of the wallet that each entry makes.
    versions: Vec<i64>,
    amounts: Vec<i64>,
    balances: Vec<Points>,
    references: Vec<Uuid>,
    kinds: Vec<String>,
}

impl Movements {
    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Adds the entry of a movement that takes `before` to `after`. The withheld points stay.
    pub(crate) fn add(&mut self, before: &Wallet, after: &Wallet, movement: &Movement) {
        self.ids.push(Uuid::now_v7());
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
    let written = sqlx::query!(
        r#"
        with entries as materialized (
            select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[],
                $6::uuid[], $7::text[])
                as entry (id, wallet_id, version, amount, balance, reference_id, kind)
        ), locked as materialized (
            select wallet_id, min(version) - 1 as version, count(*) as n, sum(amount)::bigint as amount
            from entries
            group by wallet_id
        ), moved as (
            update wallets w
            set balance = w.balance + locked.amount, version = w.version + locked.n
            from locked
            where w.id = locked.wallet_id and w.version = locked.version
            returning w.id
        ), house as (
            insert into house_entries (wallet_id, wallet_version, amount)
            select wallet_id, version, -amount from entries where wallet_id in (select id from moved)
        )
        insert into point_transactions
            (id, wallet_id, wallet_version, kind, amount, pending_change, balance_after, reference_id)
        select id, wallet_id, version, kind, amount, 0, balance, reference_id
        from entries
        where wallet_id in (select id from moved)
        "#,
        &movements.ids,
        movements.wallets as _,
        &movements.versions,
        &movements.amounts,
        movements.balances as _,
        &movements.references,
        &movements.kinds,
    )
    .execute(tx)
    .await?
    .rows_affected();
    let n_entries = u64::try_from(movements.ids.len()).unwrap_or(u64::MAX);
    if written == n_entries { Ok(()) } else { Err(WalletError::StaleVersion) }
}
