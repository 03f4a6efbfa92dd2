//! Settings read from an environment.

use super::*;

fn with(pairs: &[(&str, &str)]) -> Result<Config, ConfigError> {
    Config::from_lookup(|name| {
        pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    })
}

#[test]
fn two_addresses_are_enough() {
    let config = Config::of_servers();
    assert_eq!(config.listen_addr.port(), 8080);
    assert!(config.session_days.get() == 14 && !config.is_https());
}

#[test]
fn every_mistake_is_named_at_once() {
    let mistakes =
        with(&[("LISTEN_ADDR", "here"), ("SESSION_DAYS", "0"), ("TIME_ZONE", "Moon/Base")]);
    let mistakes = mistakes.unwrap_err().0;
    assert_eq!(mistakes.len(), 5, "{mistakes:?}");
    for name in ["DATABASE_URL", "REDIS_URL", "LISTEN_ADDR", "SESSION_DAYS", "TIME_ZONE"] {
        assert!(mistakes.iter().any(|mistake| mistake.starts_with(name)), "{name}");
    }
}

#[test]
fn a_variable_that_was_a_setting_is_named_and_changes_nothing() {
    let old = [("DATABASE_URL", "x"), ("REDIS_URL", "y"), ("ACCOUNT_BURST", "7"), ("LOG", "")];
    let lookup =
        |name: &str| old.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    assert_eq!(with(&old).unwrap().account_burst.get(), 300);
    assert_eq!(Config::list_removed(lookup), ["ACCOUNT_BURST"]);
    let known = |name: &str| SETTINGS.iter().any(|setting| setting.name == name);
    assert!(!settings::REMOVED.iter().any(|name| known(name)));
}

#[test]
fn a_mail_server_needs_a_sender_and_its_password_is_never_shown() {
    let set = |url: &'static str, from: &'static str| {
        let needed = [("DATABASE_URL", "postgres://x"), ("REDIS_URL", "redis://x")];
        with(&[&needed[..], &[("SMTP_URL", url), ("MAIL_FROM", from)]].concat())
    };
    let url = "smtps://office:hunter2@mail.example.com";
    let config = set(url, "Stagedoor <tickets@example.com>").unwrap();
    assert!(!format!("{config:?}").contains("hunter2"), "{config:?}");
    for (url, from, name) in [
        (url, "", "MAIL_FROM"),
        (url, "nobody", "MAIL_FROM"),
        ("http://office:hunter2@mail.example.com", "a@example.com", "SMTP_URL"),
        ("smtp://office:hunter2@mail.example.com?tls=no", "a@example.com", "SMTP_URL"),
    ] {
        let mistakes = set(url, from).unwrap_err().0;
        assert!(mistakes.iter().any(|mistake| mistake.starts_with(name)), "{mistakes:?}");
        assert!(!mistakes.join(" ").contains("hunter2"), "{mistakes:?}");
    }
}

#[test]
fn a_standby_has_an_address_of_its_own() {
    let set = |url| {
        let needed = [("DATABASE_URL", "postgres://x"), ("REDIS_URL", "redis://x")];
        with(&[&needed[..], &[("STANDBY_DATABASE_URL", url)]].concat())
    };
    let config = set("postgres://y").unwrap();
    assert_eq!(config.standby_database_url.as_deref(), Some("postgres://y"));
    let mistakes = set("postgres://x").unwrap_err().0;
    assert!(mistakes.iter().any(|m| m.starts_with("STANDBY_DATABASE_URL")), "{mistakes:?}");
}
