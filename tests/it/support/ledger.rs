//! What must be true of points, whatever a test did: every violation is a row.

use sqlx::PgPool;
use uuid::Uuid;

/// Balance and withheld points are the sums of the history.
const SUMS: &str = "
    select 'sums of wallet ' || w.id from wallets w
    left join point_transactions t on t.wallet_id = w.id
    group by w.id
    having w.balance <> coalesce(sum(t.amount), 0) or w.pending <> coalesce(sum(t.pending_change), 0)";
/// The history of a wallet is a chain: versions without gaps, each balance after the
/// one before.
const CHAIN: &str = "
    select 'chain of wallet ' || wallet_id || ' at ' || wallet_version
    from (select *, lag(balance_after, 1, 0::bigint) over chain as before,
                 row_number() over chain as nth
          from point_transactions window chain as (partition by wallet_id order by wallet_version)) t
    where wallet_version <> nth or balance_after <> before + amount
    union all
    select 'version of wallet ' || w.id from wallets w
    where w.version <> (select count(*) from point_transactions t where t.wallet_id = w.id)";
/// A confirmed reservation has one payment, one entry of its total and all its tickets;
/// any other has none that is live.
const PAYMENTS: &str = "
    select 'payment of reservation ' || r.id || ' ' || r.status
    from reservations r
    where (r.status = 'CONFIRMED') <> (
        (select count(*) from payments p where p.reservation_id = r.id
             and p.status = 'COMPLETED' and p.amount = r.total and p.account_id = r.account_id) = 1
        and (select count(*) from payments p
             join point_transactions t on t.reference_id = p.id and t.kind = 'PAYMENT'
             join wallets w on w.id = t.wallet_id
             where p.reservation_id = r.id and p.status = 'COMPLETED'
               and t.amount = -r.total and w.account_id = r.account_id) = 1
        and (select count(*) from tickets k join reservation_items i on i.id = k.reservation_item_id
             where i.reservation_id = r.id and k.status in ('VALID', 'USED')
               and k.account_id = r.account_id)
          = (select sum(quantity) from reservation_items i where i.reservation_id = r.id))
    union all
    select 'live ticket of reservation ' || r.id || ' ' || r.status
    from reservations r
    join reservation_items i on i.reservation_id = r.id
    join tickets k on k.reservation_item_id = i.id
    where r.status <> 'CONFIRMED' and k.status <> 'VOID'";
/// An open request withholds its amount, an answered one does no more.
const TRANSFERS: &str = "
    select 'transfer ' || x.id || ' ' || x.status
    from transfers x
    join wallets s on s.account_id = x.sender_id
    left join wallets r on r.account_id = x.receiver_id
    where array(select t.kind || ' ' || t.wallet_id || ' ' || t.amount || ' ' || t.pending_change
                from point_transactions t where t.reference_id = x.id order by t.kind)
       <> array(select e from unnest(case x.status
                when 'PENDING' then array['TRANSFER_HOLD ' || s.id || ' 0 ' || x.amount]
                when 'ACCEPTED' then array['TRANSFER_HOLD ' || s.id || ' 0 ' || x.amount,
                     'TRANSFER_IN ' || r.id || ' ' || x.amount || ' 0',
                     'TRANSFER_OUT ' || s.id || ' -' || x.amount || ' -' || x.amount]
                else array['TRANSFER_HOLD ' || s.id || ' 0 ' || x.amount,
                     'TRANSFER_RELEASE ' || s.id || ' 0 -' || x.amount] end) e order by e)";

/// Every violation, in one snapshot a rule.
pub(crate) async fn violations(db: &PgPool) -> Vec<String> {
    let mut found = Vec::new();
    for rule in [SUMS, CHAIN, PAYMENTS, TRANSFERS] {
        found.extend(sqlx::query_scalar::<_, String>(rule).fetch_all(db).await.unwrap());
    }
    found
}

/// What the wallet row of an account says; 0 without one.
pub(crate) async fn balance(db: &PgPool, account_id: Uuid) -> i64 {
    sqlx::query_scalar(
        "select coalesce(sum(balance), 0)::bigint from wallets where account_id = $1",
    )
    .bind(account_id)
    .fetch_one(db)
    .await
    .unwrap()
}

/// How many history entries of a kind an account has.
pub(crate) async fn entries(db: &PgPool, account_id: Uuid, kind: &str) -> i64 {
    sqlx::query_scalar(
        "select count(*) from point_transactions t join wallets w on w.id = t.wallet_id
         where w.account_id = $1 and t.kind = $2",
    )
    .bind(account_id)
    .bind(kind)
    .fetch_one(db)
    .await
    .unwrap()
}
