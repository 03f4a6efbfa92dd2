//! Program that drives a browser.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};
use uuid::Uuid;

use super::{BrowserOptions, camera::Camera};
use crate::support::{eventually, free_port};

/// Process of the driver; it ends with the test.
#[derive(Debug)]
pub(super) struct Driver {
    process: Child,
    pub(super) url: String,
    pub(super) profile: PathBuf,
}

impl Driver {
    pub(super) async fn start(time_zone: &str) -> Self {
        let port = free_port();
        let profile = env::temp_dir().join(format!("stagedoor-browser-{}", Uuid::new_v4()));
        let process = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .env("TZ", time_zone)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let process =
            process.unwrap_or_else(|error| panic!("chromedriver, of scripts/install: {error}"));
        let url = format!("http://127.0.0.1:{port}");
        let driver = Self { process, url, profile };
        eventually("the driver", async || reqwest::get(format!("{}/status", driver.url)).await)
            .await;
        driver
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // The browser goes with its driver, which is told so that it can end it.
        let stopped = Command::new("kill").arg(self.process.id().to_string()).status();
        if !stopped.is_ok_and(|status| status.success()) {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

/// Returns what a browser is asked to be.
pub(super) fn capabilities(
    profile: &Path,
    options: BrowserOptions,
    camera: Option<&Camera>,
) -> Value {
    let BrowserOptions { screen, language, runs_scripts, time_zone: _ } = options;
    let mut chrome = json!({
        "args": [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-quic", "--no-first-run",
            format!("--window-size={},{}", screen.width, screen.height),
            format!("--lang={language}"),
            format!("--user-data-dir={}", profile.display()),
        ],
        "prefs": {
            "intl.accept_languages": language,
            "profile.managed_default_content_settings.javascript": if runs_scripts { 1 } else { 2 },
        },
    });
    if let Some(program) = browser_program() {
        chrome["binary"] = json!(program);
    }
    if let (Some(camera), Some(args)) = (camera, chrome["args"].as_array_mut()) {
        args.extend(camera.arguments().map(Value::from));
    }
    if screen.is_touched {
        chrome["mobileEmulation"] = json!({ "deviceMetrics": {
            "width": screen.width, "height": screen.height, "pixelRatio": 1.0, "touch": true,
        }});
    }
    json!({
        "browserName": "chrome",
        "goog:loggingPrefs": { "browser": "ALL" },
        "goog:chromeOptions": chrome,
    })
}

fn browser_program() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    let programs = ["chromium", "google-chrome"].into_iter();
    programs
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|p| p.exists())
}
