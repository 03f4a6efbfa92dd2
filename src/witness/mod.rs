//! Witness: a process of its own that cosigns the checkpoints of public logs, and never two that do
//! not fit together.
//!
//! A witness is run by an operator other than the office, on another machine. It keeps the **head**
//! of every log, the checkpoint that it cosigned last, and cosigns only checkpoints that continue it.
//! So even with the office's database and its secret an attacker cannot show two people two histories
//! that the same witness confirmed. The protocol is `tlog-witness` of C2SP; the logs need not be
//! Stagedoor's.
//!
//! # Invariants
//!
//! * No cosignature leaves the process before the head that it is of is on the disk.
//! * The heads of one log, in the order in which they were cosigned, are of one tree that grew.
//! * One process uses a folder. A head that cannot be read is an error, never the same as none.
//!
//! # Concurrency
//!
//! Requests are decided one after the other, under one lock that covers the comparison with the head,
//! the writing and the answer's signature.

mod cosigning;
mod error;
mod folder;
mod model;
mod pages;

use std::{
    io::{self, Write},
    net::{SocketAddr, TcpListener},
    path::PathBuf,
};

pub use self::error::WitnessError;
use self::{cosigning::Witness, folder::Folder, model::KnownLogs};
use crate::{config::LogFormat, telemetry, web::error::unreadable::UNREADABLE};

/// Arguments of the command.
#[derive(Clone, Debug, clap::Args)]
pub struct WitnessArguments {
    /// Name of this witness, a domain of its operator with a path, such as `example.com/witness`. It
    /// stands in every cosignature and never changes.
    #[arg(long)]
    name: String,
    /// Key of a log to be cosigned, or of an office: all logs whose names begin with the key's name
    /// and a slash. May be given several times.
    #[arg(long = "log", value_name = "KEY", required = true)]
    logs: Vec<String>,
    /// Folder of the witness's own key and of the last checkpoints. Made at the first start; never
    /// copy it back from a backup.
    #[arg(long, value_name = "FOLDER", default_value = "witness")]
    folder: PathBuf,
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1:8090")]
    listen: SocketAddr,
}

/// Runs a witness until `stop` ends; prints its key first.
pub async fn run(
    arguments: &WitnessArguments,
    stop: impl Future<Output = io::Result<()>>,
) -> Result<(), WitnessError> {
    telemetry::log_to_stderr("info", LogFormat::Text, UNREADABLE);
    let logs = KnownLogs::parse(&arguments.logs)?;
    let (folder, cosigner) = Folder::open(&arguments.folder, &arguments.name)?;
    let refused = |error| WitnessError::Listen(arguments.listen, error);
    let listener = TcpListener::bind(arguments.listen).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    let key = cosigner.key().text().to_owned();
    let server = pages::serve(Witness::new(logs, folder, cosigner), listener).map_err(refused)?;
    let handle = server.handle();
    let serving = tokio::spawn(server);
    let mut out = io::stdout();
    writeln!(out, "Key of this witness, for LOG_WITNESSES and for everybody who checks:\n{key}")?;
    writeln!(out, "It answers on http://{address}")?;
    out.flush()?;
    stop.await?;
    handle.stop(true).await;
    serving.await.map_err(io::Error::other)??;
    Ok(())
}
