//! How often one request waits for PostgreSQL, how many commands it sends to Redis, and how many waits for
//! either follow one another, counted on the wire.
//!
//! `docs/ROUND-TRIPS.md` has the numbers that are expected, so that one more is noticed.

mod in_line;
mod table;
mod together;

use std::{fmt::Write, time::Duration};

use sqlx::PgPool;
use stagedoor::entry_queue;

use self::table::{FILE, Row, expected, is_updating, table};
use crate::support::{Answer, Concert, ConcertOptions, CountedWire, Hold, Office, Person, Waits};

/// An hour: workers that may sleep do.
const SLEEP_MS: &str = "3600000";
/// Few connections, so that all of them know every statement soon: as many as one request asks at once.
const CONNECTIONS: &str = "3";
/// Requests that fill the caches and teach the connections their statements.
const WARMING: usize = 6;
/// Counts that must agree. The workers that never sleep and caches that ran out add to
/// some, and nothing takes away: so it is the expected count, or else the lowest, seen so often.
const AGREED: usize = 3;
/// People and things for so many requests of a kind.
const REQUESTS_MAX: usize = 30;

/// An instance behind two counted wires.
struct Counted {
    office: Office,
    postgres: CountedWire,
    redis: CountedWire,
    waits: Waits,
}

impl Counted {
    async fn open(db: &PgPool) -> Self {
        let connect = db.connect_options();
        let postgres = CountedWire::to(connect.get_host(), connect.get_port()).await;
        let mut redis_url: url::Url = std::env::var("REDIS_URL").unwrap().parse().unwrap();
        let host = redis_url.host_str().unwrap().to_owned();
        let (port, waits) = (redis_url.port().unwrap_or(6379), postgres.waits());
        let redis = CountedWire::to_redis(&host, port, waits.clone()).await;
        redis_url.set_host(Some("127.0.0.1")).unwrap();
        redis_url.set_port(Some(redis.port)).unwrap();
        let settings = [
            ("REDIS_URL", redis_url.as_str()),
            ("DB_CONNECTIONS_MAX", CONNECTIONS),
            ("TEST_ADMISSION_PERIOD_MS", SLEEP_MS),
            ("TEST_EXPIRY_PERIOD_MS", SLEEP_MS),
        ];
        let office = Office::open_through(db.clone(), postgres.port, &settings).await;
        Self { office, postgres, redis, waits }
    }

    fn trips(&self) -> (u64, u64) {
        (self.postgres.count(), self.redis.count())
    }

    /// Waits until every connection is back and nothing moves: what a request leaves to be
    /// done after its answer is its own.
    async fn settle(&self) {
        const LOOKS_AGREED: u32 = 6;
        const LOOKS_MAX: u32 = 1_000;
        let (mut n_quiet, mut before) = (0, self.trips());
        for _ in 0..LOOKS_MAX {
            tokio::time::sleep(Duration::from_millis(5)).await;
            let (now, pool) = (self.trips(), &self.office.app.db);
            let is_quiet = now == before && pool.n_idle() == pool.size();
            n_quiet = if is_quiet { n_quiet + 1 } else { 0 };
            before = now;
            if n_quiet == LOOKS_AGREED {
                return;
            }
        }
        panic!("the instance never rests");
    }

    /// What the nth request usually costs, answered with `status`. `visitor` reads right before
    /// each, so that what is remembered for a second is remembered.
    async fn usual<F: Future<Output = Answer>>(
        &self,
        name: &'static str,
        status: u16,
        visitor: (&Person, &str),
        nth: impl Fn(usize) -> F,
    ) -> Row {
        let expected = expected(name);
        let (mut to_postgres, mut to_redis, mut in_series) = (Vec::new(), Vec::new(), Vec::new());
        for idx in 0..REQUESTS_MAX {
            let (person, path) = visitor;
            assert_eq!(person.visit(path).await.status, 200, "{path}");
            self.settle().await;
            let (before, n_over) = (self.trips(), self.waits.count());
            self.waits.hold(true);
            let answer = nth(idx).await;
            let n_over = self.waits.count() - n_over;
            self.waits.hold(false);
            assert_eq!(answer.status, status, "{}", answer.body);
            self.settle().await;
            let after = self.trips();
            if idx < WARMING {
                continue;
            }
            to_postgres.push(after.0 - before.0);
            to_redis.push(after.1 - before.1);
            in_series.push(n_over);
            let is_last = idx + 1 == REQUESTS_MAX;
            let expected = expected.filter(|_| !is_last);
            let postgres = agreed(&to_postgres, expected.map(|[postgres, ..]| postgres));
            let redis = agreed(&to_redis, expected.map(|[_, redis, _]| redis));
            let series = agreed(&in_series, expected.map(|[.., series]| series));
            if let (Some(postgres), Some(redis), Some(series)) = (postgres, redis, series) {
                return (name, [postgres, redis, series]);
            }
        }
        panic!(
            "{name}: no count was seen {AGREED} times: {to_postgres:?}, {to_redis:?}, {in_series:?}"
        );
    }

    /// People who are inside.
    async fn inside(&self, concert: &Concert) -> Vec<Person> {
        let people = self.office.crowd(REQUESTS_MAX, "buyer").await;
        for person in &people {
            self.enter(person, concert).await;
        }
        people
    }

    /// Joins, and comes in: mostly at once, otherwise as the sleeping worker would see to.
    async fn enter(&self, person: &Person, concert: &Concert) -> Answer {
        const TICKS_MAX: u32 = 100;
        let joined = join(person, concert).await;
        if joined.json()["status"] == "ACTIVE" {
            return joined;
        }
        let path = format!("/programs/{}/queue", concert.slug);
        for _ in 0..TICKS_MAX {
            // A tick that fails is followed by another one.
            let _ = entry_queue::admit_everywhere(&self.office.app).await;
            if person.get(&path).await.json()["status"] == "ACTIVE" {
                return joined;
            }
        }
        panic!("nobody is let in");
    }
}

/// The wanted count, or where none is wanted the lowest, if it was seen often enough. One
/// in ten may be lower: what one request left to be done may be counted with the next.
fn agreed(counts: &[u64], wanted: Option<u64>) -> Option<u64> {
    let is_often = |count: &u64| counts.iter().filter(|each| *each == count).count() >= AGREED;
    let lowest = || counts.iter().copied().filter(is_often).min();
    let count =
        wanted.filter(is_often).or_else(|| if wanted.is_none() { lowest() } else { None })?;
    let n_lower = counts.iter().filter(|each| **each < count).count();
    (counts.len() >= 2 * AGREED && n_lower * 10 <= counts.len()).then_some(count)
}

async fn join(person: &Person, concert: &Concert) -> Answer {
    let joined = person.post(&format!("/programs/{}/queue", concert.slug), &()).await;
    assert_eq!(joined.status, 201, "{}", joined.body);
    joined
}

/// A concert with room for so many inside, and seats for as many requests as there may be.
async fn concert(db: &PgPool, queue_capacity: i32) -> Concert {
    let seats = i32::try_from(REQUESTS_MAX).unwrap();
    let queue_capacity = Some(queue_capacity);
    Concert::with(db, ConcertOptions { seats, queue_capacity, ..ConcertOptions::default() }).await
}

async fn queue_rows(db: &PgPool, counted: &Counted) -> Vec<Row> {
    let (roomy, full) = (concert(db, 1_000).await, concert(db, 1).await);
    let (inside, first) =
        (counted.office.sign_in("inside").await, counted.office.sign_in("first").await);
    counted.enter(&inside, &roomy).await;
    counted.enter(&first, &full).await;
    let (path, within) =
        (format!("/programs/{}/queue", full.slug), format!("/programs/{}/queue", roomy.slug));
    let (at_full, at_roomy) = ((&first, path.as_str()), (&inside, within.as_str()));
    let entering = counted.office.crowd(REQUESTS_MAX, "entering").await;
    let waiting = counted.office.crowd(REQUESTS_MAX, "waiting").await;
    let patient = counted.office.crowd(REQUESTS_MAX, "patient").await;
    let enters = counted
        .usual("join the line, and be let in", 201, at_roomy, |nth| {
            counted.enter(&entering[nth], &roomy)
        })
        .await;
    let waits = counted
        .usual("join the line, and wait", 201, at_full, |nth| join(&waiting[nth], &full))
        .await;
    for person in &patient {
        join(person, &full).await;
    }
    let again = (&patient[0], path.as_str());
    let polls = counted
        .usual("poll of a waiting person", 200, at_full, |nth| patient[nth].get(&path))
        .await;
    let polls_again = counted
        .usual("the same again within a second", 200, again, |_| patient[0].get(&path))
        .await;
    let polls_inside =
        counted.usual("poll of somebody inside", 200, at_roomy, |_| inside.get(&within)).await;
    vec![waits, enters, polls, polls_again, polls_inside]
}

async fn seats(db: &PgPool, counted: &Counted) -> Vec<Row> {
    let (shown, sold) = (concert(db, 1_000).await, concert(db, 1_000).await);
    let (viewers, buyers) = (counted.inside(&shown).await, counted.inside(&sold).await);
    let map = format!("/schedules/{}", shown.schedule_id);
    let (watcher, regular) =
        (counted.office.sign_in("watcher").await, counted.office.sign_in("regular").await);
    counted.enter(&watcher, &shown).await;
    counted.enter(&regular, &sold).await;
    let at_map = (&watcher, map.as_str());
    let page =
        counted.usual("seat map, its page", 200, at_map, |nth| viewers[nth].visit(&map)).await;
    let path = format!("/schedules/{}/reservations", sold.schedule_id);
    let (queue, key) =
        (format!("/programs/{}/queue", sold.slug), || uuid::Uuid::now_v7().to_string());
    let at_door = (&regular, queue.as_str());
    let seat = counted.usual("hold of a seat", 201, at_door, |nth| {
        let form = [("seat_ids", sold.seat_ids[nth].to_string()), ("request_key", key())];
        let (buyer, path) = (buyers[nth].clone(), path.clone());
        async move { buyer.post(&path, &form).await }
    });
    let seat = seat.await;
    let zone = counted.usual("hold of a place in a zone", 201, at_door, |nth| {
        let form = [
            ("zone_id", sold.zone_id.to_string()),
            ("quantity", "1".to_owned()),
            ("request_key", key()),
        ];
        let (buyer, path) = (buyers[nth].clone(), path.clone());
        async move { buyer.post(&path, &form).await }
    });
    vec![page, seat, zone.await]
}

async fn money(db: &PgPool, counted: &Counted) -> Vec<Row> {
    let concert = concert(db, 1_000).await;
    let people = counted.inside(&concert).await;
    let mut reservations = Vec::new();
    for (person, seat_id) in people.iter().zip(&concert.seat_ids) {
        let charged = person.post("/wallet/charges", &[("amount", 1_000_000)]).await;
        assert_eq!(charged.status, 201, "{}", charged.body);
        let hold = Hold { seat_ids: &[*seat_id], ..Hold::default() };
        reservations.push(hold.write(db, &concert, person.account_id).await);
    }
    let key = || ("request_key", uuid::Uuid::now_v7().to_string());
    let (home, wallet) = ((&people[0], "/"), (&people[0], "/wallet"));
    let payment = counted.usual("payment", 201, home, |nth| {
        let path = format!("/reservations/{}/payment", reservations[nth]);
        let person = people[nth].clone();
        async move { person.post(&path, &[key()]).await }
    });
    let payment = payment.await;
    let charge = counted.usual("charge", 201, home, |nth| {
        let person = people[nth].clone();
        async move { person.post("/wallet/charges", &[("amount", "1000".to_owned()), key()]).await }
    });
    let charge = charge.await;
    let purse =
        counted.usual("my wallet, its page", 200, wallet, |nth| people[nth].visit("/wallet")).await;
    let start = counted.usual("home page", 200, home, |_| people[0].visit("/")).await;
    vec![payment, charge, purse, start]
}

#[sqlx::test]
async fn every_hot_request_waits_as_often_as_is_written(db: PgPool) {
    let counted = Counted::open(&db).await;
    let mut rows = queue_rows(&db, &counted).await;
    rows.extend(seats(&db, &counted).await);
    rows.extend(money(&db, &counted).await);
    let now = table(&rows);
    if is_updating() {
        std::fs::write(FILE, &now).unwrap();
    }
    let written = std::fs::read_to_string(FILE).unwrap_or_default();
    let mut differing = String::new();
    for line in now.lines().filter(|line| !written.lines().any(|expected| expected == *line)) {
        let name = line.split(" | ").next().unwrap_or_default();
        let expected = written.lines().find(|expected| expected.starts_with(name));
        let expected = expected.unwrap_or("no such line");
        writeln!(differing, "expected {expected}\ncounted  {line}").unwrap();
    }
    assert!(written == now, "docs/ROUND-TRIPS.md says otherwise:\n{differing}");
    counted.office.close().await;
}
