//! New wishes: wishes of one performance that arrive while others are written go together, in one
//! transaction that locks the list exclusively.

use std::{collections::HashMap, sync::Arc, time::Duration};

use futures_util::{StreamExt, stream};
use tokio::runtime::Handle;

use super::{
    decisions::{ListState, WishDecisions},
    error::WaitingListError,
    matching::FreePlaces,
    model::{SEATS_MAX, WishRequest, Wished},
    store::{
        self,
        offers::{Wanted, find_terms, list_free_seats, list_free_zones, list_sellers},
        own::list_parts,
    },
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::ScheduleId,
    infra::{
        batcher::{Batch, Batcher, Member, Rest},
        idempotency::Outcomes,
        postgres::{Connection, is_unavailable, retry_stale},
    },
    reservation::hold::store::list_terms,
};

/// Wishes of a failed batch that are made alone at the same time.
const ALONE_MAX: usize = 4;

/// Wishes of one instance; clones share them.
#[derive(Clone, Debug)]
pub struct Wishes(Arc<Batcher<WishBatch>>);

impl Wishes {
    /// Creates the wishes of one instance; batches run on the runtime of the caller.
    pub fn new(app: &App) -> Self {
        Self(Arc::new(Batcher::new(WishBatch { app: app.clone() }, Handle::current())))
    }

    /// Adds a wish at the end of the list of a performance. A key that made a wish before returns
    /// it.
    pub(super) async fn join(
        &self,
        schedule_id: ScheduleId,
        request: WishRequest,
    ) -> Result<Wished, WaitingListError> {
        self.0.submit(schedule_id, || request).await?
    }
}

/// Batches of wishes of one performance.
#[derive(Clone, Debug)]
struct WishBatch {
    app: App,
}

impl Batch for WishBatch {
    const KIND: &'static str = "wish";
    const MEMBERS_MAX: usize = 64;
    const WAITING_MAX: usize = 5_000;
    const RUN_MAX: Duration = Duration::from_secs(20);

    type Key = ScheduleId;
    type Request = WishRequest;
    type Answer = Result<Wished, WaitingListError>;

    /// Makes the wishes in one transaction. Wishes of a failed batch are made alone, in no order.
    /// If the outcome of the commit is unknown, wishes without a request key get no answer.
    async fn run(&self, schedule_id: ScheduleId, members: Vec<Member<Self>>) -> Option<Rest> {
        let requests: Vec<&WishRequest> = members.iter().map(|member| &member.request).collect();
        let error = match join_together(&self.app, schedule_id, &requests).await {
            Ok(outcomes) => {
                for (member, outcome) in members.into_iter().zip(outcomes) {
                    member.answer(outcome);
                }
                return None;
            }
            Err(error) => error,
        };
        tracing::warn!(%error, n = members.len(), "a batch of wishes is taken apart");
        let is_known = !matches!(&error, WaitingListError::Database(lost) if is_unavailable(lost));
        let left = members.into_iter().filter(|member| is_known || member.request.key.is_some());
        let joining = stream::iter(left).for_each_concurrent(ALONE_MAX, |member| async {
            let alone = retry_stale(|_| async {
                let outcomes = join_together(&self.app, schedule_id, &[&member.request]).await?;
                outcomes.into_iter().next().unwrap_or(Err(WaitingListError::Busy))
            });
            let outcome = alone.await;
            member.answer(outcome);
        });
        joining.await;
        None
    }
}

/// Adds wishes to a list, in their order. Returns the outcome of each. An error of the whole batch
/// means that no wish was written, or that the outcome of the commit is unknown.
async fn join_together(
    app: &App,
    schedule_id: ScheduleId,
    requests: &[&WishRequest],
) -> Result<Vec<Result<Wished, WaitingListError>>, WaitingListError> {
    let mut tx = app.db.begin().await?;
    let list = store::lock(&mut tx, schedule_id).await?.ok_or(WaitingListError::NotFound)?;
    let keys: Vec<_> = requests.iter().filter_map(|request| request.key.as_ref()).collect();
    let mut outcomes = Outcomes::read(&mut tx, &keys).await?;
    let state = read_state(app, &mut tx, schedule_id, list.waiting, requests).await?;
    let mut decisions = WishDecisions::new(state, list.next_number);
    let decided: Vec<_> =
        requests.iter().map(|request| decisions.decide(request, &mut outcomes)).collect();
    if !decisions.new.is_empty() {
        store::insert(&mut tx, (list.program_id, schedule_id), &decisions.new).await?;
        outcomes.write(&mut tx).await?;
        tx.commit().await?;
    }
    Ok(decided)
}

async fn read_state(
    app: &App,
    tx: &mut Connection,
    schedule_id: ScheduleId,
    waiting: i32,
    requests: &[&WishRequest],
) -> Result<ListState, WaitingListError> {
    let accounts: Vec<AccountId> = requests.iter().map(|request| request.account_id).collect();
    let (_, offers) = find_terms(tx, schedule_id).await?.ok_or(WaitingListError::NotFound)?;
    let terms = list_terms(tx, schedule_id, &accounts, &[]).await?;
    let wanted = Wanted::By(requests.iter().map(|request| &request.order).collect());
    let seats = list_free_seats(tx, schedule_id, offers.keeps_places, &wanted, SEATS_MAX).await?;
    Ok(ListState {
        terms: terms.into_iter().map(|terms| (terms.account_id, terms)).collect::<HashMap<_, _>>(),
        parts: list_parts(&mut *tx, schedule_id).await?,
        free: FreePlaces {
            places_min: offers.places_min,
            sellers: list_sellers(tx, &seats).await?,
            seats,
            zones: list_free_zones(tx, schedule_id).await?,
        },
        offers,
        wishers: store::list_wishers(tx, schedule_id, &accounts).await?.into_iter().collect(),
        waiting,
        places_max: i64::from(app.config.seats_per_hold_max.get()),
    })
}
