//! Money that was returned to a buyer, or reinstated: one transaction, which also ends the withheld
//! shares whose points are taken back.

use crate::{
    infra::postgres::{Pool, retry_stale},
    payment::shares::{self, ShareError},
    wallet::charges::reversals::{self, Reversed, news::MoneyNews},
};

/// Books the news `told`, once, however often it is called.
pub(super) async fn reverse(db: &Pool, told: &MoneyNews) -> Result<Reversed, ShareError> {
    retry_stale(|_| async {
        let mut tx = db.begin().await?;
        let Some(buyer_id) = reversals::find_buyer(&mut tx, &told.payment_ref).await? else {
            return Ok(Reversed::Unknown);
        };
        let waiting = shares::lock_waiting_of(&mut tx, buyer_id).await?;
        let points = waiting.points();
        let (reversed, ended) = reversals::reverse(&mut tx, buyer_id, told, &points).await?;
        waiting.end(&mut tx, &ended).await?;
        tx.commit().await?;
        Ok(reversed)
    })
    .await
}
