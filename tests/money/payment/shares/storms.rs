//! Many pay at the same moment: each share is paid once, and the reservation is confirmed once.

use super::*;
use crate::support::{count, run_sql, storm};

const FRIENDS: usize = 20;

#[sqlx::test]
async fn of_many_friends_who_pay_one_share_at_once_one_does(db: PgPool) {
    let party = Party::new(&db, 2, FRIENDS).await;
    let path = party.share_each(1).await.remove(0);
    let answers = storm(party.friends.iter().cloned().map(|friend| {
        let path = path.clone();
        async move { pay_share(&friend, &path).await }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), 1, "{answers:?}");
    assert_eq!(count(&answers, 409, "share-taken"), FRIENDS - 1, "{answers:?}");
    let holds = "select count(*) from point_transactions where kind = 'SHARE_HOLD'";
    assert_eq!(read_all::<i64>(&db, holds).await, [1]);
    assert_eq!(party.pay_rest().await.json()["status"], "PAID");
    party.office.close().await;
}

/// Without the lock on the reservation each of two friends reads an open share; the update that names
/// the version is left to refuse the second. Without both, the first payer's points would stay withheld
/// for nothing.
#[sqlx::test]
async fn without_the_version_the_storm_withholds_twice(db: PgPool) {
    let party = Party::new(&db, 2, FRIENDS).await;
    party.share_each(1).await;
    run_sql(&db, "alter table shares disable trigger shares_only_forward").await;
    let open = "select count(*) from shares where status = 'OPEN'";
    // All look before one pays: what a storm does to statements without a lock, made certain.
    assert_eq!(read_all::<i64>(&db, open).await, [1]);
    for friend in &party.friends {
        let naive = "with paid as (
                 update shares set status = 'WITHHELD', payer_id = $1, withheld_at = now(),
                     version = version + 1
                 where status in ('OPEN', 'WITHHELD') returning id, amount
             ), moved as (
                 update wallets w set pending = pending + paid.amount, version = w.version + 1
                 from paid where w.account_id = $1
                 returning w.id as wallet_id, w.version, w.balance, paid.id, paid.amount
             )
             insert into point_transactions
                 (id, wallet_id, wallet_version, kind, amount, pending_change, balance_after,
                  reference_id)
             select gen_random_uuid(), wallet_id, version, 'SHARE_HOLD', 0, amount, balance, id
             from moved";
        run_sql_with(&db, naive, friend.account_id).await;
    }
    let found = crate::support::ledger::violations(&party.office).await;
    assert!(found.iter().any(|sentence| sentence.starts_with("P6")), "{found:?}");
    party.office.close_as_it_is().await;
}

#[sqlx::test]
async fn of_eight_shares_paid_at_once_exactly_one_confirms_and_the_sum_is_exact(db: PgPool) {
    let party = Party::new(&db, 8, 7).await;
    let Party { office, ada, friends, id, .. } = &party;
    let paths = party.share_each(7).await;
    let rest = format!("/reservations/{id}/rest/payment");
    let mut payers: Vec<(Person, String)> =
        friends.iter().cloned().zip(paths.iter().map(|path| format!("{path}/payment"))).collect();
    payers.push((ada.clone(), rest));
    let answers = storm(payers.into_iter().enumerate().map(|(idx, (person, path))| {
        let person = office.moved(&person, idx);
        async move { person.post(&path, &()).await }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), 8, "{answers:?}");
    let confirmed = answers.iter().filter(|answer| answer.json()["status"] == "PAID").count();
    assert_eq!(confirmed, 1, "{answers:?}");
    assert_eq!(status_of(&db, *id).await, "CONFIRMED");
    let spent = "select sum(amount)::bigint from point_transactions where kind = 'PAYMENT'";
    assert_eq!(read_all::<i64>(&db, spent).await, [-8 * PRICE]);
    assert_eq!(read_all::<i64>(&db, "select count(*) from payments").await, [8]);
    for person in friends.iter().chain([ada]) {
        assert_eq!(tickets_of(&db, person.account_id).await, 1);
    }
    party.office.close().await;
}

#[sqlx::test]
async fn a_click_on_pay_that_is_repeated_at_once_pays_one_share(db: PgPool) {
    let party = Party::new(&db, 2, 1).await;
    let path = party.share_each(1).await.remove(0);
    let key = Uuid::now_v7().to_string();
    let answers = storm((0..FRIENDS).map(|idx| {
        let friend = party.office.moved(&party.friends[0], idx);
        let (path, key) = (format!("{path}/payment"), key.clone());
        async move { friend.post(&path, &[("request_key", key)]).await }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), FRIENDS, "{answers:?}");
    assert_eq!(entries(&db, party.friends[0].account_id, "SHARE_HOLD").await, 1);
    party.office.close().await;
}
