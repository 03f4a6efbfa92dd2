//! A receiver of webhooks: takes requests on a port of its own, and answers as the test says.

use std::{
    fmt,
    sync::{Arc, Mutex},
};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use sha2::Sha256;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// Request that came.
#[derive(Clone, Debug)]
pub struct ReceivedHook {
    pub id: String,
    pub timestamp: String,
    pub signature: String,
    pub body: String,
    /// How it was answered.
    pub answer: HookAnswer,
}

/// How a request is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookAnswer {
    Status(u16),
    /// A redirect to that address.
    Redirect(String),
    /// None: the connection stays open and silent.
    Silence,
}

type Rule = Box<dyn Fn(&ReceivedHook) -> HookAnswer + Send>;

struct Receiving {
    rule: Rule,
    received: Vec<ReceivedHook>,
}

/// Receiver that runs until it is dropped.
pub struct HookReceiver {
    pub port: u16,
    receiving: Arc<Mutex<Receiving>>,
    serving: JoinHandle<()>,
}

impl fmt::Debug for HookReceiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookReceiver").field("port", &self.port).finish_non_exhaustive()
    }
}

impl HookReceiver {
    /// Starts a receiver that answers everything with 204.
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let rule: Rule = Box::new(|_| HookAnswer::Status(204));
        let receiving = Arc::new(Mutex::new(Receiving { rule, received: Vec::new() }));
        let shared = Arc::clone(&receiving);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self { port, receiving, serving }
    }

    /// Returns the address to which hooks are delivered.
    pub fn href(&self) -> String {
        format!("http://127.0.0.1:{}/in", self.port)
    }

    /// Answers from now on as `rule` says.
    pub fn answer(&self, rule: impl Fn(&ReceivedHook) -> HookAnswer + Send + 'static) {
        self.receiving.lock().unwrap().rule = Box::new(rule);
    }

    /// Lists what came, oldest first.
    pub fn received(&self) -> Vec<ReceivedHook> {
        self.receiving.lock().unwrap().received.clone()
    }

    /// Lists the kinds of what came and was answered with 204, oldest first.
    pub fn accepted(&self) -> Vec<String> {
        let accepted = |hook: &ReceivedHook| hook.answer == HookAnswer::Status(204);
        let received = self.received();
        received.iter().filter(|hook| accepted(hook)).map(ReceivedHook::kind).collect()
    }
}

impl Drop for HookReceiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl ReceivedHook {
    /// Returns the body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Returns the type of the event.
    pub fn kind(&self) -> String {
        self.json()["type"].as_str().unwrap().to_owned()
    }

    /// Verifies the signature as docs/EVENTS.md says.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let key = BASE64_STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
        let signed = format!("{}.{}.{}", self.id, self.timestamp, self.body);
        let mac = Hmac::<Sha256>::new_from_slice(&key).unwrap().chain_update(signed).finalize();
        let expected = format!("v1,{}", BASE64_STANDARD.encode(mac.into_bytes()));
        self.signature.split(' ').any(|signature| signature == expected)
    }
}

async fn serve(mut stream: TcpStream, shared: Arc<Mutex<Receiving>>) {
    let Some((head, body)) = read(&mut stream).await else { return };
    let header = |name: &str| {
        let lines = head.lines().filter_map(|line| line.split_once(": "));
        let mut named = lines.filter(|(each, _)| each.eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| value.to_owned()).unwrap_or_default()
    };
    let mut hook = ReceivedHook {
        id: header("webhook-id"),
        timestamp: header("webhook-timestamp"),
        signature: header("webhook-signature"),
        body,
        answer: HookAnswer::Silence,
    };
    let answer = {
        let mut receiving = shared.lock().unwrap();
        hook.answer = (receiving.rule)(&hook);
        let answer = hook.answer.clone();
        receiving.received.push(hook);
        answer
    };
    let text = match answer {
        HookAnswer::Status(status) => format!("HTTP/1.1 {status} Said\r\n"),
        HookAnswer::Redirect(href) => format!("HTTP/1.1 302 Found\r\nlocation: {href}\r\n"),
        HookAnswer::Silence => std::future::pending().await,
    };
    let text = format!("{text}content-length: 0\r\nconnection: close\r\n\r\n");
    let _ = stream.write_all(text.as_bytes()).await;
}

/// Reads one request: its head and its body.
async fn read(stream: &mut TcpStream) -> Option<(String, String)> {
    let mut bytes = Vec::new();
    loop {
        let mut part = [0; 4096];
        let n_read = stream.read(&mut part).await.ok().filter(|n_read| *n_read > 0)?;
        bytes.extend_from_slice(&part[..n_read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let lengths = head.lines().filter_map(|line| line.split_once(": "));
        let length = lengths.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let length: usize = length.map(|(_, value)| value.parse().unwrap()).next().unwrap_or(0);
        if body.len() >= length {
            return Some((head.to_owned(), body.to_owned()));
        }
    }
}
