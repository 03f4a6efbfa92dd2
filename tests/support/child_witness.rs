//! A real witness in a process of its own, to be killed and started again.

use std::{
    io::{BufRead, BufReader, Read},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Output, Stdio},
};

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{checkout::program, eventually, free_port};

/// Witness with a folder of its own, which is removed with it.
#[derive(Debug)]
pub struct ChildWitness {
    /// Its name, which no other test's witness has: metrics are of the whole process.
    pub name: String,
    /// Its key, as it printed it.
    pub key: String,
    pub folder: PathBuf,
    pub port: u16,
    logs: Vec<String>,
    process: Option<Child>,
}

impl ChildWitness {
    /// Starts a witness of `logs`, and waits until it says that it answers.
    pub fn start(logs: &[&str]) -> Self {
        let id = Uuid::new_v4();
        let folder = std::env::temp_dir().join(format!("stagedoor-witness-{id}"));
        let name = format!("witness.example/{id}");
        let logs = logs.iter().map(|log| (*log).to_owned()).collect();
        let mut witness =
            Self { name, key: String::new(), folder, port: free_port(), logs, process: None };
        witness.start_again();
        witness
    }

    /// Returns the command that starts it.
    pub fn command(&self) -> Command {
        self.command_named(&self.name)
    }

    /// Returns the command with another name of the witness.
    pub fn command_named(&self, name: &str) -> Command {
        let mut program = Command::new(program());
        program.arg("witness").args(["--name", name]).arg("--folder").arg(&self.folder);
        program.args(["--listen", &format!("127.0.0.1:{}", self.port)]);
        for log in &self.logs {
            program.args(["--log", log]);
        }
        program.env_clear().stdout(Stdio::piped()).stderr(Stdio::piped());
        program
    }

    /// Starts the witness on the folder that it left.
    pub fn start_again(&mut self) {
        let mut process = self.command().stderr(Stdio::null()).spawn().unwrap();
        let said = BufReader::new(process.stdout.take().unwrap()).lines().take(3);
        let said: Vec<String> = said.map(Result::unwrap).collect();
        assert!(said.last().is_some_and(|line| line.starts_with("It answers on")), "{said:?}");
        said[1].clone_into(&mut self.key);
        self.process = Some(process);
    }

    /// Runs the witness where it must end by itself, and returns what it said on standard error.
    pub fn refused_start(mut command: Command) -> String {
        let mut process = command.spawn().unwrap();
        let mut said = String::new();
        process.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let Output { status, .. } = process.wait_with_output().unwrap();
        assert_eq!(status.code(), Some(1), "{said}");
        said
    }

    /// Kills the process with SIGKILL.
    pub fn kill(&mut self) {
        let mut process = self.process.take().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }

    /// Sends SIGTERM and waits for the end.
    pub async fn stop(&mut self) -> ExitStatus {
        let mut process = self.process.take().unwrap();
        let kill = Command::new("kill").arg(process.id().to_string()).status().unwrap();
        assert!(kill.success());
        eventually("its end", async || process.try_wait().unwrap().ok_or("it runs")).await
    }

    /// Returns the setting by which an office asks it.
    pub fn setting(&self) -> String {
        format!("{} http://127.0.0.1:{}", self.key, self.port)
    }

    /// Returns what it says was its last checkpoint of the log `origin`; `None` if there is none.
    pub async fn head_of(&self, origin: &str) -> Option<String> {
        let hash = Sha256::digest(origin);
        let hash = hash.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        let href = format!("http://127.0.0.1:{}/{hash}/checkpoint", self.port);
        let answer = reqwest::get(href).await.unwrap();
        match answer.status().as_u16() {
            404 => None,
            status => {
                assert_eq!(status, 200);
                Some(answer.text().await.unwrap())
            }
        }
    }

    /// Returns the number of logs of which it keeps a head.
    pub fn n_heads(&self) -> usize {
        std::fs::read_dir(self.folder.join("heads")).unwrap().count()
    }
}

impl Drop for ChildWitness {
    fn drop(&mut self) {
        if self.process.is_some() {
            self.kill();
        }
        std::fs::remove_dir_all(&self.folder).unwrap();
    }
}
