//! Server that a connection is made to: one with a fixed address, or the primary that sentinels name.
//!
//! # Invariants
//!
//! * The sentinels are asked at each connection, so a new primary is found as soon as the old one's
//!   connections end or refuse a write.
//! * Sentinels that still name the old primary do no harm: it is a replica by then and refuses writes,
//!   which ends the connection.
//! * Each sentinel has its own deadline: one that is silent costs a second, and the next is asked.

use std::{ops::RangeInclusive, time::Duration};

use redis::{
    AsyncConnectionConfig, Client, ConnectionInfo, ErrorKind, IntoConnectionInfo, RedisError,
    io::tcp::TcpSettings,
};
use url::Url;

/// Upper bound of one command, where the address says no other.
pub(crate) const RESPONSE_TIMEOUT: Duration = Duration::from_millis(500);
/// What stands in the address of a fixed server before another bound of one command, in milliseconds.
const RESPONSE_MS: &str = "?response_ms=";
/// Bounds that an address may say, in milliseconds: less than a call may take.
const RESPONSE_MS_RANGE: RangeInclusive<u64> = 100..=3_000;
/// Upper bound of connecting to one server.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// Scheme of an address with sentinels:
/// `redis+sentinel://user:password@host:port,host:port/NAME/DATABASE`, where NAME is what the
/// sentinels call the primary. The user, the password and the database are the primary's, and may be
/// missing.
const SENTINEL_SCHEME: &str = "redis+sentinel://";
/// Port of a sentinel without one.
const SENTINEL_PORT: u16 = 26_379;

/// Fixed server with the upper bound of one command, or the primary of some sentinels.
pub(crate) enum RedisServer {
    Fixed(Client, Duration),
    Sentinels(Sentinels),
}

/// Sentinels with the name by which they know the primary.
pub(crate) struct Sentinels {
    clients: Vec<Client>,
    name: String,
    /// Address of the primary, but for its host and port.
    primary: Url,
    tcp: TcpSettings,
}

impl RedisServer {
    /// Parses an address of either kind. The sockets get these settings.
    pub(crate) fn parse(url: &str, tcp: TcpSettings) -> Result<Self, RedisError> {
        if let Some(rest) = url.strip_prefix(SENTINEL_SCHEME) {
            return Ok(Self::Sentinels(Sentinels::parse(rest, tcp)?));
        }
        let (url, response_timeout) = split_bound(url)?;
        Ok(Self::Fixed(client(url, tcp)?, response_timeout))
    }

    /// Returns a client of the server, which the sentinels are asked for.
    pub(crate) async fn client(&self) -> Result<Client, RedisError> {
        match self {
            Self::Fixed(client, _) => Ok(client.clone()),
            Self::Sentinels(sentinels) => sentinels.client_of_primary().await,
        }
    }

    /// Returns the upper bound of one command.
    pub(crate) fn response_timeout(&self) -> Duration {
        match self {
            Self::Fixed(_, response_timeout) => *response_timeout,
            Self::Sentinels(_) => RESPONSE_TIMEOUT,
        }
    }

    /// Returns the number of the database.
    pub(crate) fn database(&self) -> i64 {
        match self {
            Self::Fixed(client, _) => client.get_connection_info().redis_settings().db(),
            Self::Sentinels(sentinels) => {
                sentinels.primary.path().trim_start_matches('/').parse().unwrap_or_default()
            }
        }
    }
}

/// Returns the address of a fixed server without the bound of one command, and that.
fn split_bound(url: &str) -> Result<(&str, Duration), RedisError> {
    let Some((url, millis)) = url.split_once(RESPONSE_MS) else {
        return Ok((url, RESPONSE_TIMEOUT));
    };
    let millis = millis.parse().ok().filter(|millis| RESPONSE_MS_RANGE.contains(millis));
    let millis = millis.ok_or_else(|| wrong("response_ms is none of 100 to 3000"))?;
    Ok((url, Duration::from_millis(millis)))
}

impl Sentinels {
    /// Parses what follows the scheme.
    fn parse(rest: &str, tcp: TcpSettings) -> Result<Self, RedisError> {
        let (authority, path) = rest.split_once('/').ok_or_else(|| wrong("no name is given"))?;
        let (login, hosts) = match authority.rsplit_once('@') {
            Some((login, hosts)) => (format!("{login}@"), hosts),
            None => (String::new(), authority),
        };
        let (name, database) = path.split_once('/').unwrap_or((path, ""));
        if name.is_empty() {
            return Err(wrong("no name is given"));
        }
        let sentinel = |host: &str| {
            let host = host.trim();
            // The colon of an IPv6 address stands within brackets.
            let has_port = host.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']'));
            let port = if has_port { String::new() } else { format!(":{SENTINEL_PORT}") };
            client(&format!("redis://{host}{port}"), tcp.clone())
        };
        let clients: Result<Vec<Client>, RedisError> = hosts.split(',').map(sentinel).collect();
        let primary = format!("redis://{login}primary/{database}");
        // A wrong database is found now, and not at the first connection.
        client(&primary, tcp.clone())?;
        let primary = Url::parse(&primary).map_err(|_error| wrong("it is no address"))?;
        Ok(Self { clients: clients?, name: name.to_owned(), primary, tcp })
    }

    async fn client_of_primary(&self) -> Result<Client, RedisError> {
        let mut failure = wrong("no sentinel is named");
        for sentinel in &self.clients {
            match self.ask(sentinel).await {
                Ok((host, port)) => {
                    let mut primary = self.primary.clone();
                    let is_address = primary.set_host(Some(&host)).is_ok();
                    if !is_address || primary.set_port(Some(port)).is_err() {
                        return Err(wrong("the sentinels name no host"));
                    }
                    return client(primary.as_str(), self.tcp.clone());
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Asks one sentinel for the host and port of the primary.
    async fn ask(&self, sentinel: &Client) -> Result<(String, u16), RedisError> {
        let config = AsyncConnectionConfig::new()
            .set_response_timeout(Some(RESPONSE_TIMEOUT))
            .set_connection_timeout(Some(CONNECT_TIMEOUT));
        let mut connection = sentinel.get_multiplexed_async_connection_with_config(&config).await?;
        let mut question = redis::cmd("SENTINEL");
        question.arg("GET-MASTER-ADDR-BY-NAME").arg(&self.name);
        let named: Option<(String, u16)> = question.query_async(&mut connection).await?;
        named.ok_or_else(|| wrong("the sentinels know no primary of this name"))
    }
}

/// Creates a client whose sockets have these settings.
pub(crate) fn client(url: &str, tcp: TcpSettings) -> Result<Client, RedisError> {
    let info: ConnectionInfo = url.into_connection_info()?;
    Client::open(info.set_tcp_settings(tcp))
}

fn wrong(why: &'static str) -> RedisError {
    RedisError::from((ErrorKind::InvalidClientConfig, "Redis address", why.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> Result<Sentinels, String> {
        match RedisServer::parse(url, TcpSettings::default()) {
            Ok(RedisServer::Sentinels(sentinels)) => Ok(sentinels),
            Ok(RedisServer::Fixed(..)) => Err("a fixed server".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn an_address_names_the_sentinels_the_primary_and_how_to_log_in() {
        let all = parsed("redis+sentinel://stage:secret@a:1,b,[::1]:3/tickets/4").unwrap();
        let hosts: Vec<String> =
            all.clients.iter().map(|one| one.get_connection_info().addr().to_string()).collect();
        assert_eq!(hosts, ["a:1", "b:26379", "::1:3"]);
        assert_eq!(all.name, "tickets");
        assert_eq!(all.primary.as_str(), "redis://stage:secret@primary/4");
        let least = parsed("redis+sentinel://a/tickets").unwrap();
        assert_eq!(least.primary.as_str(), "redis://primary/");
    }

    #[test]
    fn an_address_may_say_how_long_a_command_takes_at_most() {
        let bound = |url: &str| {
            let server = RedisServer::parse(url, TcpSettings::default());
            server.map(|server| (server.database(), server.response_timeout().as_millis())).ok()
        };
        assert_eq!(bound("redis://a:1/3"), Some((3, 500)));
        assert_eq!(bound("redis://a:1/3?response_ms=1500"), Some((3, 1_500)));
        for odd in ["99", "3001", "", "-1", "1s"] {
            assert_eq!(bound(&format!("redis://a:1/3?response_ms={odd}")), None, "{odd}");
        }
    }

    #[test]
    fn an_address_without_a_name_or_with_an_odd_database_is_refused() {
        for wrong in ["a:1,b:2", "a:1/", "a:1/tickets/many", ":x/tickets", ""] {
            assert!(parsed(&format!("{SENTINEL_SCHEME}{wrong}")).is_err(), "{wrong}");
        }
    }
}
