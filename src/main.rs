//! The command line: parses arguments and runs one command.

use std::{
    io::{self, BufRead, IsTerminal, Write},
    process::ExitCode,
    time::Instant,
};

use clap::{Parser, Subcommand};
use stagedoor::{
    accounts::{self, AccountError},
    admin,
    app::{App, StartError},
    config::Config,
    demo::{self, Size},
    infra::{
        postgres::{self, Pool},
        redis::Redis,
    },
    mail,
    rehearsal::{Access, Bar, Rehearsal, RehearsalResult},
    server, telemetry, verify,
    web::error::unreadable::UNREADABLE,
    witness,
};

use self::{offline::OfflineCheck, rehearse_arguments::RehearseArguments};

mod offline;
mod rehearse_arguments;

/// mimalloc halves the allocator's share of a poll's processor time, from a fifth to a tenth. It asks
/// for no huge pages: with them an open event stream takes half as much memory again, and a purchase
/// takes no less processor time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A ticket office: the waiting room, the seat map, the wallet, the payment and the door.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve HTTP; migrates the database first unless `MIGRATE_ON_START` is false.
    Serve,
    /// Migrate the database and end.
    Migrate,
    /// Fill an empty office with a believable data set and print its log-ins; refused if it
    /// has accounts or programs of its own.
    Demo {
        /// Also write 2,000,000 seats on sale, 400,000 reservations and 200,000 accounts.
        #[arg(long)]
        large: bool,
    },
    /// Ask the instance with these settings on this machine whether it is up; exit code 1 if not.
    Healthy,
    /// Check every invariant, also during a sale; prints one line for each violation.
    Verify,
    /// Rehearse an on-sale against a running deployment, with a program and people of its own
    /// that are removed afterwards. Without `REHEARSAL_TOKEN` it must be on this machine.
    Rehearse(RehearseArguments),
    /// Print the newest mails, sent or not. Without `SMTP_URL` mails are kept and not sent.
    Mails {
        /// Number of mails, at most 50.
        #[arg(long, default_value_t = 10)]
        newest: usize,
    },
    #[command(flatten)]
    Check(OfflineCheck),
    /// Cosign the checkpoints of public logs as an independent witness, on a machine and by an
    /// operator other than the office's. Needs neither PostgreSQL nor Redis.
    Witness(witness::WitnessArguments),
    /// Manage accounts of administrators.
    Admin {
        #[command(subcommand)]
        command: AdminCommand,
    },
}

#[derive(Subcommand)]
enum AdminCommand {
    /// Open an account that may manage everything. The password is asked for, or read
    /// from standard input.
    Create {
        /// E-mail address to log in with.
        #[arg(long)]
        email: String,
        /// Name that the pages show.
        #[arg(long, default_value = "Admin")]
        name: String,
    },
    /// Remove the second factor of a person who lost it, and log them out everywhere. The owner gets
    /// a mail, and the audit log records the act.
    ResetSecondFactor {
        /// E-mail address of the account.
        #[arg(long)]
        email: String,
    },
}

/// Error as a sentence for the person at the terminal.
type Failure = Box<dyn std::error::Error>;

#[actix_web::main]
async fn main() -> ExitCode {
    match run(Arguments::parse().command).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // A failed write is ignored: nothing is left to report that standard error is closed.
            let _ = writeln!(io::stderr(), "{failure}");
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> Result<(), Failure> {
    if let Command::Rehearse(arguments) = command {
        return rehearse(&arguments.rehearsal(), arguments.json).await;
    }
    if let Command::Check(check) = &command {
        return check.run();
    }
    if let Command::Witness(arguments) = &command {
        return Ok(witness::run(arguments, server::asked_to_stop()).await?);
    }
    let config = Config::from_env()?;
    telemetry::start_logging(&config, UNREADABLE);
    for name in Config::list_removed(|name| std::env::var(name).ok()) {
        tracing::warn!("{name} is set, and is no setting any more: it changes nothing");
    }
    match command {
        Command::Rehearse(_) | Command::Check(_) | Command::Witness(_) => Ok(()),
        Command::Serve => serve(config).await,
        Command::Migrate => migrate(&config).await.map(drop),
        Command::Demo { large } => load(&config, large).await,
        Command::Healthy => Ok(server::check_health(&config).await?),
        Command::Verify => verify(&config).await,
        Command::Mails { newest } => list_mails(&config, newest).await,
        Command::Admin { command: AdminCommand::Create { email, name } } => {
            create_admin(&migrate(&config).await?, &email, &name).await
        }
        Command::Admin { command: AdminCommand::ResetSecondFactor { email } } => {
            reset_second_factor(&Pool::of(&config)?, &email).await
        }
    }
}

async fn serve(config: Config) -> Result<(), Failure> {
    telemetry::start_metrics();
    let drain = config.drain;
    let app = App::start(config).await?;
    for warning in server::list_warnings(&app).await.map_err(StartError::from)? {
        tracing::warn!("{warning}");
    }
    if postgres::is_owner(&app.db).await.unwrap_or_default() {
        tracing::warn!(
            "the role that serves owns the tables, so a mistake could switch off what they refuse: \
             give DATABASE_URL a role of its own, and the owner's address to DATABASE_OWNER_URL"
        );
    }
    if postgres::shares_sessions(&app.db).await.map_err(StartError::from)? {
        tracing::warn!(
            "a pooler gives each transaction whichever session with PostgreSQL is free: commits that wait for a \
             standby are not told apart then, and may use up all of its connections. Have it pool sessions \
             (docs/GROWING.md)"
        );
    }
    if let Err(error) = stagedoor::setbacks::watch(&app).await {
        tracing::warn!(%error, "whether the database went back is not known yet");
    }
    let instance = server::start(&app)?;
    tracing::info!("serving on http://{}", instance.address);
    if let Some(address) = instance.metrics_address {
        tracing::info!("metrics on http://{address}/metrics");
    }
    server::asked_to_stop().await?;
    if !drain.is_zero() {
        tracing::info!("not ready any more, and serving on for {} s", drain.as_secs());
        instance.drain(drain, server::asked_to_stop()).await;
    }
    tracing::info!("stopping: requests in flight finish first");
    instance.stop().await;
    Ok(())
}

/// Migrates the database and returns its pool.
async fn migrate(config: &Config) -> Result<Pool, Failure> {
    Ok(postgres::migrate_for(config).await.map_err(StartError::from)?)
}

async fn load(config: &Config, large: bool) -> Result<(), Failure> {
    let db = migrate(config).await?;
    let mut out = io::stdout();
    if demo::load(&db).await? {
        writeln!(out, "The office is filled with demo data.")?;
    } else {
        writeln!(out, "The office has its demo data already.")?;
    }
    writeln!(out, "Demo log-ins, all with the password {:?}:", demo::PASSWORD)?;
    for log_in in demo::LOG_INS {
        writeln!(out, "  {:<26} {}", log_in.email, log_in.purpose)?;
    }
    // Only the owner may vacuum the tables afterwards.
    if large { load_large(&postgres::owner_of(config)?).await } else { Ok(()) }
}

async fn load_large(db: &Pool) -> Result<(), Failure> {
    let (size, mut out) = (Size::LARGE, io::stdout());
    let is_loaded = demo::load_large(db, size, |nth| {
        let _ = writeln!(io::stderr(), "Large demo data: program {nth} of {}", size.programs);
    });
    if !is_loaded.await? {
        return Ok(writeln!(out, "The office has its large demo data already.")?);
    }
    let (seats, reservations) = (size.schedule_seats(), size.reservations());
    let accounts = size.accounts();
    writeln!(out, "Beside it: {seats} seats, {reservations} reservations, {accounts} accounts.")?;
    Ok(())
}

async fn list_mails(config: &Config, mails_max: usize) -> Result<(), Failure> {
    let mails = mail::list_newest(&Pool::of(config)?, config, mails_max).await?;
    let mut out = io::stdout();
    for text in &mails {
        writeln!(out, "{text}")?;
    }
    if mails.is_empty() { Ok(writeln!(out, "There are no mails.")?) } else { Ok(()) }
}

async fn verify(config: &Config) -> Result<(), Failure> {
    let (db, redis) = stores(config)?;
    let begun = Instant::now();
    let violations = verify::verify(&db, &redis).await?;
    let mut out = io::stdout();
    for violation in &violations {
        writeln!(out, "{violation}")?;
    }
    if let Err(failure) = verify::keep_outcome(&db, begun.elapsed(), &violations).await {
        writeln!(io::stderr(), "The pages of administrators do not show this run: {failure}")?;
    }
    match violations.len() {
        0 => Ok(writeln!(out, "Everything that must be true is true.")?),
        1 => Err("1 violation.".into()),
        n => Err(format!("{n} violations.").into()),
    }
}

async fn rehearse(rehearsal: &Rehearsal, json: bool) -> Result<(), Failure> {
    // Signals are caught from the beginning, so that an early Ctrl-C also removes what was made.
    let stop = server::asked_to_stop();
    let config = Config::of_visitor()?;
    let stores = match &config {
        Some(config) => Some(stores(config)?),
        None => None,
    };
    let token = Config::rehearsal_token()?;
    let access =
        Access { token: token.as_deref(), stores: stores.as_ref().map(|(db, redis)| (db, redis)) };
    let bar = Bar::on_stderr(rehearsal.people);
    let stop = async {
        // Without signal handlers the rehearsal ends by itself.
        if stop.await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    let result = rehearsal.run(access, stop, |now| bar.show(now)).await;
    bar.end();
    let RehearsalResult { report, errors } = result?;
    match json {
        true => writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&report)?)?,
        false => writeln!(io::stdout(), "{report}")?,
    }
    let mut sentences: Vec<String> = errors.iter().map(ToString::to_string).collect();
    if !report.is_clean() {
        sentences.push("The rehearsal was not clean.".to_owned());
    }
    if sentences.is_empty() { Ok(()) } else { Err(sentences.join("\n").into()) }
}

fn stores(config: &Config) -> Result<(Pool, Redis), StartError> {
    Ok((Pool::of(config)?, Redis::open(&config.redis_url, &config.redis_prefix)?))
}

async fn create_admin(db: &Pool, email: &str, name: &str) -> Result<(), Failure> {
    let password = if io::stdin().is_terminal() {
        rpassword::prompt_password("Password: ")?
    } else {
        io::stdin().lock().lines().next().transpose()?.unwrap_or_default()
    };
    let new = accounts::NewAccount::parse(email, name, &password)?;
    match accounts::create_admin(db, new).await {
        Ok(_) => Ok(writeln!(io::stdout(), "{email} may now manage everything.")?),
        Err(AccountError::EmailTaken) => {
            Err(format!("{email} has an account already; choose another address.").into())
        }
        Err(failure) => Err(failure.into()),
    }
}

async fn reset_second_factor(db: &Pool, email: &str) -> Result<(), Failure> {
    match admin::reset_second_factor(db, email).await {
        Ok(()) => Ok(writeln!(io::stdout(), "{email} logs in with the password alone now.")?),
        Err(AccountError::WrongCredentials) => Err(format!("{email} has no account.").into()),
        Err(AccountError::SecondFactorMissing) => {
            Err(format!("{email} has no second factor.").into())
        }
        Err(failure) => Err(failure.into()),
    }
}
