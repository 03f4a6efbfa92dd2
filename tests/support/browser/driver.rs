//! Program that drives a browser.

use std::{
    env, fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use serde_json::Value;
use uuid::Uuid;

use super::{BrowserOptions, camera::Camera, chromium, firefox};
use crate::{eventually, free_port};

/// Browsers that the tests know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Maker {
    Chromium,
    Firefox,
}

impl Maker {
    /// Returns the one of this run: Chromium, unless `TEST_BROWSER` says `firefox`.
    pub(super) fn of_this_run() -> Self {
        match env::var("TEST_BROWSER") {
            Ok(name) if name == "firefox" => Self::Firefox,
            _ => Self::Chromium,
        }
    }
}

/// Process of the driver; it ends with the test.
#[derive(Debug)]
pub(super) struct Driver {
    maker: Maker,
    process: Child,
    url: String,
    profile: PathBuf,
}

impl Driver {
    /// Starts the driver of a browser with these options.
    pub(super) async fn start(options: BrowserOptions) -> Self {
        let maker = Maker::of_this_run();
        let port = free_port();
        let profile = env::temp_dir().join(format!("stagedoor-browser-{}", Uuid::new_v4()));
        fs::create_dir(&profile).unwrap();
        let mut command = match maker {
            Maker::Chromium => Command::new("chromedriver"),
            Maker::Firefox => firefox::driver(&profile, options.screen),
        };
        command.arg(format!("--port={port}")).env("TZ", options.time_zone);
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let process =
            process.unwrap_or_else(|error| panic!("{command:?}, of scripts/install: {error}"));
        let driver = Self { maker, process, url: format!("http://127.0.0.1:{port}"), profile };
        eventually("the driver", async || reqwest::get(format!("{}/status", driver.url)).await)
            .await;
        driver
    }

    /// Returns where the driver is asked.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Returns what the browser is asked to be.
    pub(super) fn capabilities(&self, options: BrowserOptions, camera: Option<&Camera>) -> Value {
        match self.maker {
            Maker::Chromium => chromium::capabilities(&self.profile, options, camera),
            Maker::Firefox => firefox::capabilities(&self.profile, options),
        }
    }

    /// Returns what the browser complains of: scripts that fail, and what the policy of the page forbids.
    /// Answers that refuse are none of these.
    pub(super) async fn complaints(&self, session: &str) -> Vec<String> {
        match self.maker {
            Maker::Chromium => chromium::complaints(self, session).await,
            Maker::Firefox => firefox::complaints(self, session).await,
        }
    }

    /// Asks the driver for what the protocol's client does not know, and returns the value of its answer.
    pub(super) async fn ask(&self, session: &str, command: &str, body: &Value) -> Value {
        let address = format!("{}/session/{session}/{command}", self.url);
        let asked = reqwest::Client::new().post(address).json(body);
        let mut answer: Value = asked.send().await.unwrap().json().await.unwrap();
        answer["value"].take()
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // The browser goes with its driver, which gets the signal so that it can end it.
        let stopped = Command::new("kill").arg(self.process.id().to_string()).status();
        if !stopped.is_ok_and(|status| status.success()) {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.profile);
    }
}
