//! A PostgreSQL server that the suite owns, with its standby.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use sqlx::{Connection, PgConnection, postgres::PgConnectOptions};

use crate::{
    Failure,
    clock::Clock,
    processes::{Process, Signal, User, succeed},
    support::free_port,
};

/// Upper bound of a start, with its crash recovery.
const START_MAX: Duration = Duration::from_mins(1);
const LOOK_PAUSE: Duration = Duration::from_millis(50);
/// Connections of a server: few, so that they can be used up.
const CONNECTIONS: u16 = 100;

/// Programs of PostgreSQL, and the user who runs them.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    folder: PathBuf,
    user: User,
}

impl Programs {
    /// Finds the programs as `scripts/stack` does.
    pub(crate) fn find() -> Result<Self, Failure> {
        let find = ". scripts/lib/programs.sh && postgres_bin newest";
        let found = Command::new("bash").args(["-c", find]).output()?;
        let folder = String::from_utf8(found.stdout)?.trim().into();
        Ok(Self { folder, user: User::of_servers()? })
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.folder.join(name));
        // A folder that both may enter, and messages that can be read.
        self.user.run(command.current_dir("/").env("LC_ALL", "C"));
        command
    }

    /// Makes a folder that the servers alone use.
    fn make_folder(&self, folder: &Path) -> Result<(), Failure> {
        fs::create_dir_all(folder)?;
        fs::set_permissions(folder, Permissions::from_mode(0o700))?;
        self.user.own(folder)
    }

    /// Makes the data of a server without tables in `data`.
    pub(crate) fn init(&self, data: &Path) -> Result<(), Failure> {
        self.make_folder(data)?;
        let options =
            ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8"];
        succeed(self.command("initdb").arg("--no-sync").arg("-D").arg(data).args(options))
    }
}

/// Server on a port of its own.
#[derive(Debug)]
pub(crate) struct PostgresServer {
    pub(crate) port: u16,
    programs: Programs,
    data: PathBuf,
    log: PathBuf,
    clock: Option<Clock>,
    process: Option<Process>,
}

impl PostgresServer {
    /// Starts a server on the data in `data`, by `clock` if there is one.
    pub(crate) async fn start(
        programs: &Programs,
        data: &Path,
        clock: Option<&Clock>,
    ) -> Result<Self, Failure> {
        let mut server = Self {
            port: free_port(),
            programs: programs.clone(),
            data: data.to_owned(),
            log: data.with_extension("log"),
            clock: clock.cloned(),
            process: None,
        };
        server.restart().await?;
        Ok(server)
    }

    /// Starts a standby of this server that follows it.
    pub(crate) async fn start_standby(&self, data: &Path) -> Result<Self, Failure> {
        self.programs.make_folder(data)?;
        let primary = format!("host=127.0.0.1 port={} user=postgres", self.port);
        let mut copy = self.programs.command("pg_basebackup");
        copy.args(["--checkpoint=fast", "--write-recovery-conf", "--dbname", &primary]);
        succeed(copy.arg("--pgdata").arg(data))?;
        Self::start(&self.programs, data, None).await
    }

    /// Starts the process, which has ended or was never started, and waits until it answers.
    pub(crate) async fn restart(&mut self) -> Result<(), Failure> {
        let mut command = self.programs.command("postgres");
        command.arg("-D").arg(&self.data).args(["-p", &self.port.to_string()]);
        let max = format!("max_connections={CONNECTIONS}");
        let fixed = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", &max];
        for setting in fixed {
            command.args(["-c", setting]);
        }
        command.envs(self.clock.iter().flat_map(Clock::environment));
        self.process = None;
        self.process = Some(Process::start(&mut command, &self.log)?);
        let began = Instant::now();
        loop {
            match self.connect().await {
                Ok(_) => return Ok(()),
                Err(error) if began.elapsed() > START_MAX => {
                    let log = self.process.as_ref().map(Process::log).unwrap_or_default();
                    return Err(format!("PostgreSQL does not start: {error}; {log}").into());
                }
                Err(_) => tokio::time::sleep(LOOK_PAUSE).await,
            }
        }
    }

    /// Connects as the superuser, around every wire.
    async fn connect(&self) -> Result<PgConnection, sqlx::Error> {
        self.connect_as("postgres").await
    }

    /// Connects as this role, around every wire.
    pub(crate) async fn connect_as(&self, role: &str) -> Result<PgConnection, sqlx::Error> {
        let options = PgConnectOptions::new().host("127.0.0.1").port(self.port);
        PgConnection::connect_with(&options.username(role).database("postgres")).await
    }

    /// Runs one statement as the superuser.
    pub(crate) async fn run(&self, sql: &'static str) -> Result<(), Failure> {
        sqlx::raw_sql(sql).execute(&mut self.connect().await?).await?;
        Ok(())
    }

    /// Runs one statement as the superuser in the office's database.
    pub(crate) async fn run_in_office(&self, sql: &'static str) -> Result<(), Failure> {
        let options = PgConnectOptions::new().host("127.0.0.1").port(self.port);
        let options = options.username("postgres").database("stagedoor");
        sqlx::raw_sql(sql).execute(&mut PgConnection::connect_with(&options).await?).await?;
        Ok(())
    }

    /// Changes a setting of the running server.
    pub(crate) async fn set(&self, setting: &'static str) -> Result<(), Failure> {
        let mut connection = self.connect().await?;
        let alter = format!("alter system set {setting}");
        sqlx::raw_sql(sqlx::AssertSqlSafe(alter)).execute(&mut connection).await?;
        self.run("select pg_reload_conf()").await
    }

    /// Ends the process in good order.
    pub(crate) async fn stop(&mut self) -> Result<(), Failure> {
        match &mut self.process {
            Some(process) => process.end(Signal::Interrupt).await,
            None => Ok(()),
        }
    }

    /// Ends the process at once, as a crash does: the next start recovers.
    pub(crate) async fn crash(&mut self) -> Result<(), Failure> {
        match &mut self.process {
            Some(process) => process.end(Signal::Quit).await,
            None => Ok(()),
        }
    }

    /// Whether the process has ended, by itself or not.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.process.as_mut().is_none_or(Process::has_ended)
    }

    /// Sends a signal to all processes of the server.
    pub(crate) fn signal(&self, signal: Signal) -> Result<(), Failure> {
        self.process.as_ref().map_or(Ok(()), |process| process.signal_all(signal))
    }

    /// Makes a standby the primary and waits until it writes.
    pub(crate) async fn promote(&self) -> Result<(), Failure> {
        self.run("select pg_promote(wait => true, wait_seconds => 60)").await
    }
}
