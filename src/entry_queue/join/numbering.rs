//! Transaction that decides the joins of a batch and numbers the accepted ones.

use std::collections::{HashMap, HashSet};

use super::{
    admission::JoinAdmission,
    model::{JoinRequest, JoinVerdict, Standing, WrittenJoins},
    rows::NewRows,
    store::{self, LockedNumbers},
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
        draw::{close::close, store::entries as draw},
        guards::{judge::Judge, store::waits},
        model::{QueueNumber, TokenId},
        rules::Rules,
    },
    infra::postgres::{self, Connection, LineMarkKind, Transaction},
};

/// Attempts to write a batch whose outcome is unknown or that lost a race.
const ATTEMPTS_MAX: u32 = 3;

/// Writes `joins` and returns their verdicts and the issued tokens. Writes again when a deadlock was
/// broken or the answer to COMMIT got lost: tokens with the ids of `joins` are then found to exist.
pub(crate) async fn write(
    app: &App,
    program_id: ProgramId,
    joins: &[JoinRequest],
) -> Result<WrittenJoins, sqlx::Error> {
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
/// others and, where no account waits, admits as many of them as there is room for, in three conversations.
async fn write_once(
    app: &App,
    program_id: ProgramId,
    joins: &[JoinRequest],
    is_again: bool,
) -> Result<WrittenJoins, sqlx::Error> {
    let accounts = accounts_of(joins);
    let tokens = if is_again { tokens_of(joins) } else { Vec::new() };
    let (mut tx, locked) = lock(app, program_id, &accounts, &tokens).await?;
    let LockedNumbers { next: mut first, written, mut rules, joining, gate } = locked;
    let is_first_attempt = written.is_empty();
    if rules.is_close_due() {
        first = close(&mut tx, program_id).await?.unwrap_or(first);
        rules.draw = Some(DrawStep::Closed);
    }
    let gates = gates_of(&mut tx, program_id, &accounts, &rules).await?;
    let joining = if let Some(joining) = joining {
        joining
    } else {
        let has_entries = rules.draw.is_some_and(|step| step != DrawStep::Drawn);
        store::lock_joining(&mut tx, program_id, &accounts, has_entries).await?
    };
    let mut decisions = Decisions {
        standings: joining.into_iter().collect(),
        ..Decisions::of(&rules, &gates, written)
    };
    if joins.iter().any(|join| decisions.may_join(join.account_id)) {
        let people: Vec<_> = joins.iter().map(|join| (join.account_id, join.arrival)).collect();
        decisions.judge =
            Judge::of(&mut tx, program_id, rules.guards(), &people, rules.now).await?;
    }
    let verdicts: Vec<JoinVerdict> = joins.iter().map(|join| decisions.decide(join)).collect();
    let Decisions { accepted, joined, ended, judge, .. } = decisions;
    if !ended.is_empty() {
        store::end_stays(&mut tx, program_id, &ended).await?;
    }
    let admission = JoinAdmission::of(&rules, gate, joined.len());
    match accepted {
        _ if joined.is_empty() => {}
        JoinVerdict::Entered => enter(&mut tx, program_id, &joined, &judge).await?,
        _ => {
            let new =
                NewRows { gates: gates_column(&gates, &joined), ..NewRows::of(&joined, &judge) };
            number(&mut tx, program_id, &new, first, &admission, &judge).await?;
        }
    }
    tx.commit().await?;
    note_numbers(
        app,
        program_id,
        first,
        if accepted == JoinVerdict::Joined { joined.len() } else { 0 },
    );
    let is_drawn = rules.draw.is_none_or(|step| step == DrawStep::Drawn);
    let places = (is_first_attempt && is_drawn).then(|| admission.places(&joined, first));
    let n_admitted = places.iter().flatten().filter(|place| place.stay_ends_at.is_some()).count();
    metrics::counter!("stagedoor_admissions_total")
        .increment(u64::try_from(n_admitted).unwrap_or(0));
    Ok(WrittenJoins { verdicts, places, is_full: admission.is_full })
}

/// Remembers that numbers up to `n_new` from `first` on are given.
fn note_numbers(app: &App, program_id: ProgramId, first: QueueNumber, n_new: usize) {
    let last = first.0 - 1 + i64::try_from(n_new).unwrap_or_default();
    app.db.marks().note_line(program_id.0, LineMarkKind::Number, last);
}

/// Opens a transaction, and locks in it the numbers of the program and the accounts. The first join of
/// a program inserts its row of numbers.
async fn lock(
    app: &App,
    program_id: ProgramId,
    accounts: &[AccountId],
    tokens: &[TokenId],
) -> Result<(Transaction, LockedNumbers), sqlx::Error> {
    let opening = store::locks_for(program_id, accounts, tokens);
    let (mut tx, row) = app.db.begin_with(&opening).await?;
    if let Some(locked) = LockedNumbers::read(&row)? {
        return Ok((tx, locked));
    }
    store::lock_next_number(&mut tx, program_id).await?;
    let row = opening.call_in(&mut tx).await?;
    Ok((tx, LockedNumbers::read(&row)?.ok_or(sqlx::Error::RowNotFound)?))
}

/// Decisions on the joins of a batch, in their order.
struct Decisions<'a> {
    rules: &'a Rules,
    gates: &'a HashMap<AccountId, OwnGate>,
    /// Why no account may join at this moment.
    refusal: Option<JoinVerdict>,
    /// Verdict on a join that nothing refuses.
    accepted: JoinVerdict,
    /// Tokens that an earlier attempt has written.
    written: HashSet<TokenId>,
    standings: HashMap<AccountId, Standing>,
    judge: Judge,
    joined: Vec<JoinRequest>,
    /// Accounts of `joined` whose stays have run out.
    ended: Vec<AccountId>,
}

impl<'a> Decisions<'a> {
    fn of(
        rules: &'a Rules,
        gates: &'a HashMap<AccountId, OwnGate>,
        written: HashSet<TokenId>,
    ) -> Self {
        let accepted = match rules.draw {
            Some(DrawStep::Open) => JoinVerdict::Entered,
            _ => JoinVerdict::Joined,
        };
        Self {
            rules,
            gates,
            refusal: refusal_of(rules),
            accepted,
            written,
            standings: HashMap::new(),
            judge: Judge::default(),
            joined: Vec::new(),
            ended: Vec::new(),
        }
    }

    fn may_join(&self, account_id: AccountId) -> bool {
        match self.refusal {
            None => true,
            // An account that may use an open access gate joins before the sale opens.
            Some(JoinVerdict::NotOpen { .. }) => {
                self.gates.get(&account_id).is_some_and(|gate| gate.is_open(self.rules.now))
            }
            Some(_) => false,
        }
    }

    fn decide(&mut self, join: &JoinRequest) -> JoinVerdict {
        if self.written.contains(&join.token_id) {
            return self.accepted;
        }
        // Of two joins of one account in one batch the first gets the number.
        match self.standings.get(&join.account_id) {
            None => return JoinVerdict::AccountGone,
            Some(Standing::In) => return JoinVerdict::AlreadyIn,
            Some(Standing::Out | Standing::Ended) => (),
        }
        if let Some(refusal) = self.refusal
            && !self.may_join(join.account_id)
        {
            return refusal.opening_with(self.gates.get(&join.account_id));
        }
        if let Err(objection) = self.judge.admit(join.account_id, join.arrival) {
            return JoinVerdict::Refused(objection);
        }
        if self.standings.insert(join.account_id, Standing::In) == Some(Standing::Ended) {
            self.ended.push(join.account_id);
        }
        self.joined.push(*join);
        self.accepted
    }
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
    accounts: &[AccountId],
    rules: &Rules,
) -> Result<HashMap<AccountId, OwnGate>, sqlx::Error> {
    if !rules.has_access_gates {
        return Ok(HashMap::new());
    }
    let gates = access_gates::list_of_accounts(&mut *tx, program_id, accounts).await?;
    Ok(gates.into_iter().map(|gate| (gate.account_id, gate)).collect())
}

/// Inserts the tokens `new` with numbers from `first` on, admits as many as `admission` says, and writes the
/// number after them.
async fn number(
    tx: &mut Connection,
    program_id: ProgramId,
    new: &NewRows,
    first: QueueNumber,
    admission: &JoinAdmission,
    judge: &Judge,
) -> Result<(), sqlx::Error> {
    admission.write(tx, program_id, new, first).await?;
    if judge.asks_for_work() {
        waits::delete_waits(tx, program_id, &new.accounts).await?;
    }
    Ok(())
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
