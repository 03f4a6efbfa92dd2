//! Instances of the product as processes of their own.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use crate::{
    Failure,
    processes::{Process, Signal},
    support::free_port,
};

/// Program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_stagedoor");
/// Upper bound of a start.
const START_MAX: Duration = Duration::from_mins(1);
const LOOK_PAUSE: Duration = Duration::from_millis(50);

/// A `stagedoor serve` that can be started again on the same port.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) port: u16,
    program: PathBuf,
    settings: Vec<(String, String)>,
    log: PathBuf,
    process: Option<Process>,
}

impl Instance {
    /// Starts an instance of this program and waits until it is ready.
    pub(crate) async fn start(
        program: &Path,
        nth: usize,
        settings: &[(String, String)],
        folder: &Path,
    ) -> Result<Self, Failure> {
        let mut instance = Self {
            port: free_port(),
            program: program.to_owned(),
            settings: settings.to_vec(),
            log: Self::log_in(folder, nth),
            process: None,
        };
        instance.restart().await?;
        Ok(instance)
    }

    /// Has the next start be one of this program.
    pub(crate) fn becomes(&mut self, program: &str) {
        self.program = program.into();
    }

    /// Returns where the instance of this number logs.
    pub(crate) fn log_in(folder: &Path, nth: usize) -> PathBuf {
        folder.join(format!("instance-{nth}.log"))
    }

    /// Starts the process, which has ended or was never started, and waits until it is ready.
    pub(crate) async fn restart(&mut self) -> Result<(), Failure> {
        self.begin()?;
        let began = Instant::now();
        while !is_ready(self.port).await {
            if began.elapsed() > START_MAX {
                let log = self.process.as_ref().map(Process::log).unwrap_or_default();
                return Err(format!("an instance does not start: {log}").into());
            }
            tokio::time::sleep(LOOK_PAUSE).await;
        }
        Ok(())
    }

    /// Starts the process without waiting for anything.
    pub(crate) fn begin(&mut self) -> Result<(), Failure> {
        let mut command = Command::new(&self.program);
        command
            .arg("serve")
            .env("LISTEN_ADDR", format!("127.0.0.1:{}", self.port))
            .envs(self.settings.iter().map(|(name, value)| (name, value)));
        self.process = None;
        self.process = Some(Process::start(&mut command, &self.log)?);
        Ok(())
    }

    /// Ends the process with this signal.
    pub(crate) async fn end(&mut self, signal: Signal) -> Result<(), Failure> {
        match &mut self.process {
            Some(process) => process.end(signal).await,
            None => Ok(()),
        }
    }

    /// Sends a signal that ends nothing.
    pub(crate) fn signal(&self, signal: Signal) -> Result<(), Failure> {
        self.process.as_ref().map_or(Ok(()), |process| process.signal(signal))
    }

    /// Returns the id of the process.
    pub(crate) fn id(&self) -> Option<u32> {
        self.process.as_ref().map(Process::id)
    }

    /// Whether the process has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.process.as_mut().is_none_or(Process::has_ended)
    }
}

/// Whether an instance at this port says that it is ready.
pub(crate) async fn is_ready(port: u16) -> bool {
    let asked = reqwest::Client::new()
        .get(format!("http://127.0.0.1:{port}/readyz"))
        .timeout(Duration::from_secs(3))
        .send();
    asked.await.is_ok_and(|answer| answer.status().is_success())
}
