//! Chromium, as the tests start it.

use std::{
    env,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{BrowserOptions, camera::Camera, driver::Driver};

/// Returns what Chromium is asked to be.
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
    if let Some(program) = program() {
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

/// Returns what its log has of failures, except network errors: an answer that refuses is one.
pub(super) async fn complaints(driver: &Driver, session: &str) -> Vec<String> {
    let log = driver.ask(session, "se/log", &json!({ "type": "browser" })).await;
    let entries = log.as_array().cloned().unwrap_or_default();
    let is_complaint = |entry: &Value| entry["level"] == "SEVERE" && entry["source"] != "network";
    entries.into_iter().filter(is_complaint).map(|entry| entry.to_string()).collect()
}

fn program() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    let programs = ["chromium", "google-chrome"].into_iter();
    programs
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|p| p.exists())
}
