//! Data of a migrated server, made once for all worlds.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    Failure,
    instance::PROGRAM,
    postgres::{PostgresServer, Programs},
    processes::succeed,
};

/// Data of a migrated server, which each world copies.
#[derive(Debug)]
pub(crate) struct Template {
    /// Folder of the whole run, removed at its end.
    pub(crate) folder: PathBuf,
    pub(crate) programs: Programs,
}

impl Template {
    /// Makes it in a folder of this process's own.
    pub(crate) async fn make() -> Result<Self, Failure> {
        let name = format!("stagedoor-faults-{}", std::process::id());
        let template =
            Self { folder: std::env::temp_dir().join(name), programs: Programs::find()? };
        let data = template.data();
        template.programs.init(&data)?;
        let mut server = PostgresServer::start(&template.programs, &data, None).await?;
        server.run("create role stagedoor_owner login").await?;
        server.run("create role stagedoor login").await?;
        server.run("create database stagedoor owner stagedoor_owner").await?;
        server.run("create role balancer login").await?;
        migrate(PROGRAM.as_ref(), server.port)?;
        server.stop().await?;
        Ok(template)
    }

    /// Returns where the data is.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.join("template")
    }
}

impl Drop for Template {
    fn drop(&mut self) {
        // A folder left behind does no harm.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Migrates the database of the server at this port with this program.
pub(crate) fn migrate(program: &Path, port: u16) -> Result<(), Failure> {
    let url = |role| format!("postgres://{role}@127.0.0.1:{port}/stagedoor");
    let mut migrate = Command::new(program);
    migrate.arg("migrate").env("DATABASE_OWNER_URL", url("stagedoor_owner"));
    succeed(migrate.env("DATABASE_URL", url("stagedoor")).env("REDIS_URL", "redis://127.0.0.1:1"))
}
