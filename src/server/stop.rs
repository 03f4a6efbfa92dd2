//! Signals that ask a process to stop.

use std::io;

/// Waits for Ctrl-C or SIGTERM; both are caught from the call on.
pub fn asked_to_stop() -> impl Future<Output = io::Result<()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    async {
        let (mut interrupted, mut terminated) = (signals.0?, signals.1?);
        tokio::select! {
            _ = interrupted.recv() => Ok(()),
            _ = terminated.recv() => Ok(()),
        }
    }
}
