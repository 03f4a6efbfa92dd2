//! A witness that answers as no witness should, or never.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// Server that gives every request one answer.
#[derive(Debug)]
pub struct OddWitness {
    pub port: u16,
    n_asked: Arc<AtomicUsize>,
}

impl OddWitness {
    /// Answers with a status and a body.
    pub async fn answering(status: u16, body: &str) -> Self {
        let head = format!("HTTP/1.1 {status} Odd\r\nconnection: close\r\ncontent-length: ");
        Self::serve(Some(format!("{head}{}\r\n\r\n{body}", body.len()))).await
    }

    /// Takes every request, and never answers.
    pub async fn silent() -> Self {
        Self::serve(None).await
    }

    async fn serve(answer: Option<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let n_asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&n_asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(converse(stream, answer.clone(), Arc::clone(&counter)));
            }
        });
        Self { port, n_asked }
    }

    /// Returns how often it was asked.
    pub fn n_asked(&self) -> usize {
        self.n_asked.load(Ordering::SeqCst)
    }
}

async fn converse(mut stream: TcpStream, answer: Option<String>, n_asked: Arc<AtomicUsize>) {
    let (mut asked, mut bytes) = (Vec::new(), [0; 4096]);
    while !is_whole(&asked) {
        match stream.read(&mut bytes).await {
            Ok(n @ 1..) => asked.extend_from_slice(&bytes[..n]),
            _ => return,
        }
    }
    n_asked.fetch_add(1, Ordering::SeqCst);
    match answer {
        Some(answer) => drop(stream.write_all(answer.as_bytes()).await),
        None => drop(stream.read(&mut bytes).await),
    }
}

/// Whether a request has come with its whole body.
fn is_whole(asked: &[u8]) -> bool {
    let text = String::from_utf8_lossy(asked);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.to_lowercase();
    let length = length.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
    length.and_then(|length| length.parse().ok()) == Some(body.len())
}
