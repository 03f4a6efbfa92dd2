//! A machine's clock that is wrong, for one process.

use std::{
    fs::File,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    process::Command,
};

use uuid::Uuid;

use super::checkout::ROOT;

/// Clock of a process that is started with its settings; it can be set while the process runs.
#[derive(Debug)]
pub struct WrongClock {
    folder: PathBuf,
    offset: File,
}

impl WrongClock {
    /// Makes a clock that is so many seconds ahead, of the library that the fault suite has too.
    pub fn ahead_by(secs: i64) -> Self {
        let folder = std::env::temp_dir().join(format!("stagedoor-clock-{}", Uuid::new_v4()));
        std::fs::create_dir(&folder).unwrap();
        let source = Path::new(ROOT).join("tests/faults/clock.c");
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-o"]).arg(folder.join("clock.so")).arg(source);
        assert!(cc.status().unwrap().success());
        let clock = Self { offset: File::create(folder.join("offset")).unwrap(), folder };
        clock.set(secs);
        clock
    }

    /// Sets the clock so many seconds ahead.
    pub fn set(&self, secs: i64) {
        self.offset.write_all_at(&secs.to_ne_bytes(), 0).unwrap();
    }

    /// Returns the settings of a process that goes by this clock.
    pub fn settings(&self) -> [(&str, String); 2] {
        [("LD_PRELOAD", "clock.so"), ("CLOCK_OFFSET_FILE", "offset")]
            .map(|(name, file)| (name, self.folder.join(file).display().to_string()))
    }
}

impl Drop for WrongClock {
    fn drop(&mut self) {
        // A folder that stays is of no consequence.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
