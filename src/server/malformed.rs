//! Requests that cannot be read: the framework answers them, and logs a line for each without its
//! client.
//!
//! Such a line is left out (`telemetry`). Its connection, which ends at once, is recorded in the
//! security log instead, which bounds the lines of one client.

use std::{any::Any, net::SocketAddr};

use actix_web::{dev::Extensions, rt::net::TcpStream};

use crate::{
    infra::security_log::{ClientEvent, SecurityEvent, SecurityLog},
    telemetry,
};

/// Connection of a client, until it ends.
struct Connection {
    log: SecurityLog,
    peer: SocketAddr,
}

impl Drop for Connection {
    fn drop(&mut self) {
        if telemetry::take_left_out() {
            self.log.record(&ClientEvent {
                event: SecurityEvent::RequestMalformed,
                client: self.peer.ip().to_canonical(),
                account_id: None,
                email_hash: None,
                by: None,
            });
        }
    }
}

/// Returns what a server does with each connection: notes whose it is.
pub(super) fn note_connection(
    log: SecurityLog,
) -> impl Fn(&dyn Any, &mut Extensions) + Send + Sync + 'static {
    move |connection, extensions| {
        let peer = connection.downcast_ref::<TcpStream>().and_then(|tcp| tcp.peer_addr().ok());
        if let Some(peer) = peer {
            extensions.insert(Connection { log: log.clone(), peer });
        }
    }
}
