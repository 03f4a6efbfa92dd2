//! The URL table.

use crate::{
    accounts, catalog, entry_queue,
    web::{
        assets, health, language,
        path::{Path, at},
    },
};

/// Every path and what it answers to.
#[rustfmt::skip]
pub fn all() -> Vec<Path> {
    vec![
        at("/").get(catalog::pages::show_home),
        at("/programs/{slug}").get(catalog::pages::show_program),

        at("/programs/{slug}/queue").get(entry_queue::pages::show_queue).post(entry_queue::pages::create_token).delete(entry_queue::pages::delete_token),
        at("/programs/{slug}/queue/departure").post(entry_queue::pages::delete_token),

        at("/signup").get(accounts::pages::new_account).post(accounts::pages::create_account).patient(),
        at("/login").get(accounts::pages::new_session).post(accounts::pages::create_session).patient(),
        at("/logout").post(accounts::pages::delete_session),
        at("/language").post(language::update_language),

        at("/healthz").get(health::show_health),
        at("/readyz").get(health::show_readiness),
        at("/metrics").get(health::show_metrics),
        at("/static/{version}/{name:.*}").get(assets::show_asset),
    ]
}
