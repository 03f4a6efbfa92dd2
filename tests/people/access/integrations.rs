//! Paths of letters, mails, webhooks, API keys, the office and posters, and for whom they are.

use super::Door;

/// A new one without an entry here, or in the table beside, fails a test.
#[rustfmt::skip]
pub(super) const PATHS: &[(&str, Door)] = &[
    ("/admin/api-keys", Door::Admin),
    ("/admin/api-keys/{id}/revocation", Door::Admin),
    ("/admin/programs/{id}/letters", Door::Admin),
    ("/admin/programs/{id}/letters/reminder", Door::Admin),
    ("/admin/letters/{id}", Door::Admin),
    ("/admin/letters/{id}/test", Door::Admin),
    ("/admin/letters/{id}/release", Door::Admin),
    ("/admin/letters/{id}/stop", Door::Admin),
    ("/admin/mails", Door::Admin),
    ("/admin/mails/{id}", Door::Admin),
    ("/admin/mails/{id}/html", Door::Admin),
    ("/admin/mails/{id}/sending", Door::Admin),
    ("/imprint", Door::Public),
    ("/terms", Door::Public),
    ("/privacy", Door::Public),
    ("/office/{version}/{size}.png", Door::Public),
    ("/office/{colour}.css", Door::Public),
    ("/manifest.webmanifest", Door::Public),
    ("/door.webmanifest", Door::Public),
    ("/admin/office", Door::Admin),
    ("/admin/office/logo", Door::Admin),
    ("/admin/office/logo/removal", Door::Admin),
    ("/posters/{slug}/{version}/{size}.jpg", Door::Public),
    ("/admin/programs/{id}/poster", Door::Admin),
    ("/admin/programs/{id}/poster/removal", Door::Admin),
    ("/admin/webhooks", Door::Admin),
    ("/admin/webhooks/{id}", Door::Admin),
    ("/admin/webhooks/{id}/secret", Door::Admin),
    ("/admin/webhooks/{id}/pause", Door::Admin),
    ("/admin/webhooks/{id}/resumption", Door::Admin),
    ("/admin/webhooks/{id}/deletion", Door::Admin),
    ("/admin/webhooks/{id}/replays", Door::Admin),
    ("/admin/webhooks/{id}/deliveries/{event_id}/replay", Door::Admin),
];
