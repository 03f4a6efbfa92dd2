//! Positions that one instance writes to Redis later than others: no place moves back.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::{crowded, join, long_queue, queue_path_of, until_status};
use crate::support::{Concert, HeldWire, Office, Person, until};

/// Two offices over one database and one Redis, each with one instance that does not admit by itself; what the first sends to Redis can be held.
struct Offices {
    wire: HeldWire,
    late: Office,
    prompt: Office,
    concert: Concert,
}

impl Offices {
    async fn open(db: &PgPool) -> Self {
        let direct = std::env::var("REDIS_URL").unwrap();
        let mut through: url::Url = direct.parse().unwrap();
        let host = through.host_str().unwrap().to_owned();
        let wire = HeldWire::to(&host, through.port().unwrap_or(6379)).await;
        through.set_host(Some("127.0.0.1")).unwrap();
        through.set_port(Some(wire.port)).unwrap();
        let prefix = format!("test-{}", uuid::Uuid::new_v4());
        let open = async |url: &str| {
            let settings = [
                ("REDIS_URL", url),
                ("REDIS_PREFIX", &prefix),
                ("TEST_ADMISSION_PERIOD_MS", "3600000"),
            ];
            Office::open_with(db.clone(), 1, &settings).await
        };
        let (late, prompt) = (open(through.as_str()).await, open(&direct).await);
        let concert = Concert::with(db, crowded()).await;
        Self { wire, late, prompt, concert }
    }

    /// One person inside, and one who waits as number 2.
    async fn begin(&self) {
        let [inside, waiting] = &self.prompt.crowd(2, "First").await[..] else { unreachable!() };
        join(inside, &self.concert).await;
        until_status(inside, &self.concert, "ACTIVE").await;
        assert_eq!(join(waiting, &self.concert).await.json()["ahead"], 0);
    }

    /// Lets `person` join at the instance whose words to Redis are held, up to those words.
    async fn join_unheard(&self, person: &Person) {
        self.wire.watch_for(person.account_id.as_bytes());
        let (there, path) = (self.late.moved(person, 0), queue_path_of(&self.concert));
        tokio::spawn(async move { there.post(&path, &()).await });
        self.wire.until_it_holds().await;
    }

    async fn ahead_of(&self, person: &Person) -> Value {
        person.get(&queue_path_of(&self.concert)).await.json()["ahead"].clone()
    }

    async fn close(self) {
        self.prompt.close().await;
        self.late.close_as_it_is().await;
    }
}

#[sqlx::test]
async fn a_join_counts_whoever_joined_before_at_an_instance_that_is_late(db: PgPool) {
    let offices = Offices::open(&db).await;
    offices.begin().await;
    let [third, fourth] = &offices.prompt.crowd(2, "Late").await[..] else { unreachable!() };
    offices.join_unheard(third).await;

    let joined = join(fourth, &offices.concert).await.json();
    assert_eq!((&joined["queue_number"], &joined["ahead"]), (&json!(4), &json!(2)), "{joined}");
    assert_eq!(offices.ahead_of(third).await, 1);
    offices.wire.pass_held().await;
    assert_eq!([offices.ahead_of(third).await, offices.ahead_of(fourth).await], [1, 2]);
    offices.close().await;
}

#[sqlx::test]
async fn a_late_write_does_not_bring_back_whoever_left_meanwhile(db: PgPool) {
    let offices = Offices::open(&db).await;
    offices.begin().await;
    let [third, fourth] = &offices.prompt.crowd(2, "Late").await[..] else { unreachable!() };
    offices.join_unheard(third).await;
    join(fourth, &offices.concert).await;
    assert_eq!(third.delete(&queue_path_of(&offices.concert)).await.status, 204);
    assert_eq!(offices.ahead_of(fourth).await, 1);

    offices.wire.pass_held().await;
    assert_eq!(offices.ahead_of(fourth).await, 1, "number 3 has left");
    offices.close().await;
}

#[sqlx::test]
async fn nobody_is_told_how_many_are_ahead_before_all_of_them_are_counted(db: PgPool) {
    // More than one join writes beside its own position. The comparison, which an office begins
    // with, may have written them all.
    const MISSING: i64 = 12_000;
    const JOINS_MAX: usize = 20;
    let offices = Offices::open(&db).await;
    offices.begin().await;
    long_queue(&db, &offices.concert, MISSING).await;
    let [first, later @ ..] = &offices.prompt.crowd(JOINS_MAX, "Told").await[..] else {
        unreachable!()
    };
    let is_whole = |ahead: &Value| [Value::Null, json!(MISSING + 1)].contains(ahead);
    let joined = join(first, &offices.concert).await.json();
    assert!(joined["status"] == "WAITING" && is_whole(&joined["ahead"]), "{joined}");
    let mut later = later.iter();
    until("a count", async || {
        join(later.next().unwrap(), &offices.concert).await;
        let ahead = offices.ahead_of(first).await;
        assert!(is_whole(&ahead), "{ahead}");
        ahead != Value::Null
    })
    .await;
    offices.close().await;
}
