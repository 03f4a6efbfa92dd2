//! Processes that the suite starts, kills, freezes and starts again.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use crate::Failure;

/// Upper bound of a process's own end after it was asked for.
const END_MAX: Duration = Duration::from_mins(1);
const LOOK_PAUSE: Duration = Duration::from_millis(20);

/// Signals that the suite sends, by the names that `kill` knows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Signal {
    Kill,
    Stop,
    Continue,
    Terminate,
    Interrupt,
    Quit,
}

impl Signal {
    fn name(self) -> &'static str {
        match self {
            Self::Kill => "-KILL",
            Self::Stop => "-STOP",
            Self::Continue => "-CONT",
            Self::Terminate => "-TERM",
            Self::Interrupt => "-INT",
            Self::Quit => "-QUIT",
        }
    }
}

/// Running program with its log; killed when dropped, with its children.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts a program that appends what it says to `log`.
    pub(crate) fn start(command: &mut Command, log: &Path) -> Result<Self, Failure> {
        let open = || File::options().create(true).append(true).open(log);
        let child = command
            .stdin(Stdio::null())
            .stdout(open()?)
            .stderr(open()?)
            .spawn()
            .map_err(|error| format!("{command:?} cannot be started: {error}"))?;
        Ok(Self { child, log: log.to_owned() })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the process has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Sends a signal to the process alone.
    pub(crate) fn signal(&self, signal: Signal) -> Result<(), Failure> {
        send(signal, [self.id()])
    }

    /// Sends a signal to the process and its children.
    pub(crate) fn signal_all(&self, signal: Signal) -> Result<(), Failure> {
        send(signal, [self.id()].into_iter().chain(children(self.id())))
    }

    /// Sends a signal and waits until the process has ended.
    pub(crate) async fn end(&mut self, signal: Signal) -> Result<(), Failure> {
        self.signal(signal)?;
        let began = Instant::now();
        while !self.has_ended() {
            if began.elapsed() > END_MAX {
                return Err(format!("a process does not end; its log: {}", self.log()).into());
            }
            tokio::time::sleep(LOOK_PAUSE).await;
        }
        Ok(())
    }

    /// Returns the last lines of the log.
    pub(crate) fn log(&self) -> String {
        const LINES: usize = 15;
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(LINES)..].join("\n")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Signals to processes that have ended fail, which is no fault.
        let _ = self.signal_all(Signal::Continue);
        let _ = self.signal_all(Signal::Kill);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn send(signal: Signal, ids: impl IntoIterator<Item = u32>) -> Result<(), Failure> {
    let ids: BTreeSet<String> = ids.into_iter().map(|id| id.to_string()).collect();
    // One of several may just have ended.
    let is_one = ids.len() == 1;
    let sent = Command::new("kill").arg(signal.name()).args(ids).stderr(Stdio::null()).status()?;
    if sent.success() || !is_one { Ok(()) } else { Err("no such process".into()) }
}

/// Lists the processes whose parent is `parent`.
fn children(parent: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|id| {
            let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            // The name in brackets may hold anything; what follows it is the state and the parent.
            let rest = stat.rsplit_once(") ").map(|(_, rest)| rest);
            rest.and_then(|rest| rest.split(' ').nth(1)?.parse().ok()) == Some(parent)
        })
        .collect()
}

/// User that servers run as.
#[derive(Clone, Copy, Debug)]
pub(crate) struct User {
    ids: Option<(u32, u32)>,
}

impl User {
    /// Returns `postgres` for root, whom PostgreSQL refuses to run as. Another user runs servers as itself.
    pub(crate) fn of_servers() -> Result<Self, Failure> {
        let id = |arguments: &[&str]| -> Result<u32, Failure> {
            let output = Command::new("id").args(arguments).output()?;
            Ok(String::from_utf8(output.stdout)?.trim().parse()?)
        };
        let is_root = id(&["-u"])? == 0;
        let ids = match is_root {
            true => Some((id(&["-u", "postgres"])?, id(&["-g", "postgres"])?)),
            false => None,
        };
        Ok(Self { ids })
    }

    /// Has the command run as this user.
    pub(crate) fn run(self, command: &mut Command) -> &mut Command {
        match self.ids {
            Some((user, group)) => command.uid(user).gid(group),
            None => command,
        }
    }

    /// Gives the folder with all that is in it to this user.
    pub(crate) fn own(self, folder: &Path) -> Result<(), Failure> {
        let Some((user, group)) = self.ids else { return Ok(()) };
        let owner = format!("{user}:{group}");
        succeed(Command::new("chown").args(["-R", &owner]).arg(folder))
    }
}

/// Runs a command to its end; an error has what it said.
pub(crate) fn succeed(command: &mut Command) -> Result<(), Failure> {
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?} failed: {}", said.trim()).into())
}
