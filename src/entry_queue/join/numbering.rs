//! Transaction that decides the joins of a batch and numbers those that may join.

use std::collections::{HashMap, HashSet};

use super::{
    model::{JoinRequest, JoinVerdict},
    rows::NewRows,
    store,
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{DrawStep, ProgramId, SaleState},
    entry_queue::{
        access_gates::{
            model::{AccessGateId, OwnGate},
            store as access_gates,
        },
        admission::store as gate,
        draw::{close::close, store::entries as draw},
        guards::{judge::Judge, store::waits},
        model::{QueueNumber, TokenId},
        rules::Rules,
    },
    infra::postgres::{self, Connection},
};

/// Attempts to write a batch whose outcome is unknown or that lost a race.
const ATTEMPTS_MAX: u32 = 3;

/// Writes `joins` and returns their verdicts, in the same order. Writes again when a deadlock was
/// broken or the answer to COMMIT got lost: tokens with the ids of `joins` are then found to exist.
pub(crate) async fn write(
    app: &App,
    program_id: ProgramId,
    joins: &[JoinRequest],
) -> Result<Vec<JoinVerdict>, sqlx::Error> {
    let mut n_failed = 0;
    loop {
        match write_once(app, program_id, joins, n_failed > 0).await {
            Err(error) if n_failed + 1 < ATTEMPTS_MAX && is_worth_another_attempt(&error) => {
                tracing::warn!(%program_id, %error, "a batch of joins is written again");
                n_failed += 1;
            }
            outcome => return outcome,
        }
    }
}

/// Whether the joins may be written although `error` was returned, or a race was lost.
fn is_worth_another_attempt(error: &sqlx::Error) -> bool {
    let is_cut_off = matches!(error, sqlx::Error::Io(_) | sqlx::Error::Protocol(_))
        || matches!(error, sqlx::Error::Database(_)) && postgres::is_unavailable(error);
    is_cut_off || postgres::is_conflict(error)
}

/// Writes `joins` in one transaction: locks, *then* reads the live tokens, *then* numbers the
/// others.
async fn write_once(
    app: &App,
    program_id: ProgramId,
    joins: &[JoinRequest],
    is_again: bool,
) -> Result<Vec<JoinVerdict>, sqlx::Error> {
    let mut tx = app.db.begin().await?;
    let mut first = store::lock_next_number(&mut tx, program_id).await?;
    let written: HashSet<TokenId> = match is_again {
        true => store::list_written(&mut tx, &tokens_of(joins)).await?.into_iter().collect(),
        false => HashSet::new(),
    };
    let mut rules = gate::rules_of(&mut tx, program_id).await?;
    if rules.is_close_due() {
        first = close(&mut tx, program_id).await?.unwrap_or(first);
        rules.draw = Some(DrawStep::Closed);
    }
    let refusal = refusal_of(&rules);
    let gates = gates_of(&mut tx, program_id, joins, &rules).await?;
    let has_entries = rules.draw.is_some_and(|step| step != DrawStep::Drawn);
    let joining =
        store::list_joining(&mut tx, program_id, &accounts_of(joins), has_entries).await?;
    let mut is_in: HashMap<AccountId, bool> = joining.into_iter().collect();
    let people: Vec<_> = joins.iter().map(|join| (join.account_id, join.arrival)).collect();
    let may_join = |account_id: AccountId| match refusal {
        None => true,
        // Who may use an open access gate joins before the sale opens.
        Some(JoinVerdict::NotOpen { .. }) => {
            gates.get(&account_id).is_some_and(|gate| gate.is_open(rules.now))
        }
        Some(_) => false,
    };
    let mut judge = match people.iter().any(|(account_id, _)| may_join(*account_id)) {
        true => Judge::of(&mut tx, program_id, rules.guards(), &people, rules.now).await?,
        false => Judge::default(),
    };

    let accepted = match rules.draw {
        Some(DrawStep::Open) => JoinVerdict::Entered,
        _ => JoinVerdict::Joined,
    };
    let mut joined = Vec::new();
    let verdicts = joins.iter().map(|join| {
        if written.contains(&join.token_id) {
            return accepted;
        }
        // Of two joins of one account in one batch the first gets the number.
        match is_in.get(&join.account_id) {
            None => return JoinVerdict::AccountGone,
            Some(true) => return JoinVerdict::AlreadyIn,
            Some(false) => (),
        }
        if let Some(refusal) = refusal
            && !may_join(join.account_id)
        {
            return refusal.opening_with(gates.get(&join.account_id));
        }
        if let Err(objection) = judge.admit(join.account_id, join.arrival) {
            return JoinVerdict::Refused(objection);
        }
        is_in.insert(join.account_id, true);
        joined.push(*join);
        accepted
    });
    let verdicts: Vec<JoinVerdict> = verdicts.collect();
    match accepted {
        _ if joined.is_empty() => {}
        JoinVerdict::Entered => enter(&mut tx, program_id, &joined, &judge).await?,
        _ => {
            let new =
                NewRows { gates: gates_column(&gates, &joined), ..NewRows::of(&joined, &judge) };
            number(&mut tx, program_id, &new, first, &rules, &judge).await?;
        }
    }
    tx.commit().await?;
    Ok(verdicts)
}

/// Returns why no account may join at this moment; `None` while the sale is open, and before it opens
/// with a draw.
fn refusal_of(rules: &Rules) -> Option<JoinVerdict> {
    match rules.sale() {
        SaleState::Open => None,
        SaleState::Coming { .. } if rules.draw.is_some() => None,
        SaleState::Coming { opens_at } => Some(JoinVerdict::NotOpen { opens_at }),
        SaleState::Closed | SaleState::Cancelled => Some(JoinVerdict::Closed),
    }
}

/// Returns the access gate that each of the joining accounts may use.
async fn gates_of(
    tx: &mut Connection,
    program_id: ProgramId,
    joins: &[JoinRequest],
    rules: &Rules,
) -> Result<HashMap<AccountId, OwnGate>, sqlx::Error> {
    if !rules.has_access_gates {
        return Ok(HashMap::new());
    }
    let gates = access_gates::list_of_accounts(&mut *tx, program_id, &accounts_of(joins)).await?;
    Ok(gates.into_iter().map(|gate| (gate.account_id, gate)).collect())
}

/// Inserts the tokens `new` with numbers from `first` on, and writes the number after them.
async fn number(
    tx: &mut Connection,
    program_id: ProgramId,
    new: &NewRows,
    first: QueueNumber,
    rules: &Rules,
    judge: &Judge,
) -> Result<(), sqlx::Error> {
    let stay_ends_at = match rules.is_open_door() {
        // Admitting a join at once is a way in like any other, so it locks the gate.
        true => {
            gate::lock_gate(tx, program_id).await?;
            Some(rules.stay_ends_at())
        }
        false => None,
    };
    store::insert_tokens(tx, program_id, new, first, stay_ends_at).await?;
    if judge.asks_for_work() {
        waits::delete_waits(tx, program_id, &new.accounts).await?;
    }
    let n_new = i64::try_from(new.tokens.len()).unwrap_or(i64::MAX);
    store::write_next_number(tx, program_id, QueueNumber(first.0 + n_new)).await
}

/// Inserts entries of the opening draw for `joined`.
async fn enter(
    tx: &mut Connection,
    program_id: ProgramId,
    joined: &[JoinRequest],
    judge: &Judge,
) -> Result<(), sqlx::Error> {
    let new = NewRows::of(joined, judge);
    draw::insert_entries(tx, program_id, &new).await?;
    if judge.asks_for_work() {
        waits::delete_waits(tx, program_id, &new.accounts).await?;
    }
    Ok(())
}

fn gates_column(
    gates: &HashMap<AccountId, OwnGate>,
    joined: &[JoinRequest],
) -> Option<Vec<Option<AccessGateId>>> {
    let own = |join: &JoinRequest| gates.get(&join.account_id).map(|gate| gate.id);
    (!gates.is_empty()).then(|| joined.iter().map(own).collect())
}

fn tokens_of(joins: &[JoinRequest]) -> Vec<TokenId> {
    joins.iter().map(|join| join.token_id).collect()
}

fn accounts_of(joins: &[JoinRequest]) -> Vec<AccountId> {
    joins.iter().map(|join| join.account_id).collect()
}
