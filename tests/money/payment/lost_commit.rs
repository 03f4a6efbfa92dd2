//! COMMIT was sent and its answer never came: the request key tells what happened.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use sqlx::PgPool;
use stagedoor::{
    accounts::AccountId,
    app::App,
    infra::{idempotency::RequestKey, postgres::Pool},
    payment::{self, Paid, PaymentError},
    reservation::ReservationId,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
};
use uuid::Uuid;

use super::{PRICE, held};
use crate::support::{Office, ledger::balance};

/// Where the wire to the database is cut, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// COMMIT does not arrive.
    Before,
    /// COMMIT arrives and is carried out; its answer does not come back.
    After,
}

/// A wire to the database of a test that is cut at the next COMMIT.
async fn wire(db: &PgPool, cut: Cut) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let options = db.connect_options();
    let database = (options.get_host().to_owned(), options.get_port());
    let is_whole = Arc::new(AtomicBool::new(true));
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(database.clone()).await.unwrap();
            let (from_client, to_client) = client.into_split();
            let (from_server, to_server) = server.into_split();
            let is_cut = Arc::new(AtomicBool::new(false));
            tokio::spawn(ask(from_client, to_server, cut, is_whole.clone(), is_cut.clone()));
            tokio::spawn(answer(from_server, to_client, is_cut));
        }
    });
    port
}

async fn ask(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    cut: Cut,
    is_whole: Arc<AtomicBool>,
    is_cut: Arc<AtomicBool>,
) {
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(n @ 1..) = from.read(&mut bytes).await {
        let is_commit = bytes[..n].windows(6).any(|word| word.eq_ignore_ascii_case(b"commit"));
        if is_commit && is_whole.swap(false, Ordering::SeqCst) {
            is_cut.store(true, Ordering::SeqCst);
            if cut == Cut::Before {
                return;
            }
        }
        if to.write_all(&bytes[..n]).await.is_err() {
            return;
        }
    }
}

async fn answer(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, is_cut: Arc<AtomicBool>) {
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(n @ 1..) = from.read(&mut bytes).await {
        // Whatever the server says after the cut is what got lost.
        if is_cut.load(Ordering::SeqCst) || to.write_all(&bytes[..n]).await.is_err() {
            return;
        }
    }
}

/// Pays over a wire that is cut, and says what came of it, and the key it went under.
async fn pay_over(
    office: &Office,
    cut: Cut,
    account_id: Uuid,
    id: Uuid,
) -> (Result<Paid, PaymentError>, RequestKey) {
    let port = wire(&office.db, cut).await;
    let connect = office.db.connect_options().as_ref().clone().host("127.0.0.1").port(port);
    let config = (*office.app.config).clone();
    let app = App::with_database(config, Pool::new(connect, 2).unwrap()).await.unwrap();
    let key = RequestKey::new(account_id, Uuid::now_v7(), "test", &id);
    let paid = payment::pay(&app, AccountId(account_id), ReservationId(id), Some(&key)).await;
    app.db.close();
    (paid, key)
}

#[sqlx::test]
async fn a_payment_whose_commit_was_not_answered_is_found_by_its_key(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (ada, id) = held(&office, PRICE, 1).await;
    let (paid, _) = pay_over(&office, Cut::After, ada.account_id, id).await;
    assert_eq!(paid.unwrap().amount.get(), PRICE);
    assert_eq!(balance(&db, ada.account_id).await, 0);
    office.close().await;
}

#[sqlx::test]
async fn a_payment_whose_commit_did_not_arrive_is_unknown_until_it_is_repeated(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (ada, id) = held(&office, PRICE, 1).await;
    let (unknown, key) = pay_over(&office, Cut::Before, ada.account_id, id).await;
    let error = unknown.unwrap_err();
    assert_eq!(stagedoor::web::error::HttpError::status(&error).as_u16(), 503, "{error}");
    let account_id = AccountId(ada.account_id);
    let paid = payment::pay(&office.app, account_id, ReservationId(id), Some(&key)).await;
    assert_eq!(paid.unwrap().amount.get(), PRICE);
    assert_eq!(balance(&db, ada.account_id).await, 0);
    office.close().await;
}
