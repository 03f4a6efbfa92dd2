//! One **instance**: its HTTP servers, its workers and its state, from start to a graceful stop.
//!
//! # Invariants
//!
//! - A stop takes less than ten seconds, even while work still runs; work that is cut off rolls
//!   back.
//! - Metrics on a listener of their own are served by a server with one thread and no other route.
//!
//! # Concurrency
//!
//! Requests and workers of an instance share one [`State`] and one connection pool. A stop begins
//! when load balancers had time to notice (see [`Instance::drain`]): it first refuses new
//! connections, then waits for ticks and requests, then ends the threads (see [`Instance::stop`]).

mod health;
mod malformed;
mod stop;
mod warnings;

use std::{
    net::{SocketAddr, TcpListener},
    sync::Arc,
    time::Duration,
};

use actix_web::{
    HttpServer,
    dev::ServerHandle,
    middleware::{Compress, from_fn},
    web::{self, Data},
};
use tokio::task::JoinHandle;

use crate::{
    accounts::{LogInBudget, PasswordGate, SessionCache},
    admin::live::LiveSales,
    api_reference::ReferenceSource,
    app::{App, StartError},
    catalog::{Listings, Programs, posters::pages::PosterCache},
    entry_queue::{ClosedLists, Draws, WaitingRoom, Witnesses},
    infra::progress::WorkerProgress,
    mail::Mailer,
    payment::{Checkouts, Payments},
    reservation::ReservationState,
    routes,
    tickets::DoorCounts,
    wallet::{Charges, Provider},
    web::{
        files::upload::Uploads,
        health::Draining,
        limits::Limits,
        metrics::{QueueSeries, show_metrics_apart},
        middleware::{
            csrf,
            deadline::Running,
            encoding,
            headers::{self, ContentPolicy},
            measure, rendering, unread,
        },
        path::router::Router,
    },
    webhooks::HookClient,
    workers::{Outside, Workers},
};

pub use health::check_health;
pub use stop::asked_to_stop;
pub use warnings::{Warning, list_warnings};

/// How long a stop waits for the workers' ticks and for requests, answered or not.
const LAST_WORK_MAX: Duration = Duration::from_secs(3);
/// How long a stop then waits for connections to end, in seconds.
const STOP_SECS: u64 = 6;
const _: () = assert!(LAST_WORK_MAX.as_secs() + STOP_SECS < 10);
/// How long a client may take to send a request's head.
const HEAD_MAX: Duration = Duration::from_secs(5);
const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// State of the features of one instance, kept in memory while it runs.
#[derive(Clone, Debug)]
pub struct State {
    /// Rate limits that belong to no feature.
    limits: Arc<Limits>,
    sessions: SessionCache,
    passwords: PasswordGate,
    log_ins: LogInBudget,
    programs: Programs,
    listings: Listings,
    posters: PosterCache,
    waiting_room: WaitingRoom,
    draws: Draws,
    closed_lists: ClosedLists,
    reservations: ReservationState,
    door_counts: DoorCounts,
    running: Running,
    draining: Draining,
    progress: WorkerProgress,
    provider: Provider,
    charges: Charges,
    payments: Payments,
    checkouts: Checkouts,
    policy: ContentPolicy,
    queues: QueueSeries,
    uploads: Uploads,
    live: LiveSales,
}

impl State {
    fn new(app: &App) -> Result<Self, StartError> {
        let listings = Listings::default();
        let provider = Provider::of(&app.config.payment, &app.tally)?;
        let (charges, payments) = (Charges::new(&app.db), Payments::new(app));
        Ok(Self {
            checkouts: Checkouts::new(app, &provider, &charges, &payments),
            policy: ContentPolicy::of(&app.config.payment),
            waiting_room: WaitingRoom::new(app, listings.clone()),
            draws: Draws::new(app)?,
            closed_lists: ClosedLists::default(),
            limits: Arc::new(Limits::new(&app.config)),
            sessions: SessionCache::new(app),
            passwords: PasswordGate::new(),
            log_ins: LogInBudget::new(app),
            programs: Programs::default(),
            reservations: ReservationState::new(app),
            door_counts: DoorCounts::default(),
            listings,
            posters: PosterCache::default(),
            running: Running::default(),
            draining: Draining::default(),
            progress: WorkerProgress::default(),
            provider,
            charges,
            payments,
            queues: QueueSeries::default(),
            uploads: Uploads::default(),
            live: LiveSales::default(),
        })
    }

    fn register(&self, config: &mut web::ServiceConfig) {
        config
            .app_data(Data::from(self.limits.clone()))
            .app_data(Data::new(self.sessions.clone()))
            .app_data(Data::new(self.passwords.clone()))
            .app_data(Data::new(self.log_ins.clone()))
            .app_data(Data::new(self.programs.clone()))
            .app_data(Data::new(self.listings.clone()))
            .app_data(Data::new(self.posters.clone()))
            .app_data(Data::new(self.waiting_room.clone()))
            .app_data(Data::new(self.closed_lists.clone()))
            .app_data(Data::new(self.reservations.clone()))
            .app_data(Data::new(self.reservations.maps.clone()))
            .app_data(Data::new(self.door_counts.clone()))
            .app_data(Data::new(self.provider.clone()))
            .app_data(Data::new(self.charges.clone()))
            .app_data(Data::new(self.payments.clone()))
            .app_data(Data::new(self.checkouts.clone()))
            .app_data(Data::new(self.policy.clone()))
            .app_data(Data::new(self.queues.clone()))
            .app_data(Data::new(self.uploads.clone()))
            .app_data(Data::new(self.live.clone()))
            .app_data(Data::new(self.progress.clone()))
            .app_data(Data::new(self.running.clone()))
            .app_data(Data::new(self.draining.clone()));
    }
}

/// Running instance.
#[derive(Debug)]
pub struct Instance {
    /// Address the instance listens on.
    pub address: SocketAddr,
    /// Address of the listener for metrics; `None` without one.
    pub metrics_address: Option<SocketAddr>,
    servers: Vec<Server>,
    workers: Workers,
    state: State,
}

/// Running HTTP server.
#[derive(Debug)]
struct Server {
    handle: ServerHandle,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Server {
    fn run(server: actix_web::dev::Server) -> Self {
        Self { handle: server.handle(), serving: tokio::spawn(server) }
    }
}

/// Listens on `address`, the value of `setting`, and returns the bound address.
fn listen(
    setting: &'static str,
    address: SocketAddr,
) -> Result<(TcpListener, SocketAddr), StartError> {
    let refused = |cause| StartError::Listen { setting, address, cause };
    let listener = TcpListener::bind(address).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    Ok((listener, address))
}

/// Builds a server for `/metrics` and nothing else, on one thread.
fn serve_metrics(
    app: &App,
    state: &State,
    listener: TcpListener,
) -> std::io::Result<actix_web::dev::Server> {
    let (queues, progress) = (state.queues.clone(), state.progress.clone());
    let shared = (Data::new(app.clone()), Data::new(queues), Data::new(progress));
    let server = HttpServer::new(move || {
        let (app, queues, progress) = shared.clone();
        let metrics = web::resource("/metrics").route(web::get().to(show_metrics_apart));
        actix_web::App::new().app_data(app).app_data(queues).app_data(progress).service(metrics)
    });
    let server = server
        .workers(1)
        .client_request_timeout(HEAD_MAX)
        .keep_alive(KEEP_ALIVE)
        .shutdown_timeout(STOP_SECS)
        .disable_signals();
    Ok(server.listen(listener)?.run())
}

/// Listens on the configured addresses and starts serving.
pub fn start(app: &App) -> Result<Instance, StartError> {
    let (listener, address) = listen("LISTEN_ADDR", app.config.listen_addr)?;
    let apart = app.config.metrics_addr.map(|address| listen("METRICS_ADDR", address));
    let apart = apart.transpose()?;
    let state = State::new(app)?;
    let witnesses = Witnesses::of(&app.config).map_err(StartError::Witnesses)?;
    let hooks = HookClient::new(&app.config).map_err(StartError::Webhooks)?;

    let shared = (Data::new(app.clone()), state.clone());
    let mut server = HttpServer::new(move || {
        let (app, state) = &shared;
        actix_web::App::new()
            .app_data(app.clone())
            .app_data(ReferenceSource(routes::api_reference))
            .configure(|config| state.register(config))
            .wrap(Compress::default())
            .wrap(from_fn(csrf::refuse_cross_site))
            .wrap(from_fn(encoding::refuse_encoded))
            .wrap(from_fn(rendering::render))
            .wrap(from_fn(measure::measure))
            .wrap(from_fn(headers::add_headers))
            .wrap(from_fn(unread::close_unread))
            .default_service(Router::new(routes::all()))
    })
    .client_request_timeout(HEAD_MAX)
    .keep_alive(KEEP_ALIVE)
    .shutdown_timeout(STOP_SECS)
    .disable_signals()
    .on_connect(malformed::note_connection(app.security_log.clone()));
    if let Some(workers) = app.config.http_workers {
        server = server.workers(usize::try_from(workers.get()).unwrap_or(1));
    }
    let refused = |setting, address| move |cause| StartError::Listen { setting, address, cause };
    let server = server.listen(listener).map_err(refused("LISTEN_ADDR", address))?;
    let mut servers = vec![Server::run(server.run())];
    let metrics_address = apart.as_ref().map(|(_, address)| *address);
    if let Some((listener, address)) = apart {
        let metrics = serve_metrics(app, &state, listener);
        servers.push(Server::run(metrics.map_err(refused("METRICS_ADDR", address))?));
    }
    let workers = Workers::start(
        app,
        &state.limits,
        &state.log_ins,
        &state.progress,
        &state.queues,
        &Outside {
            checkouts: &state.checkouts,
            mailer: &Mailer::new(&app.config),
            witnesses: &witnesses,
            draws: &state.draws,
            hooks: &hooks,
        },
    );
    Ok(Instance { address, metrics_address, servers, workers, state })
}

impl Instance {
    /// Serves on for `time`, or until `hurried` is ready, and answers meanwhile that the instance is
    /// not ready: load balancers lead new requests elsewhere before a connection is refused.
    pub async fn drain(&self, time: Duration, hurried: impl Future) {
        self.state.draining.begin();
        // Either way the stop is next.
        let _ = tokio::time::timeout(time, hurried).await;
    }

    /// Stops the instance: no new connections, workers end their tick, requests in flight finish.
    ///
    /// A database connection lives on the thread that opened it, most often one of the HTTP
    /// server's, while a worker or a request of another thread may be using it: when the first of
    /// those threads ends, such work may be cut off. So the threads end last.
    pub async fn stop(self) {
        self.state.reservations.maps.close();
        self.state.waiting_room.announcements.close();
        for server in &self.servers {
            server.handle.pause().await;
        }
        self.state.running.0.close();
        let last_work = async { tokio::join!(self.workers.stop(), self.state.running.0.wait()) };
        if tokio::time::timeout(LAST_WORK_MAX, last_work).await.is_err() {
            tracing::info!("some work goes on at the stop: what is not done rolls back");
        }
        for server in self.servers {
            server.handle.stop(true).await;
            if let Err(error) = server.serving.await {
                tracing::error!(%error, "the server did not end well");
            }
        }
    }
}
