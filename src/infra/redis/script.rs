//! Lua scripts, run by their hash.

use redis::{Cmd, ToRedisArgs};

use crate::infra::failpoint::SourceFile;

/// Script that Redis runs atomically.
#[derive(Debug)]
pub struct Script {
    source: &'static str,
    hash: String,
    /// Source file that made it.
    place: SourceFile,
}

/// Script with its keys and arguments.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    script: &'a Script,
    keys: Vec<Vec<u8>>,
    args: Vec<Vec<u8>>,
    takes_run_id: bool,
}

impl Script {
    /// Creates the script with this source.
    #[track_caller]
    pub fn new(source: &'static str) -> Self {
        let hash = redis::Script::new(source).get_hash().to_owned();
        Self { source, hash, place: SourceFile::of_caller() }
    }

    /// Returns a call without keys and arguments.
    pub(crate) fn prepare_invoke(&self) -> Call<'_> {
        Call { script: self, keys: Vec::new(), args: Vec::new(), takes_run_id: false }
    }

    /// Returns a call with this first key.
    pub fn key(&self, key: impl ToRedisArgs) -> Call<'_> {
        let mut call = self.prepare_invoke();
        call.key(key);
        call
    }
}

impl Call<'_> {
    /// Adds a key. All keys of one call carry the same braces.
    pub fn key(&mut self, key: impl ToRedisArgs) -> &mut Self {
        self.keys.extend(key.to_redis_args());
        self
    }

    /// Adds an argument, or several.
    pub fn arg(&mut self, arg: impl ToRedisArgs) -> &mut Self {
        self.args.extend(arg.to_redis_args());
        self
    }

    /// Adds as the last argument the run id of the server that the call reaches; empty where that
    /// is known to the server alone, as in a cluster.
    pub fn with_run_id(&mut self) -> &mut Self {
        self.takes_run_id = true;
        self
    }

    /// Returns the call by hash, to the server with this run id.
    pub(crate) fn by_hash(&self, run_id: &str) -> Cmd {
        self.command("EVALSHA", &self.script.hash, run_id)
    }

    /// Returns the call with its source, which Redis remembers from then on. It goes to the server
    /// that has the keys; loading first would need every node of a cluster.
    pub(crate) fn by_source(&self, run_id: &str) -> Cmd {
        self.command("EVAL", self.script.source, run_id)
    }

    /// Returns where the script was made.
    pub(super) fn place(&self) -> SourceFile {
        self.script.place
    }

    pub(crate) fn first_key(&self) -> Option<&[u8]> {
        self.keys.first().map(Vec::as_slice)
    }

    fn command(&self, name: &str, script: &str, run_id: &str) -> Cmd {
        let mut command = redis::cmd(name);
        command.arg(script).arg(self.keys.len()).arg(&self.keys).arg(&self.args);
        if self.takes_run_id {
            command.arg(run_id);
        }
        command
    }
}
