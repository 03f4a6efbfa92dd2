//! The list of all settings, with their defaults.

/// Environment variable, as the README's table shows it.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Name of the variable.
    pub name: &'static str,
    /// Value if the variable is not set; empty if there is none then.
    pub default: &'static str,
    /// Unit or type of the value.
    pub unit: &'static str,
    /// Effect of the value.
    pub meaning: &'static str,
}

const fn setting(
    name: &'static str,
    default: &'static str,
    unit: &'static str,
    meaning: &'static str,
) -> Setting {
    Setting { name, default, unit, meaning }
}

/// Every variable that is read, with its default.
pub const SETTINGS: &[Setting] = &[
    setting("DATABASE_URL", "", "URL", "PostgreSQL 15 or newer. Required."),
    setting(
        "DATABASE_OWNER_URL",
        "",
        "URL",
        "The same database with the role that owns the tables. That role migrates, and grants the role of `DATABASE_URL` what it needs. Without it one role does both, and could switch off constraints and triggers.",
    ),
    setting(
        "STANDBY_DATABASE_URL",
        "",
        "URL",
        "The same database on a standby, one server, with the role of `DATABASE_URL`. Reads that may be some seconds old go there, as [docs/GROWING.md](docs/GROWING.md) says. Without it all reads go to the primary.",
    ),
    setting(
        "STANDBY_CONNECTIONS_MAX",
        "4",
        "connections",
        "Connections of one instance to the standby.",
    ),
    setting(
        "REDIS_URL",
        "",
        "URL",
        "Redis 7 or newer; `redis+sentinel://a,b,c/NAME` for the primary that sentinels know by this name, `redis+cluster://a,b,c` for a cluster. Required.",
    ),
    setting("LISTEN_ADDR", "127.0.0.1:8080", "address", "Where HTTP is served."),
    setting(
        "PUBLIC_URL",
        "",
        "URL",
        "Address that people type. It decides whether cookies are Secure and `__Host-`, and which Origin is allowed. Without it: the address that is listened on.",
    ),
    setting(
        "SECRET_KEY",
        "",
        "text of 32 bytes or more",
        "Signs entry passes and encrypts the secrets of second factors and webhooks. Without it a key is made once and kept in the database. After a change administrators log in with a recovery code and set their second factor up again, and webhooks wait until their secrets are changed.",
    ),
    setting(
        "LOG_SECRET",
        "",
        "text of 32 bytes or more",
        "Signs the public logs of the queues, and derives the salts of receipts and the seeds of opening draws. Without it a secret is made once and kept in the database: a copy of the database is then enough to sign as this office. Set it before the first sale and never change it: a log that was begun with another secret stops growing.",
    ),
    setting(
        "LOG_WITNESSES",
        "",
        "keys with addresses, comma-separated",
        "Witnesses that cosign the public logs, at most 4: each is its key, a space and its address, such as `witness.example/w1+0a1b2c3d+BA… https://witness.example`. Without it the logs have no witnesses. See docs/PUBLIC-LOG.md.",
    ),
    setting(
        "DRAND_URLS",
        "",
        "URLs, comma-separated",
        "Relays of the public beacon that opening draws commit to, such as `https://api.drand.sh,https://drand.cloudflare.com`. Without them the seed of this office alone decides a draw, and its page says so.",
    ),
    setting(
        "DRAND_CHAIN_HASH",
        "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
        "32 bytes in hex",
        "Chain of drand, by its hash; the default is quicknet.",
    ),
    setting(
        "DRAND_PUBLIC_KEY",
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
        "96 bytes in hex",
        "Key that checks the chain's signatures (scheme `bls-unchained-g1-rfc9380`).",
    ),
    setting("DRAND_GENESIS_SECS", "1692803367", "Unix time", "Moment of the chain's first round."),
    setting("DRAND_PERIOD_SECS", "3", "seconds", "Time between two rounds of the chain."),
    setting(
        "TRUSTED_PROXIES",
        "",
        "networks, comma-separated",
        "Proxies whose `X-Forwarded-For` or, without it, `Forwarded` is believed.",
    ),
    setting(
        "MIGRATE_ON_START",
        "true",
        "true or false",
        "Whether `serve` migrates the database first.",
    ),
    setting(
        "DRAIN_SECS",
        "0",
        "seconds, at most 60",
        "How long an instance that was asked to stop goes on serving while `/readyz` answers 503, so that load balancers send requests to other instances first. A second signal ends this time.",
    ),
    setting(
        "DB_CONNECTIONS_MAX",
        "16",
        "connections",
        "The pool of one instance. A quarter of it, at most 4, is kept from changes, so that \
         reads go on when commits wait for a standby.",
    ),
    setting(
        "HTTP_WORKERS",
        "",
        "threads",
        "Threads that answer requests. Without it one per core.",
    ),
    setting(
        "REDIS_PREFIX",
        "stagedoor",
        "text",
        "Starts every Redis key, so that deployments can share one Redis.",
    ),
    setting(
        "METRICS_ADDR",
        "",
        "address",
        "Where `/metrics` is served, apart from the pages. Without it and without METRICS_TOKEN, `/metrics` is open where LISTEN_ADDR is loopback and no PUBLIC_URL is set, and 404 elsewhere.",
    ),
    setting(
        "METRICS_TOKEN",
        "",
        "text of 32 bytes or more",
        "Token that readers of `/metrics` send (`Authorization: Bearer`).",
    ),
    setting(
        "TIME_ZONE",
        "Asia/Seoul",
        "name of a time zone",
        "Time zone of the office: for times that belong to no venue, such as a charge, for shows without a date, for the months of a wallet, and for the days by which bookings are counted. These days keep the time zone of the first booking.",
    ),
    setting("LOG", "info,sqlx=warn", "tracing directives", "What is logged."),
    setting("LOG_FORMAT", "text", "text or json", "How it is logged."),
    setting(
        "POPULARITY_DAYS",
        "30",
        "days, 7 to 400",
        "How many days' bookings and revenue are kept for the rankings, today included.",
    ),
    setting("SESSION_DAYS", "14", "days", "How long a log-in lasts."),
    setting("SESSION_IDLE_HOURS", "168", "hours", "How long an unused log-in lasts."),
    setting("STAFF_SESSION_HOURS", "12", "hours", "How long a log-in of staff and admins lasts."),
    setting(
        "STAFF_IDLE_MINUTES",
        "60",
        "minutes",
        "How long an unused log-in of staff and admins lasts.",
    ),
    setting(
        "CONFIRMATION_MINUTES",
        "10",
        "minutes",
        "How long after entering the password an administrator may perform acts that cannot be undone.",
    ),
    setting(
        "STEP_UP_REFUND_POINTS",
        "100000",
        "points",
        "Refunds and adjustments of more points ask an administrator for a code of the second factor, unless one was given within CONFIRMATION_MINUTES.",
    ),
    setting(
        "LOGIN_PER_MINUTE",
        "10",
        "requests",
        "Log-ins per minute from one network for one e-mail address.",
    ),
    setting(
        "LOGIN_FAILURES_PER_HOUR",
        "100",
        "requests",
        "Failed log-ins per hour from one network (an IPv4 address, an IPv6 /64), for any account.",
    ),
    setting("SIGNUP_BURST", "300", "requests", "Sign-ups at once from one network."),
    setting(
        "ACCOUNT_BURST",
        "300",
        "requests",
        "Requests at once that change something, of one account.",
    ),
    setting("SEATS_PER_HOLD_MAX", "8", "seats", "Seats or places in one hold."),
    setting("ADMISSION_PERIOD_MS", "500", "milliseconds", "How often waiting people are admitted."),
    setting(
        "EXPIRY_PERIOD_MS",
        "1000",
        "milliseconds",
        "How often expired holds and stays are ended, and charges without news are looked for; how often some paid ones are asked about.",
    ),
    setting(
        "QUEUE_GRACE_SECS",
        "60",
        "seconds",
        "How long a waiting person may be silent before they are parked when their turn comes. Their page polls three times within it.",
    ),
    setting(
        "DOOR_OPENS_BEFORE_MINS",
        "180",
        "minutes",
        "How long before the start of a performance its tickets are accepted at the door. Tickets that are back on sale are sold until then.",
    ),
    setting(
        "DOOR_CLOSES_AFTER_MINS",
        "360",
        "minutes",
        "How long after the start of a performance its tickets are accepted at the door.",
    ),
    setting("TRANSFER_TTL_SECS", "259200", "seconds", "How long a transfer request stays open."),
    setting(
        "HAND_OVER_TTL_SECS",
        "259200",
        "seconds",
        "How long a ticket that is handed over waits for an answer; never beyond the start of its performance.",
    ),
    setting(
        "SMTP_URL",
        "",
        "URL",
        "Mail server: `smtps://user:password@host` (TLS from the start), `smtp://user:password@host?tls=required` (STARTTLS) or `smtp://host:25` (unencrypted). Without it mails are kept and not sent; `/admin/mails` and `stagedoor mails` show them.",
    ),
    setting(
        "MAIL_FROM",
        "",
        "mail address",
        "Sender of mails, such as `Stagedoor <tickets@example.com>`. Required with SMTP_URL.",
    ),
    setting(
        "REHEARSAL_TOKEN",
        "",
        "text of 32 bytes or more",
        "Lets `stagedoor rehearse --target` create a throw-away program and people over HTTP. Without it /rehearsal does not exist.",
    ),
    setting(
        "PAYMENT_PROVIDER",
        "",
        "`demo` or `stripe`",
        "How points are paid for: `demo` takes no money and is for trials, `stripe` is Stripe Checkout. Without it `demo`; where PUBLIC_URL is https it must be set.",
    ),
    setting(
        "STRIPE_SECRET_KEY",
        "",
        "text of 32 bytes or more",
        "Secret key of the Stripe account, or a restricted key that may write Checkout Sessions and read Payment Intents, Charges and Disputes. Required for `stripe`.",
    ),
    setting(
        "STRIPE_WEBHOOK_SECRET",
        "",
        "texts of 32 bytes or more, comma-separated",
        "Signing secret of the webhook endpoint `/webhooks/stripe`; several while it is rotated. Required for `stripe`.",
    ),
    setting(
        "STRIPE_API_URL",
        "https://api.stripe.com",
        "URL",
        "Address of Stripe's API; https, or http on this machine for a stand-in.",
    ),
    setting(
        "POINT_PRICE_MINOR",
        "1",
        "minor units of CURRENCY",
        "Price of one point: 1 is one won, or one cent. For ISK and UGX a multiple of 100, for BHD, JOD, KWD, OMR and TND of 10: Stripe charges no other amounts.",
    ),
    setting("CURRENCY", "KRW", "three letters of ISO 4217", "Currency in which points are sold."),
    setting(
        "WEBHOOK_PRIVATE_TARGETS",
        "false",
        "true or false",
        "Whether webhooks may go to addresses that only this network reaches, also over plain http. Every administrator who may register a webhook can then send requests to other machines of this network.",
    ),
];
