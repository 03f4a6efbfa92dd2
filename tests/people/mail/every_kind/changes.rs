//! Mails about what changes of a performance, and the letters that an office writes about it.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{People, Told};
use crate::support::{Concert, read_one_with};

pub(super) const MOVE_WORDS: &str = "The roof is mended. Sorry & thank you.";
pub(super) const CHANGE_WORDS: &str = "Mind the <step>.";
const PARTS: [(&str, &str, &str); 8] = [
    ("TITLE", "Sound", "Sound & Light"),
    ("VENUE", "Opera", "Arena <north>"),
    ("ADDRESS", "1 Old Street", "2 New Street"),
    ("RUNNING_MINS", "120", "130"),
    ("DOORS_BEFORE_MINS", "30", "60"),
    ("AGE_MIN", "12", "16"),
    ("ZONE", "Pit", "Standing"),
    ("SEAT", "1", "2"),
];

/// Mails about a performance that begins at another time, is called otherwise, or costs something else.
pub(super) async fn performances(db: &PgPool, concert: &Concert, people: &People) -> Vec<Told> {
    let id = concert.schedule_id;
    let moved = "insert into schedule_moves (schedule_id, refund_until, was_at, is_at, full_refund_until, words)
        select id, starts_at, starts_at - interval '1 day', starts_at, starts_at - interval '2 hours',
            $2
        from schedules where id = $1 returning id";
    let moved = sqlx::query_scalar::<_, Uuid>(moved).bind(id).bind(MOVE_WORDS);
    let move_id = moved.fetch_one(db).await.unwrap();
    let start = "select starts_at from schedules where id = $1";
    let is: DateTime<Utc> = read_one_with(db, start, id).await;
    let was = is - chrono::Duration::days(1);
    let parts: Vec<Value> = PARTS
        .iter()
        .map(|(part, was, now)| json!({ "part": part, "was": was, "now": now }))
        .collect();
    let to = |kind, payload| Told::to(&people.ada, None, kind, payload);
    let moved = |was: DateTime<Utc>, move_id: Option<Uuid>, is_waiting: bool, other: &[Value]| {
        let payload = json!({
            "schedule_id": id, "was": was, "was_zone": "Asia/Seoul", "move_id": move_id,
            "is_waiting": is_waiting, "changes": other, "words": null,
        });
        to("performance-moved", payload)
    };
    let changed = |move_id: Option<Uuid>, is_waiting: bool| {
        let payload = json!({
            "schedule_id": id, "changes": parts, "words": CHANGE_WORDS, "move_id": move_id,
            "is_waiting": is_waiting,
        });
        to("performance-changed", payload)
    };
    let hidden = |is_hidden| {
        let payload = json!({ "schedule_id": id, "section": "Stalls", "is_hidden": is_hidden });
        to("section-hidden", payload)
    };
    let listed = json!([
        { "of": "Stalls", "was": 40_000, "now": 50_000 }, { "of": "Standing", "was": null, "now": 1 },
    ]);
    let priced = |n_more: usize| {
        to("prices-changed", json!({ "schedule_id": id, "prices": listed, "n_more": n_more }))
    };
    vec![
        moved(was, Some(move_id), false, &parts),
        moved(was, Some(move_id), true, &[]),
        moved(is, None, false, &[]),
        changed(Some(move_id), false),
        changed(None, true),
        priced(0),
        priced(1),
        priced(3),
        hidden(true),
        hidden(false),
    ]
}

/// Mails that an office writes about a performance: letters, the reminder, and the tickets once more.
pub(super) async fn letters(db: &PgPool, concert: &Concert, people: &People) -> Vec<Told> {
    let id = concert.schedule_id;
    let start = "select starts_at from schedules where id = $1";
    let starts_at: DateTime<Utc> = read_one_with(db, start, id).await;
    let texts = json!({
        "en": { "subject": "Where to enter", "words": "By the <north> door.\nNot the south.\n\nThank you." },
        "ko": { "subject": "입장 안내", "words": "북문으로 오세요.\n\n감사합니다." },
        "ja": { "subject": "ご入場について", "words": "北口からお入りください。\n\nよろしくお願いします。" },
    });
    let write = async |schedules: &[Uuid], texts: &Value, reminds_of: Option<DateTime<Utc>>| {
        let sql = "insert into office_letters (id, program_id, schedule_ids, zone_ids, price_type_ids, is_for_absent,
                is_necessary, texts, status, send_at, settled_at, reminds_of)
            values (gen_random_uuid(), $1, $2, '{}', '{}', false, false, $3, 'WRITTEN', now(), now(), $4)
            returning id";
        let query = sqlx::query_scalar::<_, Uuid>(sql).bind(concert.program_id);
        query.bind(schedules).bind(texts).bind(reminds_of).fetch_one(db).await.unwrap()
    };
    let (of_one, of_all) = (write(&[id], &texts, None).await, write(&[], &texts, None).await);
    let reminder = write(&[id], &json!({}), Some(starts_at)).await;
    let letter = |letter: Uuid, is_necessary: bool, is_test: bool| {
        let payload =
            json!({ "letter_id": letter, "is_necessary": is_necessary, "is_test": is_test });
        Told::to(&people.ada, None, "office-letter", payload)
    };
    let to_ada = |kind, payload| Told::to(&people.ada, Some(super::ADA), kind, payload);
    vec![
        letter(of_one, false, false),
        letter(of_all, true, false),
        letter(of_one, false, true),
        to_ada(
            "reminder",
            json!({ "letter_id": reminder, "schedule_id": id, "starts_at": starts_at }),
        ),
        to_ada("tickets-again", json!({ "schedule_id": id })),
    ]
}
