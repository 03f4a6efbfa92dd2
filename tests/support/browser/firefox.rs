//! Firefox, as the tests start it.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

use super::{BrowserOptions, Screen, driver::Driver};

/// Style of the browser's own window, which is 500 CSS pixels wide or more without it.
const STYLE: &str = ":root { min-width: 0 !important; }";

/// Lists the failures that its console has of pages of an office; 1 is the flag of a warning.
const FAILURES: &str = "
    return Services.console.getMessageArray()
        .filter((m) => m instanceof Ci.nsIScriptError && !(m.flags & 1))
        .filter((m) => m.sourceName.startsWith('http://127.0.0.1'))
        .map((m) => `${m.sourceName}: ${m.errorMessage}`);";

/// Returns the command that starts its driver. `profile` is a folder that is there.
pub(super) fn driver(profile: &Path, screen: Screen) -> Command {
    let styles = profile.join("chrome");
    fs::create_dir(&styles).unwrap();
    fs::write(styles.join("userChrome.css"), STYLE).unwrap();
    let mut command = Command::new("geckodriver");
    // Its console is read by what only the browser's own code may do.
    command.arg("--allow-system-access");
    command.env("MOZ_HEADLESS_WIDTH", screen.width.to_string());
    command.env("MOZ_HEADLESS_HEIGHT", screen.height.to_string());
    command
}

/// Returns what Firefox is asked to be.
pub(super) fn capabilities(profile: &Path, options: BrowserOptions) -> Value {
    let BrowserOptions { screen, language, runs_scripts, time_zone: _ } = options;
    let touch = i32::from(screen.is_touched);
    json!({
        "browserName": "firefox",
        "moz:firefoxOptions": {
            // The page has the whole screen.
            "args": ["-headless", "--kiosk", "-profile", profile],
            "prefs": {
                "intl.accept_languages": language,
                "javascript.enabled": runs_scripts,
                "dom.w3c_touch_events.enabled": touch,
                "toolkit.legacyUserProfileCustomizations.stylesheets": true,
            },
        },
    })
}

/// Returns what its console has of failures.
pub(super) async fn complaints(driver: &Driver, session: &str) -> Vec<String> {
    driver.ask(session, "moz/context", &json!({ "context": "chrome" })).await;
    let question = json!({ "script": FAILURES, "args": [] });
    let failures = driver.ask(session, "execute/sync", &question).await;
    serde_json::from_value(failures).unwrap()
}
