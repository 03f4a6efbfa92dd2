//! Batches of payments: payments in one transaction, and payments that go alone.

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt, stream};
use tokio::runtime::Handle;

use super::{
    error::PaymentError,
    model::{Paid, PaymentRequest},
    pay::pay,
    together::{self, PaidTogether},
};
use crate::{
    accounts::AccountId,
    app::App,
    infra::{
        batcher::{Batch, Batcher, Member, Rest},
        idempotency::RequestKey,
    },
    reservation::ReservationId,
};

/// Payments left out of a batch that are paid alone at the same time.
const ALONE_MAX: usize = 4;

/// Payments of one instance.
#[derive(Clone, Debug)]
pub struct Payments(Arc<Batcher<PaymentBatch>>);

impl Payments {
    /// Creates the payments of one instance; batches run on the runtime of the caller.
    pub fn new(app: &App) -> Self {
        Self(Arc::new(Batcher::new(PaymentBatch { app: app.clone() }, Handle::current())))
    }

    /// Pays a hold of `account_id` as [`pay`] does, in one batch with other payments that arrive
    /// meanwhile.
    pub async fn pay(
        &self,
        account_id: AccountId,
        reservation_id: ReservationId,
        key: Option<&RequestKey>,
    ) -> Result<Paid, PaymentError> {
        let request = || PaymentRequest { account_id, reservation_id, key: key.cloned() };
        self.0.submit((), request).await?
    }
}

/// Batches of payments.
#[derive(Debug)]
struct PaymentBatch {
    app: App,
}

impl Batch for PaymentBatch {
    const KIND: &'static str = "payment";
    const MEMBERS_MAX: usize = 64;
    const WAITING_MAX: usize = 5_000;
    const RUN_MAX: Duration = Duration::from_secs(20);

    type Key = ();
    type Request = PaymentRequest;
    type Answer = Result<Paid, PaymentError>;

    /// Pays the holds that need neither a refusal nor a wait in one transaction; its commit is the
    /// returned rest. The other payments go through [`pay`] alone. The next batch waits neither for
    /// them nor for the projection of ended stays.
    async fn run(&self, (): (), members: Vec<Member<Self>>) -> Option<Rest> {
        let requests: Vec<&PaymentRequest> = members.iter().map(|member| &member.request).collect();
        let written = together::write_together(&self.app, &requests).await;
        let app = self.app.clone();
        Some(Box::pin(async move {
            let committing = async { written?.commit(&app).await };
            let together = committing.await.unwrap_or_else(|error| {
                tracing::warn!(%error, n = members.len(), "a batch of payments is taken apart");
                PaidTogether::nothing(members.len())
            });
            tokio::spawn(answer(app, members, together));
        }))
    }
}

/// Answers the members that were paid, projects the stays that ended, and pays the others alone. No
/// answer waits for Redis: PostgreSQL knows that the stay has ended, also while Redis still admits
/// the account. If the outcome of the commit is unknown, members without a request key get no
/// answer, because a payment by this commit cannot be told from an earlier one.
async fn answer(app: App, members: Vec<Member<PaymentBatch>>, together: PaidTogether) {
    let PaidTogether { paid, is_known, publication } = together;
    publication.announce(&app);
    let mut left = Vec::new();
    for (member, paid) in members.into_iter().zip(paid) {
        match paid {
            Some(paid) => member.answer(Ok(paid)),
            None if is_known || member.request.key.is_some() => left.push(member),
            None => drop(member),
        }
    }
    publication.project(&app).await;
    let paying = stream::iter(left).for_each_concurrent(ALONE_MAX, |member| async {
        let PaymentRequest { account_id, reservation_id, key } = &member.request;
        let paid = pay(&app, *account_id, *reservation_id, key.as_ref()).await;
        member.answer(paid);
    });
    paying.await;
}
