//! Host names that can be taken away.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::Failure;

/// Environment variable with the path of the library that answers in the resolver's place.
const LIBRARY: &str = "NSS_WRAPPER_LIBRARY";

/// File of host names that only the processes with its environment read.
#[derive(Debug)]
pub(crate) struct Names {
    library: String,
    file: PathBuf,
}

impl Names {
    /// Name of this machine.
    pub(crate) const HOST: &str = "stores.stagedoor.test";

    /// Makes the file in `folder`; `None` where no library is named.
    pub(crate) fn new(folder: &Path) -> Result<Option<Self>, Failure> {
        let Ok(library) = std::env::var(LIBRARY) else { return Ok(None) };
        let names = Self { library, file: folder.join("hosts") };
        names.set(true)?;
        Ok(Some(names))
    }

    /// Has the name resolve, or not.
    pub(crate) fn set(&self, resolves: bool) -> Result<(), Failure> {
        let new = self.file.with_extension("new");
        let lines = if resolves { format!("127.0.0.1 {}\n", Self::HOST) } else { String::new() };
        fs::write(&new, format!("127.0.0.1 localhost\n{lines}"))?;
        Ok(fs::rename(new, &self.file)?)
    }

    /// Returns the environment of a process that reads these names.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        vec![
            ("LD_PRELOAD".to_owned(), self.library.clone()),
            ("NSS_WRAPPER_HOSTS".to_owned(), self.file.display().to_string()),
        ]
    }
}
