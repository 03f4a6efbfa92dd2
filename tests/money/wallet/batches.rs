//! Charges that arrive together are settled together.

use futures_util::future::join_all;
use serde_json::json;
use sqlx::{Connection, PgConnection, PgPool};
use stagedoor::{
    accounts::AccountId,
    infra::{
        idempotency::{KeyError, RequestKey},
        postgres::Pool,
    },
    wallet::{Charge, ChargeAmount, Charged, Charges, WalletError},
};
use uuid::Uuid;

use crate::support::{
    CutWire, Office, Person,
    ledger::{balance, violations},
    read_all, read_one, run_sql, run_sql_with, until,
};

/// Charges of one batch.
const MEMBERS_MAX: usize = 100;

fn charge_of(person: &Person, amount: i64) -> Charge {
    Charge {
        charge_id: Uuid::now_v7(),
        account_id: AccountId(person.account_id),
        amount: ChargeAmount::new(amount).unwrap(),
    }
}

fn key_of(charge: &Charge, key: Uuid) -> RequestKey {
    RequestKey::new(charge.account_id.0, key, "charge", &charge.amount)
}

/// Settles `all` at once. The test has one thread, so all are there before the first batch begins.
async fn settle_all(charges: &Charges, all: &[Charge]) -> Vec<Result<Charged, WalletError>> {
    join_all(all.iter().map(|charge| charges.settle(charge, None))).await
}

fn balances(settled: Vec<Result<Charged, WalletError>>) -> Vec<i64> {
    settled.into_iter().map(|charged| charged.unwrap().balance.get()).collect()
}

async fn n_transactions(db: &PgPool) -> i64 {
    read_one(db, "select count(distinct xmin::text) from point_transactions").await
}

/// Settles `all` at once, more than one batch has, while commits of entries are held; lets them go when
/// `n_written` further transactions are written, and returns the balances.
async fn settle_beside_a_commit(office: &Office, all: Vec<Charge>, n_written: i64) -> Vec<i64> {
    let gate = "create function wait_for_gate() returns trigger language plpgsql as $$ begin
             while exists (
                 select from pg_locks join pg_database d on d.oid = database
                 where locktype = 'advisory' and d.datname = current_database())
             loop perform pg_sleep(0.005); end loop;
             return null;
         end $$;
         create constraint trigger commit_gate after insert on point_transactions
             deferrable initially deferred for each row execute function wait_for_gate()";
    sqlx::raw_sql(gate).execute(&office.db).await.unwrap();
    let mut holder = PgConnection::connect_with(&office.db.connect_options()).await.unwrap();
    run_sql(&mut holder, "select pg_advisory_lock(1)").await;
    let charges = Charges::new(&office.app.db);
    let settling = tokio::spawn(async move { settle_all(&charges, &all).await });
    let held = "select count(*) filter (where wait_event = 'PgSleep'),
             count(*) filter (
                 where state = 'idle in transaction' and query like '%write_charges%')
         from pg_stat_activity where datname = current_database()";
    until("a held commit", async || {
        let seen: (i64, i64) = sqlx::query_as(held).fetch_one(&office.db).await.unwrap();
        seen == (1, n_written)
    })
    .await;
    holder.close().await.unwrap();
    balances(settling.await.unwrap())
}

#[sqlx::test]
async fn charges_that_arrive_together_are_one_transaction(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let people = office.crowd(20, "ada").await;
    let charges = Charges::new(&office.app.db);
    // Three of each wallet become three versions of it, in order of arrival.
    let all: Vec<Charge> =
        (1..=3).flat_map(|nth| people.iter().map(move |ada| charge_of(ada, nth))).collect();
    let expected = [1, 3, 6].iter().flat_map(|after| [*after; 20]).collect::<Vec<i64>>();
    assert_eq!(balances(settle_all(&charges, &all).await), expected);
    assert_eq!(n_transactions(&db).await, 1);
    let versions: Vec<i64> = read_all(&db, "select version from wallets").await;
    assert_eq!(versions, [3; 20]);
    // The second time, all these wallets exist.
    assert_eq!(balances(settle_all(&charges, &all[..0]).await), [0_i64; 0]);
    let again: Vec<Charge> = people.iter().map(|ada| charge_of(ada, 10)).collect();
    assert_eq!(balances(settle_all(&charges, &again).await), [16; 20]);
    assert_eq!(n_transactions(&db).await, 2);
    office.close().await;
}

#[sqlx::test]
async fn a_charge_that_a_full_wallet_refuses_leaves_no_key_and_the_others_alone(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let people = office.crowd(10, "ada").await;
    let charges = Charges::new(&office.app.db);
    settle_all(&charges, &[charge_of(&people[0], 1)]).await;
    let fill = "update wallets set balance = 9223372036854775807 where account_id = $1";
    run_sql_with(&db, fill, people[0].account_id).await;
    let all: Vec<Charge> = people.iter().map(|ada| charge_of(ada, 5)).collect();
    let keys: Vec<RequestKey> = all.iter().map(|charge| key_of(charge, charge.charge_id)).collect();
    let settling = all.iter().zip(&keys).map(|(charge, key)| charges.settle(charge, Some(key)));
    let mut settled = join_all(settling).await;
    assert!(matches!(settled.remove(0), Err(WalletError::TooManyPoints)));
    assert_eq!(balances(settled), [5; 9]);
    let kept: Vec<Uuid> = read_all(&db, "select account_id from idempotency_keys").await;
    assert_eq!(kept.len(), 9);
    assert!(!kept.contains(&people[0].account_id));
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn one_key_in_a_batch_is_one_charge_and_stands_for_one_amount(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let charges = Charges::new(&office.app.db);
    let (five, six) = (charge_of(&ada, 5), charge_of(&ada, 6));
    let key = Uuid::now_v7();
    let (of_five, of_six) = (key_of(&five, key), key_of(&six, key));
    for _ in 0..2 {
        // The second time, the key's outcome is of an earlier transaction.
        let settling = [(&five, &of_five), (&six, &of_six), (&five, &of_five)];
        let settled =
            join_all(settling.map(|(charge, key)| charges.settle(charge, Some(key)))).await;
        let [first, other, same] = settled.try_into().unwrap();
        assert_eq!(first.unwrap().balance.get(), 5);
        assert!(matches!(other, Err(WalletError::Key(KeyError::Reused))), "{other:?}");
        assert_eq!(same.unwrap().balance.get(), 5);
    }
    assert_eq!(balance(&db, ada.account_id).await, 5);
    office.close().await;
}

#[sqlx::test]
async fn a_wallet_that_is_held_delays_only_its_own_charges(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let people = office.crowd(10, "ada").await;
    let charges = Charges::new(&office.app.db);
    let all: Vec<Charge> = people.iter().map(|ada| charge_of(ada, 1)).collect();
    settle_all(&charges, &all).await;
    let n_before = n_transactions(&db).await;
    let mut holder = db.begin().await.unwrap();
    let hold = "select from wallets where account_id = $1 for no key update";
    run_sql_with(&mut *holder, hold, people[0].account_id).await;

    let more: Vec<Charge> = people.iter().map(|ada| charge_of(ada, 2)).collect();
    let held = tokio::spawn({
        let (charges, charge) = (charges.clone(), more[0].clone());
        async move { charges.settle(&charge, None).await }
    });
    assert_eq!(balances(settle_all(&charges, &more[1..]).await), [3; 9]);
    assert!(n_transactions(&db).await <= n_before + 1, "nothing was taken apart");
    assert_eq!(balance(&db, people[0].account_id).await, 1);
    holder.rollback().await.unwrap();
    // On a slow machine it may have waited for as long as it may, and is asked for again.
    let settled = match held.await.unwrap() {
        Err(WalletError::Contended) => charges.settle(&more[0], None).await,
        settled => settled,
    };
    assert_eq!(settled.unwrap().balance.get(), 3);
    office.close().await;
}

#[sqlx::test]
async fn charges_of_other_wallets_are_written_beside_a_commit(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let people = office.crowd(MEMBERS_MAX + 2, "ada").await;
    let all: Vec<Charge> = people.iter().map(|ada| charge_of(ada, 1)).collect();
    let settled = settle_beside_a_commit(&office, all, 1).await;
    assert_eq!(settled, [1; MEMBERS_MAX + 2]);
    assert_eq!(n_transactions(&db).await, 2);
    office.close().await;
}

#[sqlx::test]
async fn charges_of_a_wallet_that_is_committed_wait_for_that_and_stay_together(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let people = office.crowd(MEMBERS_MAX + 1, "ada").await;
    // The second batch has the first one's first wallet, and another.
    let mut all: Vec<Charge> = people.iter().map(|ada| charge_of(ada, 1)).collect();
    all.insert(MEMBERS_MAX, charge_of(&people[0], 2));
    let mut settled = settle_beside_a_commit(&office, all, 0).await;
    assert_eq!(settled.remove(MEMBERS_MAX), 3);
    assert_eq!(settled, [1; MEMBERS_MAX + 1]);
    assert_eq!(n_transactions(&db).await, 2, "nothing left its batch");
    office.close().await;
}

#[sqlx::test]
async fn data_that_the_database_refuses_fails_alone(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let people = office.crowd(10, "ada").await;
    let charges = Charges::new(&office.app.db);
    let mut all: Vec<Charge> = people.iter().map(|ada| charge_of(ada, 1)).collect();
    // An account that is gone.
    all.insert(4, Charge { account_id: AccountId(Uuid::now_v7()), ..all[0].clone() });
    let mut settled = settle_all(&charges, &all).await;
    assert!(matches!(settled.remove(4), Err(WalletError::Database(_))));
    assert_eq!(balances(settled), [1; 10]);
    office.close().await;
}

#[sqlx::test]
async fn a_batch_whose_commit_lost_its_answer_counts_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let people = office.crowd(20, "ada").await;
    let wire = CutWire::to(&db).await;
    let through = db.connect_options().as_ref().clone().host("127.0.0.1").port(wire.port);
    let through = Pool::new(through, 4).unwrap();
    let charges = Charges::new(&through);
    let all: Vec<Charge> = people.iter().map(|ada| charge_of(ada, 7)).collect();
    wire.cut(1);
    assert_eq!(balances(settle_all(&charges, &all).await), [7; 20]);
    assert_eq!(wire.cuts_left(), 0, "the commit lost its answer");
    // What was settled before is not settled again, and says so.
    let again = settle_all(&charges, &all).await;
    assert!(again.iter().all(|settled| matches!(settled, Err(WalletError::MovedBefore))));
    assert_eq!(violations(&office).await, Vec::<String>::new());
    through.close();
    office.close().await;
}

#[sqlx::test]
async fn over_http_a_hundred_people_charge_at_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let people = office.crowd(100, "ada").await;
    let posts = people.iter().map(|ada| async {
        let form = json!({ "amount": 9, "request_key": Uuid::now_v7() });
        ada.post_json("/wallet/charges", &form).await
    });
    for answer in join_all(posts).await {
        assert_eq!(answer.status, 201, "{}", answer.body);
    }
    let wrong: i64 = read_one(&db, "select count(*) from wallets where balance <> 9").await;
    assert_eq!(wrong, 0);
    assert!(n_transactions(&db).await < 100, "some were written together");
    office.close().await;
}
