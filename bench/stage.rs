//! What is written into the database before a run, with psql, and pgbench beside it.

use std::{path::PathBuf, process::Command, sync::Arc};

use uuid::Uuid;

use crate::{
    Failure,
    person::{id, session},
    tally::Tally,
};

/// A program with one performance, for one run.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    /// Which one it is.
    pub(crate) nth: u64,
    /// The id of its first seat.
    pub(crate) first_seat: u64,
    /// The entry passes of people 1 and on.
    pub(crate) passes: Arc<[String]>,
}

/// How a stage differs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Whether the server serves it; otherwise only pgbench knows of it.
    pub(crate) is_served: bool,
    /// Seats, each with a person inside who may take it; none: a queue to join.
    pub(crate) seats: u64,
}

/// How many are inside at once where people wait in the queue.
pub(crate) const CAPACITY: u64 = 50;

impl Stage {
    /// Writes the nth one.
    pub(crate) fn build(nth: u64, plan: Plan) -> Result<Self, Failure> {
        Self::build_in(None, nth, plan)
    }

    /// Writes the nth one of another database.
    pub(crate) fn build_in(database: Option<&str>, nth: u64, plan: Plan) -> Result<Self, Failure> {
        let status = if plan.is_served { "PUBLISHED" } else { "DRAFT" };
        let capacity = if plan.seats == 0 { CAPACITY.to_string() } else { "null".to_owned() };
        let variables = [
            ("nth", nth.to_string()),
            ("status", status.to_owned()),
            ("capacity", capacity),
            ("seats", plan.seats.to_string()),
        ];
        let printed = match database {
            Some(database) => psql_file_in(database, "stage.sql", &variables)?,
            None => psql_file("stage.sql", &variables)?,
        };
        let first_seat = printed.trim().parse()?;
        Ok(Self { nth, first_seat, passes: Arc::default() })
    }

    /// Where its queue is joined and asked about.
    pub(crate) fn queue_path(&self) -> String {
        format!("/programs/bench-{}/queue", self.nth)
    }

    /// Where the head of its public log is.
    pub(crate) fn checkpoint_path(&self) -> String {
        format!("/programs/bench-{}/log/checkpoint", self.nth)
    }

    /// Its program.
    pub(crate) fn program_id(&self) -> Uuid {
        id(1, self.nth)
    }

    /// Its performance.
    pub(crate) fn schedule_id(&self) -> Uuid {
        id(2, self.nth)
    }

    /// Its zone.
    pub(crate) fn zone_id(&self) -> Uuid {
        id(8, self.nth)
    }

    /// The cookies of the nth person, who is inside.
    pub(crate) fn cookies(&self, nth: u64) -> String {
        let idx = usize::try_from(nth.saturating_sub(1)).unwrap_or(usize::MAX);
        match self.passes.get(idx) {
            Some(pass) => {
                let program_id = self.program_id().simple();
                format!("{}; entry_pass_{program_id}={pass}", session(nth))
            }
            None => session(nth),
        }
    }

    /// How many reservations of it have `status`.
    pub(crate) fn count_reservations(&self, status: &str) -> Result<u64, Failure> {
        let schedule_id = self.schedule_id();
        count(&format!(
            "select count(*) from reservations where schedule_id = '{schedule_id}' and status = '{status}'"
        ))
    }

    /// How many have joined its queue.
    pub(crate) fn count_joined(&self) -> Result<u64, Failure> {
        let program_id = self.program_id();
        count(&format!("select count(*) from queue_tokens where program_id = '{program_id}'"))
    }

    /// Takes its queue away, so that no worker looks after it during the next run.
    pub(crate) fn strike(&self) -> Result<(), Failure> {
        let program_id = self.program_id();
        for table in ["queue_tokens", "queue_numbers", "queue_gates"] {
            psql(&["-c", &format!("delete from {table} where program_id = '{program_id}'")])?;
        }
        Ok(())
    }

    /// What a script of pgbench needs to know of it.
    pub(crate) fn variables(&self, turns: u64) -> Vec<(&'static str, String)> {
        vec![
            ("program", self.program_id().to_string()),
            ("schedule", self.schedule_id().to_string()),
            ("zone", self.zone_id().to_string()),
            ("first_seat", self.first_seat.to_string()),
            ("turns", turns.to_string()),
            ("turn", "0".to_owned()),
        ]
    }
}

/// Runs a file of `bench/sql`; what it prints.
pub(crate) fn psql_file(name: &str, variables: &[(&str, String)]) -> Result<String, Failure> {
    psql_file_with(Vec::new(), name, variables)
}

fn psql_file_with(
    mut arguments: Vec<String>,
    name: &str,
    variables: &[(&str, String)],
) -> Result<String, Failure> {
    for (name, value) in variables {
        arguments.extend(["-v".to_owned(), format!("{name}={value}")]);
    }
    arguments.extend(["-f".to_owned(), sql(name).display().to_string()]);
    psql(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Runs a file of `bench/sql` in another database; what it prints.
pub(crate) fn psql_file_in(
    database: &str,
    name: &str,
    variables: &[(&str, String)],
) -> Result<String, Failure> {
    psql_file_with(vec!["-d".to_owned(), database.to_owned()], name, variables)
}

/// Runs psql; what it prints.
pub(crate) fn psql(arguments: &[&str]) -> Result<String, Failure> {
    let quiet = ["-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1"];
    output(Command::new("psql").args(quiet).args(arguments))
}

pub(crate) fn count(query: &str) -> Result<u64, Failure> {
    Ok(psql(&["-c", query])?.trim().parse()?)
}

fn sql(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("bench/sql").join(name)
}

/// Clients of pgbench.
pub(crate) const CLIENTS: u64 = 16;

/// Runs scripts, one after the other as one, with pgbench.
pub(crate) fn pgbench(
    scripts: &[&str],
    variables: &[(&'static str, String)],
    secs: u64,
) -> Result<Tally, Failure> {
    pgbench_of(CLIENTS, scripts, variables, secs)
}

/// As [`pgbench`], of so many clients.
pub(crate) fn pgbench_of(
    clients: u64,
    scripts: &[&str],
    variables: &[(&'static str, String)],
    secs: u64,
) -> Result<Tally, Failure> {
    let texts: Result<Vec<String>, _> =
        scripts.iter().map(|name| std::fs::read_to_string(sql(name))).collect();
    let script = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pgbench.sql");
    std::fs::write(&script, texts?.concat())?;
    let mut command = Command::new("pgbench");
    let threads = clients.min(2).to_string();
    command.args(["-n", "-M", "prepared", "-j", &threads, "-c", &clients.to_string()]);
    command.args(["-T", &secs.to_string()]).arg("-f").arg(&script);
    for (name, value) in variables {
        command.arg("-D").arg(format!("{name}={value}"));
    }
    tally_of(&mut command)
}

/// Fills the tables of TPC-B, PostgreSQL's own yardstick, at scale 10.
pub(crate) fn fill_tpcb() -> Result<(), Failure> {
    output(Command::new("pgbench").args(["-i", "-q", "-s", "10"])).map(|_| ())
}

/// Transactions of TPC-B, as `pgbench` has them built in.
pub(crate) fn pgbench_tpcb(secs: u64) -> Result<Tally, Failure> {
    let mut command = Command::new("pgbench");
    command.args(["-n", "-M", "prepared", "-b", "tpcb-like", "-j", "2"]);
    tally_of(command.args(["-c", &CLIENTS.to_string(), "-T", &secs.to_string()]))
}

/// What a run of pgbench did.
fn tally_of(command: &mut Command) -> Result<Tally, Failure> {
    let said = output(command)?;
    let number = |label: &str| {
        let rest = said.lines().find_map(|line| line.strip_prefix(label))?;
        rest.split([' ', '/']).find(|word| !word.is_empty())?.parse::<f64>().ok()
    };
    let done = number("number of transactions actually processed:");
    let done = done.ok_or("pgbench counted nothing")?;
    let rate = number("tps =").ok_or("pgbench measured nothing")?;
    if number("number of failed transactions:") != Some(0.0) {
        return Err(format!("transactions of pgbench failed:\n{said}").into());
    }
    Ok(Tally { done: format!("{done:.0}").parse()?, secs: done / rate, ..Tally::default() })
}

/// What a program prints; with what it complains of, when it fails.
pub(crate) fn output(command: &mut Command) -> Result<String, Failure> {
    let ran = command.output().map_err(|error| {
        format!("{} did not start: {error}", command.get_program().to_string_lossy())
    })?;
    let complaint = String::from_utf8_lossy(&ran.stderr);
    if !ran.status.success() || complaint.contains("ERROR") {
        return Err(format!("{command:?} failed:\n{complaint}").into());
    }
    Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
}
