//! A disk that can be filled.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{Failure, processes::succeed};

/// Size of the disk: that of a new database with its first write-ahead log, and some room.
const SIZE: &str = "size=400m";

/// A file system of its own in memory.
#[derive(Debug)]
pub(crate) struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// Mounts it at `folder`; `None` without the right to mount.
    pub(crate) fn mount(folder: &Path) -> Result<Option<Self>, Failure> {
        fs::create_dir_all(folder)?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", SIZE, "tmpfs"]).arg(folder);
        Ok(succeed(&mut mount).is_ok().then(|| Self { folder: folder.to_owned() }))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Fills the disk to its last byte.
    pub(crate) fn fill(&self) -> Result<(), Failure> {
        let mut fill = Command::new("dd");
        fill.args(["if=/dev/zero", "bs=64k"]).arg(format!("of={}", self.ballast().display()));
        match succeed(&mut fill) {
            // It ends when nothing more can be written.
            Err(_) => Ok(()),
            Ok(()) => Err("the disk is never full".into()),
        }
    }

    /// Makes room again.
    pub(crate) fn make_room(&self) -> Result<(), Failure> {
        Ok(fs::remove_file(self.ballast())?)
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a server may still be about to end.
        let _ = Command::new("umount").arg("--lazy").arg(&self.folder).status();
    }
}
