//! The lightest client that keeps its connection: on a small machine a heavier one would
//! take the time that the server is to be measured in.

use std::{io, net::SocketAddr};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const READ_BYTES: usize = 16 * 1024;
const OK: &[u8] = b"HTTP/1.1 200";

/// One kept connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The status code.
    pub(crate) status: u16,
    /// The body.
    pub(crate) body: String,
    /// The entry pass that was handed out with it.
    pub(crate) pass: Option<String>,
}

impl Connection {
    /// Connects to the server.
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, received: Vec::with_capacity(READ_BYTES) })
    }

    /// Reads `path` as a program that bears `session`, the value of its cookie and whatever
    /// cookies follow it.
    pub(crate) async fn get(&mut self, path: &str, session: &str) -> io::Result<Answer> {
        self.send("GET", path, session, "").await
    }

    /// Sends `form` to `path`.
    pub(crate) async fn post(
        &mut self,
        path: &str,
        session: &str,
        form: &str,
    ) -> io::Result<Answer> {
        self.send("POST", path, session, form).await
    }

    /// Deletes what stands at `path`.
    pub(crate) async fn delete(&mut self, path: &str, session: &str) -> io::Result<Answer> {
        self.send("DELETE", path, session, "").await
    }

    /// Opens the event stream at `path`; the connection is the stream's from then on.
    pub(crate) async fn listen(&mut self, path: &str, session: &str) -> io::Result<()> {
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: bench\r\naccept: text/event-stream\r\n\
             cookie: session={session}\r\n\r\n"
        );
        self.stream.write_all(request.as_bytes()).await?;
        self.received.clear();
        // What every stream begins with.
        while !String::from_utf8_lossy(&self.received).contains(": open\n\n") {
            let n_bytes = self.stream.read_buf(&mut self.received).await?;
            if n_bytes == 0 || self.received.get(..12).is_some_and(|start| start != OK) {
                let refusal = String::from_utf8_lossy(&self.received).into_owned();
                return Err(io::Error::other(format!("no stream: {refusal}")));
            }
        }
        self.received = Vec::new();
        Ok(())
    }

    /// Waits until the event stream has brought `words`.
    pub(crate) async fn hear(&mut self, words: &str) -> io::Result<()> {
        let mut heard = Vec::new();
        while !String::from_utf8_lossy(&heard).contains(words) {
            self.stream.readable().await?;
            if self.stream.read_buf(&mut heard).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(())
    }

    async fn send(
        &mut self,
        method: &str,
        path: &str,
        session: &str,
        form: &str,
    ) -> io::Result<Answer> {
        let n_bytes = form.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: bench\r\naccept: application/json\r\n\
             cookie: session={session}\r\ncontent-type: application/x-www-form-urlencoded\r\n\
             content-length: {n_bytes}\r\n\r\n{form}"
        );
        self.stream.write_all(request.as_bytes()).await?;
        self.received.clear();
        loop {
            if let Some(answer) = parse(&self.received)? {
                return Ok(answer);
            }
            self.received.reserve(READ_BYTES);
            if self.stream.read_buf(&mut self.received).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

/// Fails with what was answered unless it was a success.
pub(crate) fn expect_ok(answer: &Answer) -> Result<(), crate::Failure> {
    match answer.status {
        200..300 => Ok(()),
        status => Err(format!("answered with {status}: {}", answer.body).into()),
    }
}

/// The answer, once all of it is there. Every answer of ours that has a body says how long
/// it is.
fn parse(received: &[u8]) -> io::Result<Option<Answer>> {
    let text = std::str::from_utf8(received).map_err(io::Error::other)?;
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return Ok(None) };
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status: u16 = status.ok_or_else(|| io::Error::other("no status"))?;
    let n_bytes = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let n_bytes = match status {
        204 => Some(0),
        _ => n_bytes.and_then(|n_bytes| n_bytes.parse::<usize>().ok()),
    };
    let n_bytes = n_bytes.ok_or_else(|| io::Error::other("no length"))?;
    if body.len() < n_bytes {
        return Ok(None);
    }
    let pass = head.lines().find_map(|line| line.strip_prefix("set-cookie: entry_pass_"));
    // The name goes on with the program's id.
    let pass = pass.and_then(|pass| pass.split(';').next()?.split_once('='));
    let pass = pass.map(|(_, pass)| pass.to_owned());
    Ok(Some(Answer { status, body: body.to_owned(), pass }))
}
