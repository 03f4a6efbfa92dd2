//! The program as it is shipped, as a process of its own.

use std::{
    net::{SocketAddr, TcpListener},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use crate::{Failure, http::Connection};

/// The program.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_stagedoor");

/// No start takes longer.
const START_MAX: Duration = Duration::from_secs(30);
/// How often a start is looked after.
const LOOK_PERIOD: Duration = Duration::from_millis(1);

/// A running `stagedoor serve`; it ends with this value.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// From its start until the home page was there.
    pub(crate) started_in: Duration,
}

impl Server {
    /// Starts one on a free port, with its usual settings but two: one account may change
    /// things as often as it likes, and only warnings are logged.
    pub(crate) async fn start() -> Result<Self, Failure> {
        Self::start_with(&[]).await
    }

    /// As [`Self::start`], with more settings.
    pub(crate) async fn start_with(settings: &[(&str, &str)]) -> Result<Self, Failure> {
        Self::start_program(PROGRAM, settings).await
    }

    /// As [`Self::start_with`], of the build that `program` names.
    pub(crate) async fn start_program(
        program: &str,
        settings: &[(&str, &str)],
    ) -> Result<Self, Failure> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let began = Instant::now();
        let child = Command::new(program)
            .arg("serve")
            .env("LISTEN_ADDR", address.to_string())
            .env("TEST_ACCOUNT_BURST", "100000000")
            .env("LOG", "warn")
            .envs(settings.iter().copied())
            .stdout(Stdio::null())
            .spawn()?;
        let mut server = Self { child, address, started_in: Duration::ZERO };
        while began.elapsed() < START_MAX {
            if let Ok(mut connection) = Connection::open(address).await
                && connection.get("/", "").await.is_ok_and(|page| page.status == 200)
            {
                server.started_in = began.elapsed();
                return Ok(server);
            }
            if let Some(status) = server.child.try_wait()? {
                return Err(format!("the server ended at its start: {status}").into());
            }
            tokio::time::sleep(LOOK_PERIOD).await;
        }
        Err("the server does not serve".into())
    }

    /// The processor time that it has used, in seconds.
    pub(crate) fn cpu_secs(&self) -> Result<f64, Failure> {
        cpu_secs(&self.child.id().to_string())
    }

    /// The memory that it has in use, in MiB.
    pub(crate) fn memory_mib(&self) -> Result<f64, Failure> {
        const KIB_IN_MIB: f64 = 1024.0;
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().next());
        Ok(kib.ok_or("the kernel does not tell")?.parse::<f64>()? / KIB_IN_MIB)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended already is what we want.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The processor time of process `pid`, user and system, in seconds.
pub(crate) fn cpu_secs(pid: &str) -> Result<f64, Failure> {
    secs_of(pid, 2)
}

/// The same, with that of its children that have ended.
pub(crate) fn cpu_secs_with_ended(pid: &str) -> Result<f64, Failure> {
    secs_of(pid, 4)
}

/// The sum of the first so many of user, system, children's user, children's system.
fn secs_of(pid: &str, n_fields: usize) -> Result<f64, Failure> {
    /// The kernel counts in these, on every machine that Linux runs on today.
    const TICKS_IN_SEC: f64 = 100.0;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name in brackets may hold anything; what follows it is field 3.
    let (_, rest) = stat.rsplit_once(") ").ok_or("the kernel does not tell")?;
    let ticks: Result<Vec<f64>, _> =
        rest.split(' ').skip(14 - 3).take(n_fields).map(str::parse::<f64>).collect();
    Ok(ticks?.iter().sum::<f64>() / TICKS_IN_SEC)
}
