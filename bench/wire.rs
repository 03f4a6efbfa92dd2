//! A wire to a server that stands some way off: what goes over it arrives later by the way.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

/// Bytes that are passed on at once.
const PIECE: usize = 65_536;

/// A wire to one server, over which each piece takes its way of `one_way`, in either direction. Threads wait
/// for it: timers of the runtime are coarser than half a millisecond.
#[derive(Debug)]
pub(crate) struct Wire {
    /// Where it is connected to instead of the server.
    pub(crate) address: SocketAddr,
    one_way_us: Arc<AtomicU64>,
}

impl Wire {
    /// Lays a wire of no length to `server`.
    pub(crate) fn to(server: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let one_way_us = Arc::new(AtomicU64::new(0));
        let way = one_way_us.clone();
        thread::spawn(move || {
            for client in listener.incoming() {
                // A connection that fails is missed by whoever opened it.
                let _ = client.and_then(|client| connect(client, server, &way));
            }
        });
        Ok(Self { address, one_way_us })
    }

    /// Sets how long the way takes, from the next piece on.
    pub(crate) fn set(&self, one_way: Duration) {
        let micros = u64::try_from(one_way.as_micros()).unwrap_or(u64::MAX);
        self.one_way_us.store(micros, Ordering::Relaxed);
    }
}

fn connect(client: TcpStream, server: SocketAddr, way: &Arc<AtomicU64>) -> io::Result<()> {
    let server = TcpStream::connect(server)?;
    for end in [&client, &server] {
        end.set_nodelay(true)?;
    }
    pass_on(client.try_clone()?, server.try_clone()?, way.clone());
    pass_on(server, client, way.clone());
    Ok(())
}

/// Passes on what comes `from` one end, each piece when it has come its way.
fn pass_on(mut from: TcpStream, to: TcpStream, way: Arc<AtomicU64>) {
    let (sender, pieces): (Sender<(Instant, Vec<u8>)>, _) = channel();
    thread::spawn(move || {
        let mut piece = vec![0; PIECE];
        while let Ok(n @ 1..) = from.read(&mut piece) {
            let one_way = Duration::from_micros(way.load(Ordering::Relaxed));
            let bytes = piece.get(..n).unwrap_or_default().to_vec();
            if sender.send((Instant::now() + one_way, bytes)).is_err() {
                break;
            }
        }
    });
    thread::spawn(move || deliver(&pieces, to));
}

fn deliver(pieces: &Receiver<(Instant, Vec<u8>)>, mut to: TcpStream) {
    for (arrives_at, piece) in pieces {
        thread::sleep(arrives_at.saturating_duration_since(Instant::now()));
        if to.write_all(&piece).is_err() {
            break;
        }
    }
    // Who reads at the other end learns that nothing more comes.
    let _ = to.shutdown(Shutdown::Both);
}
