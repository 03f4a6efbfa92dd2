//! Commands that check what an office published, without network or database.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::Subcommand;
use stagedoor::entry_queue;

use super::Failure;

/// Check of published files.
#[derive(Subcommand)]
pub(crate) enum OfflineCheck {
    /// Check a receipt of a place in line, without network or database; prints what it proves.
    CheckReceipt {
        /// The receipt, as downloaded or as scanned.
        receipt: PathBuf,
        /// Key of the log, as its organiser published it.
        #[arg(long)]
        key: String,
    },
    /// Draw the opening of a sale again from what was published, without network or database.
    CheckDraw {
        /// The draw, as JSON.
        draw: PathBuf,
        /// The list of entries: all its pages, one after the other.
        entries: PathBuf,
        /// An entry, as its owner downloaded it; prints its number.
        #[arg(long, value_name = "FILE")]
        entry: Option<PathBuf>,
        /// Key of the log of joins, as its organiser published it; checks the entry's receipt first, and
        /// that the list has the entry.
        #[arg(long, requires = "entry")]
        key: Option<String>,
    },
}

impl OfflineCheck {
    /// Runs the check and prints what it found.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let found = match self {
            Self::CheckReceipt { receipt, key } => {
                entry_queue::check_receipt(&read(receipt)?, key)?.to_string()
            }
            Self::CheckDraw { draw, entries, entry, key } => {
                let entry = entry.as_deref().map(read).transpose()?;
                let (draw, entries) = (read(draw)?, read(entries)?);
                if let (Some(entry), Some(key)) = (&entry, key) {
                    let proven = entry_queue::check_entry(&draw, &entries, entry, key)?;
                    writeln!(io::stdout(), "{proven}")?;
                }
                entry_queue::check_draw(&draw, &entries, entry.as_deref())?.to_string()
            }
        };
        Ok(writeln!(io::stdout(), "{found}")?)
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    let named = |error| format!("{}: {error}", path.display());
    Ok(std::fs::read_to_string(path).map_err(named)?)
}
