//! Folder of a witness: its key, and the head of every log.
//!
//! `key` is the secret key, for its owner only; `heads/` has a note for each log, named by the SHA-256
//! of the log's name; `lock` is held by the process that uses the folder. Key and heads stand together,
//! so that a lost folder is a lost witness, and not one that forgot its confirmations.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::{
    error::WitnessError,
    model::{Head, WitnessRefusal},
};
use crate::{
    config::WitnessKey,
    infra::tlog::{Checkpoint, Cosignature, Cosigner, EMPTY_HASH},
};

/// Upper bound of the logs of one witness.
const HEADS_MAX: usize = 10_000;
/// Upper bound of a file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 64 * 1024;
/// Mode of the folder, and of the files in it: only their owner may read them.
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Folder of a witness, locked while this lives.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    _lock: File,
    /// Whether a write was cut off when it may have reached the disk or not: nothing is cosigned until
    /// a new start reads the folder again.
    is_in_doubt: bool,
}

impl Folder {
    /// Opens the folder at `path`, which is made if it is missing, and returns the witness's key,
    /// which must be named `name`.
    pub(super) fn open(path: &Path, name: &str) -> Result<(Self, Cosigner), WitnessError> {
        let failed = |error| WitnessError::Folder(path.to_owned(), error);
        let heads = path.join("heads");
        DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(&heads).map_err(failed)?;
        let mut options = OpenOptions::new();
        let lock = options.write(true).create(true).truncate(false).mode(FILE_MODE);
        let lock = lock.open(path.join("lock")).map_err(failed)?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => WitnessError::InUse(path.to_owned()),
            TryLockError::Error(error) => failed(error),
        })?;
        let mut folder = Self { path: path.to_owned(), _lock: lock, is_in_doubt: false };
        let cosigner = folder.key(name)?;
        Ok((folder, cosigner))
    }

    /// Returns the key of the folder, which a folder without heads gets at the first start.
    fn key(&mut self, name: &str) -> Result<Cosigner, WitnessError> {
        let path = self.path.join("key");
        let failed = |error| WitnessError::Folder(path.clone(), error);
        let unusable = |reason| WitnessError::Key(path.clone(), reason);
        let Some(text) = read(&path).map_err(failed)? else {
            if self.count_heads().map_err(failed)? > 0 {
                return Err(unusable("is gone, but the heads are there; this witness has ended"));
            }
            let cosigner = Cosigner::of_seed(name, &rand::random())?;
            self.write("key", &format!("{}\n", cosigner.secret_text())).map_err(failed)?;
            return Ok(cosigner);
        };
        let mode = fs::metadata(&path).map_err(failed)?.permissions().mode();
        if mode & !FILE_MODE & 0o777 != 0 {
            return Err(unusable("can be read by others; `chmod 600` it, or make a new witness"));
        }
        let cosigner = Cosigner::parse_secret(text.trim_end());
        let cosigner = cosigner.ok_or_else(|| unusable("is damaged"))?;
        match cosigner.key().name() == name {
            true => Ok(cosigner),
            false => Err(unusable("is of another name; give that --name, or another --folder")),
        }
    }

    /// Returns the last cosigned head of the log `origin`; the head of the empty tree before the first.
    pub(super) fn head_of(&self, origin: &str, key: &WitnessKey) -> io::Result<Head> {
        let Some(note) = self.find_note(&hash_of(origin), key)? else {
            return Ok(Head { size: 0, root: EMPTY_HASH });
        };
        let (text, _) = parts_of(&note)?;
        let checkpoint = Checkpoint::from_bytes(text.as_bytes()).ok();
        let checkpoint = checkpoint.filter(|checkpoint| checkpoint.origin() == origin);
        let checkpoint = checkpoint.ok_or(ErrorKind::InvalidData)?;
        Ok(Head { size: checkpoint.size(), root: *checkpoint.hash() })
    }

    /// Returns the note that was kept under a SHA-256, after checking that `key` cosigned it.
    pub(super) fn find_note(&self, hash: &str, key: &WitnessKey) -> io::Result<Option<String>> {
        if self.is_in_doubt {
            return Err(io::Error::other("an earlier write failed; start again"));
        }
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hash {
            return Ok(None);
        }
        let Some(note) = read(&self.path.join("heads").join(hash))? else { return Ok(None) };
        let (text, lines) = parts_of(&note)?;
        match Cosignature::find(key, &text, lines) {
            Some(_) => Ok(Some(note)),
            None => Err(ErrorKind::InvalidData.into()),
        }
    }

    /// Writes the head of the log `origin` down, durably.
    pub(super) fn keep(&mut self, origin: &str, note: &str) -> Result<(), WitnessRefusal> {
        let name = format!("heads/{}", hash_of(origin));
        if !self.path.join(&name).try_exists()? && self.count_heads()? >= HEADS_MAX {
            return Err(WitnessRefusal::Full);
        }
        Ok(self.write(&name, note)?)
    }

    fn count_heads(&self) -> io::Result<usize> {
        Ok(fs::read_dir(self.path.join("heads"))?.take(HEADS_MAX).count())
    }

    /// Replaces a file: after a crash it is the old one or the new one, and whole.
    fn write(&mut self, name: &str, text: &str) -> io::Result<()> {
        let (draft, path) = (self.path.join("draft"), self.path.join(name));
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(true).mode(FILE_MODE);
        let mut file = file.open(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        self.is_in_doubt = true;
        fs::rename(&draft, &path)?;
        File::open(path.parent().ok_or(ErrorKind::InvalidInput)?)?.sync_all()?;
        self.is_in_doubt = false;
        Ok(())
    }
}

/// Returns the text of a file; `None` if there is none.
fn read(path: &Path) -> io::Result<Option<String>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut text = String::new();
    file.take(FILE_BYTES_MAX).read_to_string(&mut text)?;
    Ok(Some(text))
}

/// Splits a note into its text and its signature lines.
fn parts_of(note: &str) -> io::Result<(String, &str)> {
    let (text, lines) = note.split_once("\n\n").ok_or(ErrorKind::InvalidData)?;
    Ok((format!("{text}\n"), lines))
}

fn hash_of(origin: &str) -> String {
    let hash = Sha256::digest(origin);
    hash.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}
