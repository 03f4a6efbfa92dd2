//! Why a witness cannot start.

use std::{io, net::SocketAddr, path::PathBuf};

use crate::config::WitnessKeyError;

/// Reason why a witness cannot start, as a sentence for the person at the terminal.
#[derive(Debug, thiserror::Error)]
pub enum WitnessError {
    /// The name cannot stand in a cosignature.
    #[error("The name must not be empty, and have no space and no `+`.")]
    Name(#[from] WitnessKeyError),
    /// What was given as a log's key is none.
    #[error("{0} is no key of a log. One looks like `example.com/…/log+0a1b2c3d+AV…`.")]
    Log(String),
    /// Another process uses the folder.
    #[error("Another witness uses {0}. Two on one folder could confirm two histories.")]
    InUse(PathBuf),
    /// The file of the key cannot be used.
    #[error("The key in {0} {1}.")]
    Key(PathBuf, &'static str),
    /// The folder cannot be read or written.
    #[error("{0} cannot be used: {1}.")]
    Folder(PathBuf, io::Error),
    /// The address cannot be listened on.
    #[error("{0} cannot be listened on: {1}. Choose another --listen.")]
    Listen(SocketAddr, io::Error),
    /// Standard output is closed, or signals cannot be caught.
    #[error("The witness cannot run: {0}.")]
    Process(#[from] io::Error),
}
