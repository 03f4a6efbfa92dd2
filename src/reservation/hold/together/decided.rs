//! Decided holds of one transaction, before and after its commit.

use std::collections::HashSet;

use super::locked_rows::wait_for_stock;
use crate::{
    accounts::AccountId,
    app::App,
    infra::postgres::{Transaction, is_unavailable},
    reservation::{
        error::ReservationError,
        hold::{request::ChosenRequest, store::new_holds},
        model::{Hold, ReservationId},
    },
};

/// Holds that are decided and written, and not committed yet.
#[derive(Debug, Default)]
pub(in crate::reservation::hold) struct DecidedTogether {
    /// Transaction to be committed; `None` if no hold was written.
    tx: Option<Transaction>,
    outcomes: Vec<Option<Result<Hold, ReservationError>>>,
    ids: Vec<ReservationId>,
    extended: Vec<AccountId>,
}

impl DecidedTogether {
    /// Returns the outcomes of a transaction that wrote nothing and was rolled back.
    pub(super) fn refused(outcomes: Vec<Option<Result<Hold, ReservationError>>>) -> Self {
        Self { outcomes, ..Self::default() }
    }

    /// Returns the outcomes of the transaction `tx`, which has written the holds `ids`.
    pub(super) fn written(
        tx: Transaction,
        outcomes: Vec<Option<Result<Hold, ReservationError>>>,
        ids: Vec<ReservationId>,
        extended: Vec<AccountId>,
    ) -> Self {
        Self { tx: Some(tx), outcomes, ids, extended }
    }

    /// Commits the holds. `requests` are the requests that they were decided for.
    pub(in crate::reservation::hold) async fn commit(
        self,
        app: &App,
        requests: &[&ChosenRequest],
    ) -> Result<HeldTogether, ReservationError> {
        let Self { tx, outcomes, ids, extended } = self;
        let Some(tx) = tx else {
            return Ok(HeldTogether { outcomes, ..HeldTogether::nothing(0, true) });
        };
        let together = HeldTogether { outcomes, is_known: true, n_held: ids.len(), extended };
        match tx.commit().await {
            Ok(()) => Ok(together),
            Err(lost) if is_unavailable(&lost) => {
                tracing::warn!(%lost, n = together.n_held, "the commit of holds got no answer");
                Ok(together.found(app, requests, &ids).await)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Result of one transaction.
#[derive(Debug)]
pub(in crate::reservation::hold) struct HeldTogether {
    /// Outcome of each request, in their order; `None` for requests that were left out.
    pub(in crate::reservation::hold) outcomes: Vec<Option<Result<Hold, ReservationError>>>,
    /// Whether the outcome of the commit is known. If it is not, a request that is left out may
    /// have been carried out.
    pub(in crate::reservation::hold) is_known: bool,
    /// Number of holds that were made.
    pub(super) n_held: usize,
    /// Accounts whose stay was extended.
    pub(super) extended: Vec<AccountId>,
}

impl HeldTogether {
    /// Returns the result of a transaction that decided nothing.
    pub(in crate::reservation::hold) fn nothing(n_requests: usize, is_known: bool) -> Self {
        let outcomes = (0..n_requests).map(|_| None).collect();
        Self { outcomes, is_known, n_held: 0, extended: Vec::new() }
    }

    /// Returns the outcomes after a commit without an answer, by which all of the holds `ids` are
    /// written, or none. Only written holds keep their outcome: a refusal may be due to a hold that
    /// was rolled back.
    async fn found(
        mut self,
        app: &App,
        requests: &[&ChosenRequest],
        ids: &[ReservationId],
    ) -> Self {
        let written = match find_written(app, requests, ids).await {
            Ok(written) => written,
            Err(error) => {
                tracing::warn!(%error, "what became of them is unknown");
                return Self::nothing(requests.len(), false);
            }
        };
        for outcome in &mut self.outcomes {
            let is_written = |made: &Hold| written.contains(&made.reservation_id);
            if !matches!(outcome, Some(Ok(made)) if is_written(made)) {
                *outcome = None;
            }
        }
        Self { n_held: written.len(), ..self }
    }
}

/// Returns the ids in `ids` that are written, after a commit without an answer. The commit may
/// still be under way and hold the seats or the zone; their locks are waited for, until it has
/// arrived or its connection has ended.
async fn find_written(
    app: &App,
    requests: &[&ChosenRequest],
    ids: &[ReservationId],
) -> Result<HashSet<ReservationId>, sqlx::Error> {
    let mut tx = wait_for_stock(app, requests).await?;
    let written = new_holds::list_written(&mut tx, ids).await?;
    tx.rollback().await?;
    Ok(written.into_iter().collect())
}
