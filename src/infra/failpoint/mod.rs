//! Failpoints: moments at which the fault suite causes a fault in an office.
//!
//! A failpoint has a name and is **reached** by one piece of work. Where the environment variable
//! `FAILPOINTS_SOCKET` names a Unix socket, the work says the name there, and goes on when the other
//! end closes the connection, or after [`PARKED_MAX`](told::PARKED_MAX). A program without debug
//! assertions has no failpoints: no release has.
//!
//! Nothing is named by hand: each transaction has one before and one after its commit, each script
//! of Redis one after its answer, each single statement that writes one after it, and each change
//! one before its answer.

#[cfg(debug_assertions)]
mod told;

#[cfg(debug_assertions)]
use std::panic::Location;

/// Source file that the names of failpoints begin with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceFile {
    #[cfg(debug_assertions)]
    caller: &'static Location<'static>,
}

impl SourceFile {
    /// Returns the file of the caller of a function that is marked with `track_caller`.
    #[track_caller]
    pub(crate) fn of_caller() -> Self {
        Self {
            #[cfg(debug_assertions)]
            caller: Location::caller(),
        }
    }

    /// Reaches the failpoint of this file and moment.
    #[cfg(debug_assertions)]
    pub(crate) async fn reach(self, moment: &str) {
        reach(|| {
            let file = self.caller.file();
            let file = file.rsplit_once("src/").map_or(file, |(_, below)| below);
            let file = file.strip_suffix("/mod.rs").or(file.strip_suffix(".rs")).unwrap_or(file);
            format!("{file} {moment}")
        })
        .await;
    }

    /// Reaches nothing.
    #[cfg(not(debug_assertions))]
    pub(crate) async fn reach(self, _moment: &str) {}
}

/// Reaches the failpoint of this name; the name is built only where a socket is configured.
#[cfg(debug_assertions)]
pub async fn reach(name: impl FnOnce() -> String) {
    if let Some(socket) = told::socket() {
        told::tell(socket, &name()).await;
    }
}

/// Reaches nothing.
#[cfg(not(debug_assertions))]
pub async fn reach(_name: impl FnOnce() -> String) {}
