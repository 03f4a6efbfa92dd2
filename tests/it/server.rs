//! An instance that is asked to stop.

use std::time::Duration;

use sqlx::{Connection, PgConnection, PgPool};

use crate::{
    reservation::{admit, hold_places},
    support::{ChildInstance, Concert, Hold, Office},
};

/// Whoever writes a new reservation waits for the first gate, whoever changes one for the
/// second. Nothing in the product knows of them.
struct Gates(PgConnection);

const NEW: i32 = 1;
const CHANGED: i32 = 2;

impl Gates {
    async fn shut(db: &PgPool) -> Self {
        sqlx::raw_sql(
            "create function wait_for_gate() returns trigger language plpgsql as $$ begin
                 while exists (
                     select from pg_locks join pg_database d on d.oid = database
                     where locktype = 'advisory' and d.datname = current_database()
                         and objid = tg_argv[0]::oid)
                 loop perform pg_sleep(0.005); end loop;
                 return null;
             end $$;
             create trigger new_gate after insert on reservations
                 for each row execute function wait_for_gate(1);
             create trigger changed_gate after update on reservations
                 for each row execute function wait_for_gate(2)",
        )
        .execute(db)
        .await
        .unwrap();
        let mut shut = PgConnection::connect_with(&db.connect_options()).await.unwrap();
        for gate in [NEW, CHANGED] {
            sqlx::query("select pg_advisory_lock($1)").bind(gate).execute(&mut shut).await.unwrap();
        }
        Self(shut)
    }

    async fn open(&mut self, gate: i32) {
        let open = sqlx::query("select pg_advisory_unlock($1)").bind(gate);
        open.execute(&mut self.0).await.unwrap();
    }

    /// Waits until so many stand before them.
    async fn reached(db: &PgPool, by: i64) {
        for _ in 0..1_000 {
            let waiting: i64 = sqlx::query_scalar(
                "select count(*) from pg_stat_activity
                 where datname = current_database() and wait_event = 'PgSleep'",
            )
            .fetch_one(db)
            .await
            .unwrap();
            if waiting == by {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("nobody comes to the gates");
    }
}

/// The keys of locks that are held.
async fn locks(office: &Office) -> Vec<String> {
    for _ in 0..200 {
        // The instance that was stopped took its connection to Redis along.
        let leases = office.app.redis.list_keys("lease:", 100).await;
        let fair = office.app.redis.list_keys("fair:", 100).await;
        if let (Ok(leases), Ok(fair)) = (leases, fair) {
            let holders = fair.into_iter().filter(|key| key.ends_with(":holder"));
            return leases.into_iter().chain(holders).collect();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("Redis stayed away");
}

#[sqlx::test]
async fn a_stop_lets_requests_and_ticks_finish_and_gives_locks_back(db: PgPool) {
    let mut office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    office.leave().await;
    let lapsed = Hold { seat_ids: &concert.seat_ids[..1], ends_in_secs: -10, ..Hold::default() };
    let lapsed = lapsed.write(&db, &concert, bob.account_id).await;
    let mut gates = Gates::shut(&db).await;

    let mut child = ChildInstance::start(&office).await;
    let order = {
        let (ada, concert) = (child.moved(&ada), concert.clone());
        tokio::spawn(async move { hold_places(&ada, &concert, 2).await })
    };
    // The order, and the worker that ends the lapsed hold.
    Gates::reached(&db, 2).await;
    assert!(!locks(&office).await.is_empty());
    child.ask_to_stop().await;
    gates.open(NEW).await;
    let held = order.await.unwrap();
    assert_eq!(held.status, 201, "{}", held.body);
    gates.open(CHANGED).await;

    assert!(child.ended().await.success());
    let status: String = sqlx::query_scalar("select status from reservations where id = $1")
        .bind(lapsed)
        .fetch_one(&db)
        .await
        .unwrap();
    assert_eq!(status, "EXPIRED", "the tick was cut off: {}", child.log());
    assert!(!child.log().contains("ERROR"), "{}", child.log());
    assert_eq!(locks(&office).await, Vec::<String>::new());
}
