//! A proxy to PostgreSQL that can be cut right after a commit.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use sqlx::PgPool;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// Time by which a commit without an answer arrives late.
const LATE_BY: Duration = Duration::from_millis(200);

/// Proxy that cuts a connection after it passed a `COMMIT` on: the server commits, and the client
/// gets no answer.
#[derive(Debug)]
pub struct CutWire {
    pub port: u16,
    cuts_left: Arc<AtomicUsize>,
}

impl CutWire {
    /// Opens a proxy to the server of `db` that cuts nothing yet.
    pub async fn to(db: &PgPool) -> Self {
        Self::to_cut_after(db, "").await
    }

    /// Works as [`Self::to`], for commits of connections over which `sql` has gone.
    pub async fn to_cut_after(db: &PgPool, sql: &'static str) -> Self {
        let connect = db.connect_options();
        let (host, port) = (connect.get_host().to_owned(), connect.get_port());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let wire = Self {
            port: listener.local_addr().unwrap().port(),
            cuts_left: Arc::new(AtomicUsize::new(0)),
        };
        let cuts_left = wire.cuts_left.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect((host.as_str(), port)).await.unwrap();
                tokio::spawn(pass_on(client, server, cuts_left.clone(), sql));
            }
        });
        wire
    }

    /// Makes the next `times` commits lose their answer.
    pub fn cut(&self, times: usize) {
        self.cuts_left.store(times, Ordering::SeqCst);
    }

    /// Returns the number of cuts still to come.
    pub fn cuts_left(&self) -> usize {
        self.cuts_left.load(Ordering::SeqCst)
    }
}

async fn pass_on(
    client: TcpStream,
    server: TcpStream,
    cuts_left: Arc<AtomicUsize>,
    sql: &'static str,
) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let answers = tokio::spawn(async move {
        let _ = tokio::io::copy(&mut from_server, &mut to_client).await;
    });
    let mut bytes = vec![0; 65_536];
    let mut is_reached = sql.is_empty();
    while let Ok(n) = from_client.read(&mut bytes).await {
        if n == 0 {
            break;
        }
        is_reached |= String::from_utf8_lossy(&bytes[..n]).contains(sql);
        let is_commit =
            is_reached && bytes[..n].windows(6).any(|some| some.eq_ignore_ascii_case(b"commit"));
        let take_one = |n: usize| n.checked_sub(1);
        let order = Ordering::SeqCst;
        if is_commit && cuts_left.fetch_update(order, order, take_one).is_ok() {
            // Answers stop before the commit is sent, so that its answer cannot get through.
            answers.abort();
            let _ = answers.await;
            // It arrives when the client has begun to look for what became of it.
            tokio::time::sleep(LATE_BY).await;
            let _ = to_server.write_all(&bytes[..n]).await;
            tokio::time::sleep(LATE_BY).await;
            return;
        }
        if to_server.write_all(&bytes[..n]).await.is_err() {
            break;
        }
    }
    answers.abort();
}
