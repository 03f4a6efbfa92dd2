//! A proxy to PostgreSQL that drops the options of sessions, as a pooler does that ignores them.

use sqlx::PgPool;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
};

/// Version 3.0 of the protocol, with which a startup packet begins; others ask for encryption.
const STARTUP: [u8; 4] = [0, 3, 0, 0];

/// Proxy that passes on what a session asks for, without its `options`.
#[derive(Debug)]
pub struct PoolerWire {
    pub port: u16,
}

impl PoolerWire {
    /// Opens a proxy to the server of `db`.
    pub async fn to(db: &PgPool) -> Self {
        let connect = db.connect_options();
        let (host, port) = (connect.get_host().to_owned(), connect.get_port());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let wire = Self { port: listener.local_addr().unwrap().port() };
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect((host.as_str(), port)).await.unwrap();
                tokio::spawn(pass_on(client, server));
            }
        });
        wire
    }
}

async fn pass_on(mut client: TcpStream, mut server: TcpStream) -> std::io::Result<()> {
    loop {
        let length = client.read_u32().await?;
        let mut packet = vec![0; usize::try_from(length).unwrap() - 4];
        client.read_exact(&mut packet).await?;
        if !packet.starts_with(&STARTUP) {
            client.write_all(b"N").await?;
            continue;
        }
        let kept = without_options(&packet);
        server.write_u32(u32::try_from(kept.len()).unwrap() + 4).await?;
        server.write_all(&kept).await?;
        break;
    }
    copy_bidirectional(&mut client, &mut server).await.map(drop)
}

/// Names and values follow the version in turn, each up to a zero; an empty name ends them.
fn without_options(packet: &[u8]) -> Vec<u8> {
    let words: Vec<&[u8]> = packet[STARTUP.len()..].split(|byte| *byte == 0).collect();
    let mut kept = STARTUP.to_vec();
    for pair in words.chunks_exact(2).filter(|pair| !pair[0].is_empty() && pair[0] != b"options") {
        for word in pair {
            kept.extend(*word);
            kept.push(0);
        }
    }
    kept.push(0);
    kept
}
