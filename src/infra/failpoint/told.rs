//! The end of a failpoint that the program has: a line to a Unix socket, and the wait for its close.

use std::{
    io,
    path::{Path, PathBuf},
    sync::LazyLock,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::UnixStream,
    time::timeout,
};

/// Environment variable with the path of the socket. It is for the fault suite, and no setting.
const SOCKET: &str = "FAILPOINTS_SOCKET";
/// Longest stay at one failpoint.
pub(super) const PARKED_MAX: Duration = Duration::from_secs(10);

/// Returns the socket of the fault suite; `None` if the environment names none.
pub(super) fn socket() -> Option<&'static Path> {
    static PATH: LazyLock<Option<PathBuf>> =
        LazyLock::new(|| std::env::var_os(SOCKET).map(PathBuf::from));
    PATH.as_deref()
}

/// Sends `name` to the socket and waits until it is closed. Returns at once if no process listens
/// there.
pub(super) async fn tell(socket: &Path, name: &str) {
    let told = async {
        let mut stream = UnixStream::connect(socket).await?;
        stream.write_all(format!("{name}\n").as_bytes()).await?;
        stream.read_u8().await.map(drop)
    };
    let _: Result<io::Result<()>, _> = timeout(PARKED_MAX, told).await;
}
