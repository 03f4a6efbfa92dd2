//! Batches of payments: what is paid together, and what is paid alone.

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
        batcher::{Batch, Batcher, Member, shard_of},
        idempotency::RequestKey,
    },
    reservation::ReservationId,
};

/// Batches of payments that one instance writes at the same time. More would be smaller, and would
/// cost PostgreSQL more commits for the same payments.
const SHARDS: u8 = 2;
/// Payments of one batch that are paid alone at the same time.
const ALONE_MAX: usize = 4;

/// Payments of one instance.
#[derive(Clone, Debug)]
pub struct Payments(Arc<Batcher<PaymentBatch>>);

impl Payments {
    /// Creates the payments of one instance; batches run on the runtime of the caller.
    pub fn new(app: &App) -> Self {
        Self(Arc::new(Batcher::new(PaymentBatch { app: app.clone() }, Handle::current())))
    }

    /// Pays a hold of `account_id` as [`pay`] does, together with others that arrive meanwhile.
    pub async fn pay(
        &self,
        account_id: AccountId,
        reservation_id: ReservationId,
        key: Option<&RequestKey>,
    ) -> Result<Paid, PaymentError> {
        let request = || PaymentRequest { account_id, reservation_id, key: key.cloned() };
        self.0.submit(shard_of(account_id.0, SHARDS), request).await?
    }
}

/// Batches of payments of one shard.
#[derive(Debug)]
struct PaymentBatch {
    app: App,
}

impl Batch for PaymentBatch {
    const KIND: &'static str = "payment";
    const MEMBERS_MAX: usize = 64;
    const WAITING_MAX: usize = 5_000;
    const RUN_MAX: Duration = Duration::from_secs(20);

    type Key = u8;
    type Request = PaymentRequest;
    type Answer = Result<Paid, PaymentError>;

    /// Pays together what is simply paid. Whatever else there is to say or to wait for, [`pay`]
    /// says and waits for, of each payment alone; the next batch does not wait for those, nor for
    /// the projection of the stays that ended.
    async fn run(&self, _: u8, members: Vec<Member<Self>>) {
        let requests: Vec<&PaymentRequest> = members.iter().map(|member| &member.request).collect();
        let together = match together::pay_together(&self.app, &requests).await {
            Ok(together) => together,
            Err(error) => {
                tracing::warn!(%error, n = members.len(), "a batch of payments is taken apart");
                PaidTogether::nothing(members.len())
            }
        };
        tokio::spawn(answer(self.app.clone(), members, together));
    }
}

/// Answers what was paid, and pays the others alone. Where nobody knows what became of the commit,
/// those without a request key are lost: being paid by it and before it look the same.
async fn answer(app: App, members: Vec<Member<PaymentBatch>>, together: PaidTogether) {
    together.publication.publish(&app).await;
    let mut left = Vec::new();
    for (member, paid) in members.into_iter().zip(together.paid) {
        match paid {
            Some(paid) => member.answer(Ok(paid)),
            None if together.is_known || member.request.key.is_some() => left.push(member),
            None => drop(member),
        }
    }
    let paying = stream::iter(left).for_each_concurrent(ALONE_MAX, |member| async {
        let PaymentRequest { account_id, reservation_id, key } = &member.request;
        let paid = pay(&app, *account_id, *reservation_id, key.as_ref()).await;
        member.answer(paid);
    });
    paying.await;
}
