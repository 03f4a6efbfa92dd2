//! Requests sent byte by byte, as no well-behaved client sends them.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Deadline of an answer, ample for a slow machine.
const ANSWER_MAX: Duration = Duration::from_mins(1);

/// Connection on which a test sends any part of a request.
#[derive(Debug)]
pub struct Raw {
    stream: TcpStream,
}

impl Raw {
    /// Connects to the instance at `base` and sends `bytes`.
    pub async fn send(base: &str, bytes: impl AsRef<[u8]>) -> Self {
        let address = base.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(bytes.as_ref()).await.unwrap();
        Self { stream }
    }

    /// Waits until the other side has ended the connection.
    pub async fn ended(&mut self) {
        let mut bytes = [0; 1_024];
        let end =
            async { while self.stream.read(&mut bytes).await.is_ok_and(|n_read| n_read > 0) {} };
        tokio::time::timeout(ANSWER_MAX, end).await.unwrap();
    }

    /// Waits for the head of the answer and returns its status.
    pub async fn status(&mut self) -> u16 {
        let mut head = Vec::new();
        let read = async {
            while !head.windows(4).any(|end| end == b"\r\n\r\n") {
                let mut bytes = [0; 1_024];
                let n_read = self.stream.read(&mut bytes).await.unwrap();
                assert!(n_read > 0, "no answer: {:?}", String::from_utf8_lossy(&head));
                head.extend_from_slice(&bytes[..n_read]);
            }
        };
        tokio::time::timeout(ANSWER_MAX, read).await.unwrap();
        let head = String::from_utf8_lossy(&head).into_owned();
        head.split(' ').nth(1).unwrap().parse().unwrap()
    }
}
