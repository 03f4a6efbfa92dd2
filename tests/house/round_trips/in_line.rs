//! Payment by a person who stands in line again: their place there is left alone.

use sqlx::PgPool;

use super::{Counted, REQUESTS_MAX, concert, join};
use crate::support::Hold;

/// Commands that such a payment sends to Redis: one, for the payer's limit of requests.
const COMMANDS: u64 = 1;

#[sqlx::test]
async fn a_payment_says_nothing_to_redis_of_a_payer_who_waits_again(db: PgPool) {
    let counted = Counted::open(&db).await;
    let full = concert(&db, 1).await;
    let first = counted.office.sign_in("first").await;
    counted.enter(&first, &full).await;
    let people = counted.office.crowd(REQUESTS_MAX, "again").await;
    let mut reservations = Vec::new();
    for (person, seat_id) in people.iter().zip(&full.seat_ids) {
        let charged = person.post("/wallet/charges", &[("amount", 1_000_000)]).await;
        assert_eq!(charged.status, 201, "{}", charged.body);
        assert_eq!(join(person, &full).await.json()["status"], "WAITING");
        let hold = Hold { seat_ids: &[*seat_id], ..Hold::default() };
        reservations.push(hold.write(&db, &full, person.account_id).await);
    }
    let home = (&first, "/");
    let payment = counted.usual("payment by somebody in line", 201, home, |nth| {
        let path = format!("/reservations/{}/payment", reservations[nth]);
        let person = people[nth].clone();
        async move {
            let key = ("request_key", uuid::Uuid::now_v7().to_string());
            person.post(&path, &[key]).await
        }
    });
    let (_, [_, to_redis, _]) = payment.await;
    assert_eq!(to_redis, COMMANDS);
    counted.office.close().await;
}
