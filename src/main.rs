//! Parses the command line.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use stagedoor::{
    app::App,
    config::{Config, ConfigError},
    infra::postgres,
    server, telemetry,
};

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
}

/// A sentence for the person at the terminal.
type Failure = Box<dyn std::error::Error>;

#[actix_web::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match settings() {
        Ok(config) => run(arguments.command, config).await,
        Err(error) => Err(error.into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn settings() -> Result<Config, ConfigError> {
    let config = Config::from_env()?;
    telemetry::start_logging(&config);
    Ok(config)
}

async fn run(command: Command, config: Config) -> Result<(), Failure> {
    match command {
        Command::Serve => serve(config).await,
        Command::Migrate => {
            let db = postgres::pool(&config)?;
            postgres::migrate(&db).await?;
            Ok(())
        }
    }
}

async fn serve(config: Config) -> Result<(), Failure> {
    telemetry::start_metrics();
    let instance = server::start(&App::start(config).await?)?;
    tracing::info!(address = %instance.address, "serving on http://{}", instance.address);
    asked_to_stop().await?;
    tracing::info!("stopping: requests in flight finish first");
    instance.stop().await;
    Ok(())
}

/// Waits for Ctrl-C or SIGTERM.
async fn asked_to_stop() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminated = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminated.recv() => Ok(()),
    }
}
