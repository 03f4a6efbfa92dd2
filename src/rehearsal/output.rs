//! Output files of a rehearsal.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use super::{error::RehearsalError, history::Event, report::Report};

/// File opened before the first shopper arrives: a path that cannot be written fails before the
/// rehearsal and not after it.
#[derive(Debug)]
struct Output {
    path: PathBuf,
    file: File,
}

impl Output {
    fn open(path: &Path) -> Result<Self, RehearsalError> {
        let path = path.to_owned();
        match File::create(&path) {
            Ok(file) => Ok(Self { path, file }),
            Err(cause) => Err(RehearsalError::NotWritten(path, cause)),
        }
    }

    /// Writes the file and flushes it.
    fn write(
        &mut self,
        content: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
    ) -> Result<(), RehearsalError> {
        let mut file = BufWriter::new(&self.file);
        let written = content(&mut file).and_then(|()| file.flush());
        written.map_err(|cause| RehearsalError::NotWritten(self.path.clone(), cause))
    }
}

/// Output files that were requested.
#[derive(Debug)]
pub(crate) struct Outputs {
    history: Option<Output>,
    page: Option<Output>,
}

impl Outputs {
    /// Opens the requested files.
    pub(crate) fn open(
        history: Option<&Path>,
        page: Option<&Path>,
    ) -> Result<Self, RehearsalError> {
        Ok(Self {
            history: history.map(Output::open).transpose()?,
            page: page.map(Output::open).transpose()?,
        })
    }

    /// Writes the history and the page, and returns an error for each that failed.
    pub(crate) fn write(&mut self, events: &[Event], report: &Report) -> Vec<RehearsalError> {
        let history = self.history.as_mut().map(|output| {
            output.write(|file| {
                events.iter().try_for_each(|event| {
                    serde_json::to_writer(&mut *file, event)?;
                    file.write_all(b"\n")
                })
            })
        });
        let page = self.page.as_mut().map(|output| {
            output.write(|file| {
                let page = report.page().map_err(io::Error::other)?;
                file.write_all(page.as_bytes())
            })
        });
        history.into_iter().chain(page).filter_map(Result::err).collect()
    }
}
