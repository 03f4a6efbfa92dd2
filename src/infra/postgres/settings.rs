//! Settings of the sessions with PostgreSQL.

/// `application_name` of this service's connections in `pg_stat_activity`.
pub const APPLICATION_NAME: &str = "stagedoor";

/// Limits that the server enforces on every session of this service.
pub(crate) const SESSION_LIMITS: [(&str, &str); 3] = [
    ("statement_timeout", "5s"),
    ("lock_timeout", "2s"),
    ("idle_in_transaction_session_timeout", "4s"),
];
/// Keepalive of the server's end of a socket: it probes after ten seconds of silence and gives up
/// about ten seconds later. `sqlx` has no way to set the same for the client's end; there the
/// deadline of each call and the check of each rested connection decide.
pub(crate) const SOCKET_OPTIONS: [(&str, &str); 4] = [
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "3"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "10000"),
];
/// Planner settings of the pool's connections. Each connection plans a statement once, for any
/// parameters: by default the planner would plan statements with lists anew each time, a tenth of a
/// sale's cost. So the one plan must suit a hall of 300 seats beside a venue of 400,000, and a
/// table that was empty when the plan was made. Such a plan finds its rows by the key it was given,
/// row by row. Everything else is therefore disabled or made expensive: scans of a whole table,
/// joins that scan a whole table to find a few rows, and workers for either. Pages cost nothing, so
/// that only rows are counted: with the usual costs the planner reads a whole index in its order,
/// where half of its rows belong to the average key, rather than the key's own rows out of order.
pub(crate) const PLANNER_OPTIONS: [(&str, &str); 8] = [
    ("plan_cache_mode", "force_generic_plan"),
    ("enable_seqscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("max_parallel_workers_per_gather", "0"),
    ("seq_page_cost", "0"),
    ("random_page_cost", "0"),
    ("jit", "off"),
];
/// Settings of a connection outside the pool: its statements read whole tables, and each is planned
/// once.
pub(crate) const REPORT_OPTIONS: [(&str, &str); 3] =
    [("plan_cache_mode", "auto"), ("enable_seqscan", "on"), ("jit", "off")];
