//! Table of all settings: each row is a line of the README, a field of [`Config`] and the way it is read.

use std::{net::SocketAddr, num::NonZeroU32, time::Duration};

use chrono_tz::Tz;
use ipnet::IpNet;
use lettre::message::Mailbox;
use url::Url;

use super::{
    drand::DrandConfig,
    payment::PaymentConfig,
    reader::{Reader, Setting},
    smtp::SmtpUrl,
    witness::{self, WitnessConfig},
};

/// Format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum LogFormat {
    /// Text for people.
    Text,
    /// One JSON object a line, for programs.
    Json,
}

/// Variables that were settings once. One that is still set is named in a warning and changes nothing.
pub(super) const REMOVED: &[&str] = &[
    "DRAND_CHAIN_HASH",
    "DRAND_PUBLIC_KEY",
    "DRAND_GENESIS_SECS",
    "DRAND_PERIOD_SECS",
    "CONFIRMATION_MINUTES",
    "LOGIN_PER_MINUTE",
    "LOGIN_FAILURES_PER_HOUR",
    "SIGNUP_BURST",
    "ACCOUNT_BURST",
    "ADMISSION_PERIOD_MS",
    "EXPIRY_PERIOD_MS",
    "QUEUE_GRACE_SECS",
    "TRANSFER_TTL_SECS",
    "HAND_OVER_TTL_SECS",
    "STANDBY_CONNECTIONS_MAX",
];

/// Makes [`SETTINGS`], [`INTERNAL`] and [`Config`]. A row has its meaning, its name, its default (empty: none)
/// and its unit; then the field, its type and the method of [`Reader`] that reads it, unless one of the
/// configs at the end does.
macro_rules! settings {
    ($( $(#[$list:meta])* $vis:vis $table:ident { $(
        #[doc = $meaning:literal]
        $name:ident($default:literal, $unit:literal)
            $(=> $field:ident: $type:ty = $how:ident $(($($arg:expr),+))?)?;
    )* } )*) => {
        $(
            $(#[$list])*
            $vis const $table: &[Setting] = &[$( Setting {
                name: stringify!($name),
                default: $default,
                unit: $unit,
                meaning: $meaning.trim_ascii_start(),
            }, )*];
        )*

        /// Validated settings of one instance.
        #[derive(Clone, Debug)]
        pub struct Config {
            $($($( #[doc = $meaning] pub $field: $type, )?)*)*
            /// Witnesses of the public logs, at most [`WitnessConfig::MAX`], each with a key of its own.
            pub witnesses: Vec<WitnessConfig>,
            /// Public beacon of opening draws.
            pub drand: DrandConfig,
            /// Payment provider, and the price of a point.
            pub payment: PaymentConfig,
        }

        impl Config {
            /// Reads every setting; `None` if a mistake was noted.
            pub(super) fn read(reader: &mut Reader<impl Fn(&str) -> Option<String>>) -> Option<Self> {
                $($($( let $field = reader.$how(stringify!($name) $(, $($arg),+)?); )?)*)*
                let witnesses = witness::read(reader);
                let drand = DrandConfig::read(reader);
                let payment = PaymentConfig::read(reader);
                Some(Self { $($($( $field: $field?, )?)*)* witnesses, drand, payment })
            }
        }
    };
}

settings! {
    /// Every variable that is read, with its default.
    pub SETTINGS {
        /// PostgreSQL 15 or newer. Required.
        DATABASE_URL("", "URL") => database_url: String = required;
        /// The same database with the role that owns the tables. That role migrates, and grants the role of `DATABASE_URL` what it needs. Without it one role does both, and could switch off constraints and triggers.
        DATABASE_OWNER_URL("", "URL") => database_owner_url: Option<String> = optional;
        /// The same database on a standby, one server, with the role of `DATABASE_URL`. Reads that may be some seconds old go there, as [docs/GROWING.md](docs/GROWING.md) says. Without it all reads go to the primary.
        STANDBY_DATABASE_URL("", "URL") => standby_database_url: Option<String> = optional;
        /// Redis 7 or newer; `redis+sentinel://a,b,c/NAME` for the primary that sentinels know by this name, `redis+cluster://a,b,c` for a cluster. A server far away may take longer than half a second for a command with `?response_ms=1500` at the end. Required.
        REDIS_URL("", "URL") => redis_url: String = required;
        /// Where HTTP is served.
        LISTEN_ADDR("127.0.0.1:8080", "address") => listen_addr: SocketAddr = parsed;
        /// Address that people type. It decides whether cookies are Secure and `__Host-`, and which Origin is allowed. Without it: the address that is listened on.
        PUBLIC_URL("", "URL") => public_url: Option<Url> = optional;
        /// Signs entry passes and encrypts the secrets of second factors and webhooks. Without it a key is made once and kept in the database. After a change administrators log in with a recovery code and set their second factor up again, and webhooks wait until their secrets are changed.
        SECRET_KEY("", "text of 32 bytes or more") => secret_key: Option<String> = secret;
        /// Signs the public logs of the queues, and derives the salts of receipts and the seeds of opening draws. Without it a secret is made once and kept in the database: a copy of the database is then enough to sign as this office. Set it before the first sale and never change it: a log that was begun with another secret stops growing.
        LOG_SECRET("", "text of 32 bytes or more") => log_secret: Option<String> = secret;
        /// Witnesses that cosign the public logs, at most 4: each is its key, a space and its address, such as `witness.example/w1+0a1b2c3d+BA… https://witness.example`. Without it the logs have no witnesses. See docs/PUBLIC-LOG.md.
        LOG_WITNESSES("", "keys with addresses, comma-separated");
        /// Relays of the public beacon that opening draws commit to, such as `https://api.drand.sh,https://drand.cloudflare.com`. Without them the seed of this office alone decides a draw, and its page says so.
        DRAND_URLS("", "URLs, comma-separated");
        /// Proxies whose `X-Forwarded-For` or, without it, `Forwarded` is believed.
        TRUSTED_PROXIES("", "networks, comma-separated") => trusted_proxies: Vec<IpNet> = list;
        /// Whether `serve` migrates the database first.
        MIGRATE_ON_START("true", "true or false") => migrate_on_start: bool = parsed;
        /// How long an instance that was asked to stop goes on serving while `/readyz` answers 503, so that load balancers send requests to other instances first. A second signal ends this time.
        DRAIN_SECS("0", "seconds, at most 60") => drain: Duration = secs(0, 60);
        /// The pool of one instance. A quarter of it, at most 4, is kept from changes, so that reads go on when commits wait for a standby.
        DB_CONNECTIONS_MAX("16", "connections") => db_connections_max: NonZeroU32 = parsed;
        /// Threads that answer requests. Without it one per core.
        HTTP_WORKERS("", "threads") => http_workers: Option<NonZeroU32> = optional;
        /// Starts every Redis key, so that deployments can share one Redis.
        REDIS_PREFIX("stagedoor", "text") => redis_prefix: String = parsed;
        /// Where `/metrics` is served, apart from the pages. Without it and without `METRICS_TOKEN`, `/metrics` is open where `LISTEN_ADDR` is loopback and no `PUBLIC_URL` is set, and 404 elsewhere.
        METRICS_ADDR("", "address") => metrics_addr: Option<SocketAddr> = optional;
        /// Token that readers of `/metrics` send (`Authorization: Bearer`).
        METRICS_TOKEN("", "text of 32 bytes or more") => metrics_token: Option<String> = secret;
        /// Time zone of the office: for times that belong to no venue, such as a charge, for shows without a date, for the months of a wallet, and for the days by which bookings are counted. These days keep the time zone of the first booking.
        TIME_ZONE("Asia/Seoul", "name of a time zone") => time_zone: Tz = parsed;
        /// What is logged.
        LOG("info,sqlx=warn", "tracing directives") => log: String = parsed;
        /// How it is logged.
        LOG_FORMAT("text", "text or json") => log_format: LogFormat = parsed;
        /// How many days' bookings and revenue are kept for the rankings, today included.
        POPULARITY_DAYS("30", "days, 7 to 400") => popularity_days: u16 = within(7, 400);
        /// How long a log-in lasts.
        SESSION_DAYS("14", "days") => session_days: NonZeroU32 = parsed;
        /// How long an unused log-in lasts.
        SESSION_IDLE_HOURS("168", "hours") => session_idle_hours: NonZeroU32 = parsed;
        /// How long a log-in of staff and admins lasts.
        STAFF_SESSION_HOURS("12", "hours") => staff_session_hours: NonZeroU32 = parsed;
        /// How long an unused log-in of staff and admins lasts.
        STAFF_IDLE_MINUTES("60", "minutes") => staff_idle_minutes: NonZeroU32 = parsed;
        /// Refunds and adjustments of more points ask an administrator for a code of the second factor, unless one was given in the last ten minutes.
        STEP_UP_REFUND_POINTS("100000", "points") => step_up_refund_points: u32 = parsed;
        /// Seats or places in one hold.
        SEATS_PER_HOLD_MAX("8", "seats") => seats_per_hold_max: NonZeroU32 = parsed;
        /// How long before the start of a performance its tickets are accepted at the door. Tickets that are back on sale are sold until then.
        DOOR_OPENS_BEFORE_MINS("180", "minutes") => door_opens_before_mins: NonZeroU32 = parsed;
        /// How long after the start of a performance its tickets are accepted at the door.
        DOOR_CLOSES_AFTER_MINS("360", "minutes") => door_closes_after_mins: NonZeroU32 = parsed;
        /// Mail server: `smtps://user:password@host` (TLS from the start), `smtp://user:password@host?tls=required` (STARTTLS) or `smtp://host:25` (unencrypted). Without it mails are kept and not sent; `/admin/mails` and `stagedoor mails` show them.
        SMTP_URL("", "URL") => smtp_url: Option<SmtpUrl> = hidden;
        /// Sender of mails, such as `Stagedoor <tickets@example.com>`. Required with `SMTP_URL`.
        MAIL_FROM("", "mail address") => mail_from: Option<Mailbox> = optional;
        /// Lets `stagedoor rehearse --target` create a throw-away program and people over HTTP. Without it /rehearsal does not exist.
        REHEARSAL_TOKEN("", "text of 32 bytes or more") => rehearsal_token: Option<String> = secret;
        /// How points are paid for: `demo` takes no money and is for trials, `stripe` is Stripe Checkout. Without it `demo`; where `PUBLIC_URL` is https it must be set.
        PAYMENT_PROVIDER("", "`demo` or `stripe`");
        /// Secret key of the Stripe account, or a restricted key that may write Checkout Sessions and read Payment Intents, Charges and Disputes. Required for `stripe`.
        STRIPE_SECRET_KEY("", "text of 32 bytes or more");
        /// Signing secret of the webhook endpoint `/webhooks/stripe`; several while it is rotated. Required for `stripe`.
        STRIPE_WEBHOOK_SECRET("", "texts of 32 bytes or more, comma-separated");
        /// Address of Stripe's API; https, or http on this machine for a stand-in.
        STRIPE_API_URL("https://api.stripe.com", "URL");
        /// Price of one point: 1 is one won, or one cent. For ISK and UGX a multiple of 100, for BHD, JOD, KWD, OMR and TND of 10: Stripe charges no other amounts.
        POINT_PRICE_MINOR("1", "minor units of CURRENCY");
        /// Currency in which points are sold.
        CURRENCY("KRW", "three letters of ISO 4217");
        /// Whether webhooks may go to addresses that only this network reaches, also over plain http. Every administrator who may register a webhook can then send requests to other machines of this network.
        WEBHOOK_PRIVATE_TARGETS("false", "true or false") => webhook_private_targets: bool = parsed;
    }

    /// Constants of the product under names that its tests and benches set otherwise; no office has a reason to.
    pub(super) INTERNAL {
        /// Moment of the chain's first round.
        TEST_DRAND_GENESIS_SECS("", "Unix time");
        /// Log-ins per minute from one network for one e-mail address.
        TEST_LOGIN_PER_MINUTE("10", "requests") => login_per_minute: NonZeroU32 = parsed;
        /// Failed log-ins per hour from one network (an IPv4 address, an IPv6 /64), for any account.
        TEST_LOGIN_FAILURES_PER_HOUR("100", "requests") => login_failures_per_hour: NonZeroU32 = parsed;
        /// Sign-ups at once from one network.
        TEST_SIGNUP_BURST("300", "requests") => signup_burst: NonZeroU32 = parsed;
        /// Requests at once that change something, of one account.
        TEST_ACCOUNT_BURST("300", "requests") => account_burst: NonZeroU32 = parsed;
        /// How often waiting people are admitted.
        TEST_ADMISSION_PERIOD_MS("500", "milliseconds") => admission_period: Duration = millis;
        /// How often expired holds and stays are ended, and charges without news are looked for; how often some paid ones are asked about.
        TEST_EXPIRY_PERIOD_MS("1000", "milliseconds") => expiry_period: Duration = millis;
        /// How long a waiting person may be silent before they are parked when their turn comes. Their page polls three times within it.
        TEST_QUEUE_GRACE_SECS("60", "seconds") => queue_grace_secs: NonZeroU32 = parsed;
    }
}
