//! A real mail server in a process of its own, and the mails that it took.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::Deserialize;

use super::{eventually, free_port};

/// The server; it says what becomes of a mail by its recipient.
const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/mail_server.py");

/// Line that the server prints again, behind the mails that it has answered by then.
const MARK: &str = "so far";

/// Longest wait for that line: ample for a machine that has other work.
const WAIT_MAX: Duration = Duration::from_mins(1);

/// Mail server on a loopback port.
#[derive(Debug)]
pub struct MailServer {
    port: u16,
    process: Child,
    marks: Mutex<Marks>,
    received: Arc<Mutex<Vec<Received>>>,
}

/// Marks on their way through the server, which ends with its standard input.
#[derive(Debug)]
struct Marks {
    stdin: ChildStdin,
    printed: mpsc::Receiver<()>,
}

/// Mail that the server took, as another program's library reads it.
#[derive(Clone, Debug, Deserialize)]
pub struct Received {
    pub sender: String,
    pub recipients: Vec<String>,
    headers: Vec<(String, String)>,
    pub text: String,
    pub html: String,
    /// Texts of the HTML that are seen, in their order, their words one blank apart.
    pub said: Vec<String>,
    /// Addresses that the HTML names.
    pub links: Vec<String>,
    /// Faults that the parser found.
    pub defects: Vec<String>,
    pub files: Vec<AttachedFile>,
    /// The mail as it was sent, each byte as a letter.
    pub raw: String,
}

/// File that a mail carries; its content is in base64.
#[derive(Clone, Debug, Deserialize)]
pub struct AttachedFile {
    pub name: String,
    pub media_type: String,
    content: String,
}

impl AttachedFile {
    /// Returns the content, decoded.
    pub fn bytes(&self) -> Vec<u8> {
        BASE64_STANDARD.decode(&self.content).unwrap()
    }
}

impl MailServer {
    /// Starts a server on a free port.
    pub fn start() -> Self {
        Self::start_at(free_port())
    }

    /// Starts a server on `port` and waits until it answers.
    pub fn start_at(port: u16) -> Self {
        let python = std::env::var("MAIL_PYTHON").unwrap_or_else(|_| "/usr/bin/python3".to_owned());
        let mut program = Command::new(python);
        program.arg(SERVER).arg(port.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = program.spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        assert_eq!(first, "ready");
        let received = Arc::new(Mutex::new(Vec::new()));
        let (mails, (marked, printed)) = (Arc::clone(&received), mpsc::channel());
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if line == MARK {
                    let _ = marked.send(());
                } else {
                    mails.lock().unwrap().push(serde_json::from_str(&line).unwrap());
                }
            }
        });
        let stdin = process.stdin.take().unwrap();
        Self { port, process, marks: Mutex::new(Marks { stdin, printed }), received }
    }

    /// Returns its address as a setting.
    pub fn url(&self) -> String {
        url(self.port)
    }

    /// Returns all mails that the server has answered, in order of arrival.
    pub fn received(&self) -> Vec<Received> {
        {
            let mut marks = self.marks.lock().unwrap();
            writeln!(marks.stdin, "{MARK}").unwrap();
            marks.printed.recv_timeout(WAIT_MAX).unwrap();
        }
        self.received.lock().unwrap().clone()
    }

    /// Waits until there are at least `n_min` mails, and returns them.
    pub async fn until_received(&self, n_min: usize) -> Vec<Received> {
        eventually("a mail", async || {
            let received = self.received();
            if received.len() < n_min { Err(received.len()) } else { Ok(received) }
        })
        .await
    }
}

/// Returns the address of a server on `port` as a setting.
fn url(port: u16) -> String {
    format!("smtp://127.0.0.1:{port}")
}

impl Received {
    /// Returns the values of a header.
    pub fn all(&self, name: &str) -> Vec<&str> {
        let named = self.headers.iter().filter(|(header, _)| header.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str()).collect()
    }

    /// Returns a header that there must be once.
    pub fn header(&self, name: &str) -> &str {
        let [value] = self.all(name)[..] else { panic!("{name}: {:?}", self.headers) };
        value
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}
