//! HAProxy as `deploy/haproxy.cfg` sets it up.

use std::{path::Path, process::Command};

use crate::{
    Failure,
    instance::{Instance, is_ready},
    postgres::PostgresServer,
    processes::Process,
    support::{eventually, free_port},
};

/// Running HAProxy, in front of three instances and of two PostgreSQL servers.
#[derive(Debug)]
pub(crate) struct HaProxy {
    /// Where people come to.
    pub(crate) people: u16,
    /// Where instances find the primary.
    pub(crate) postgres: u16,
    /// Where instances find the standby.
    pub(crate) standby: u16,
    process: Process,
}

impl HaProxy {
    /// Starts it and waits until it leads people and instances somewhere; `None` where it is not
    /// installed.
    pub(crate) async fn start(
        instances: &[Instance],
        servers: [&PostgresServer; 2],
        folder: &Path,
    ) -> Result<Option<Self>, Failure> {
        if Command::new("haproxy").arg("-v").output().is_err() {
            return Ok(None);
        }
        let (people, postgres, standby) = (free_port(), free_port(), free_port());
        let mut command = Command::new("haproxy");
        command.args(["-db", "-f", "deploy/haproxy.cfg"]);
        let names = ["HTTP_BIND", "POSTGRES_BIND", "STANDBY_BIND", "POSTGRES_A", "POSTGRES_B"];
        let ports = [people, postgres, standby, servers[0].port, servers[1].port];
        let instances = ["INSTANCE_A", "INSTANCE_B", "INSTANCE_C"]
            .into_iter()
            .zip(instances.iter().map(|instance| instance.port));
        for (name, port) in names.into_iter().zip(ports).chain(instances) {
            command.env(name, format!("127.0.0.1:{port}"));
        }
        let process = Process::start(&mut command, &folder.join("haproxy.log"))?;
        let proxy = Self { people, postgres, standby, process };
        eventually("instances behind HAProxy", async || {
            if is_ready(people).await { Ok(()) } else { Err(proxy.process.log()) }
        })
        .await;
        Ok(Some(proxy))
    }
}
