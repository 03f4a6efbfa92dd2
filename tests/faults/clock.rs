//! Clocks that can be set while a process runs.

use std::{
    fs::File,
    io::Write,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{Failure, processes::succeed};

/// Library that answers in the kernel's place, compiled from `clock.c`.
#[derive(Clone, Debug)]
pub(crate) struct ClockLibrary(PathBuf);

impl ClockLibrary {
    /// Compiles it into `folder`; `None` where that is not possible.
    pub(crate) fn compile(folder: &Path) -> Option<Self> {
        let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
        std::fs::write(&source, include_str!("clock.c")).ok()?;
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-O1", "-Wall", "-o"]).arg(&library).arg(&source);
        succeed(&mut cc).ok().map(|()| Self(library))
    }
}

/// Wall clock of the processes that were started with it; time that only passes stays the kernel's.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    library: ClockLibrary,
    file: PathBuf,
}

impl Clock {
    /// Makes a right clock that is kept in `folder`.
    pub(crate) fn new(library: &ClockLibrary, folder: &Path, name: &str) -> Result<Self, Failure> {
        let clock = Self { library: library.clone(), file: folder.join(format!("clock-{name}")) };
        File::create(&clock.file)?.write_all(&0_i64.to_ne_bytes())?;
        Ok(clock)
    }

    /// Sets the clock off by so many seconds from the right time.
    pub(crate) fn step(&self, secs: i64) -> Result<(), Failure> {
        Ok(File::options().write(true).open(&self.file)?.write_all_at(&secs.to_ne_bytes(), 0)?)
    }

    /// Returns the environment of a process that goes by this clock.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        [("LD_PRELOAD", &self.library.0), ("CLOCK_OFFSET_FILE", &self.file)]
            .map(|(name, path)| (name.to_owned(), path.display().to_string()))
            .into()
    }
}
