//! The rule of single seats is made and lifted while people hold seats.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use sqlx::PgPool;

use super::{admit, admit_logged, give_up, hold};
use crate::support::{
    Concert, ConcertOptions, Office, Person, count, read_one, run_sql, run_sql_with, storm, until,
    until_it_waits,
};

/// Rows of the house, each with two people.
const ROWS: usize = 50;
const ROW: usize = 10;
/// Times that the rule is made and lifted again.
const TURNS: usize = 3;
/// Orders that are asked and decided within one turn.
const DECIDED_MIN: usize = 50;
const TRIES_MAX: usize = 5;

/// Order of one person, with the moments before it was sent and after it was answered.
#[derive(Debug)]
struct Tried {
    /// Whether it leaves the first seat of its row single.
    leaves_single: bool,
    asked: Instant,
    answered: Instant,
    status: u16,
    code: String,
}

impl Tried {
    fn is_decided(&self) -> bool {
        self.status == 201 || self.code == "single-seat"
    }
}

/// Person who holds two seats of a row and gives them back, again and again until all is over.
#[derive(Clone)]
struct Guest {
    person: Person,
    concert: Concert,
    seats: [i64; 2],
    leaves_single: bool,
    tried: Arc<Mutex<Vec<Tried>>>,
    is_over: Arc<AtomicBool>,
}

impl Guest {
    async fn try_on(self) {
        while !self.is_over.load(Ordering::Relaxed) {
            let asked = Instant::now();
            let held = hold(&self.person, &self.concert, &self.seats).await;
            let (status, code) = (held.status, held.code());
            assert!(matches!(status, 201 | 409 | 503), "{}", held.body);
            let (leaves_single, answered) = (self.leaves_single, Instant::now());
            let tried = Tried { leaves_single, asked, answered, status, code };
            self.tried.lock().unwrap().push(tried);
            if status == 201 {
                give_up(&self.person, &held).await;
            }
        }
    }
}

/// Makes or lifts the rule, with the form of the program's page.
async fn switch(admin: &Person, concert: &Concert, is_made: bool) {
    let path = format!("/admin/programs/{}", concert.program_id);
    let mut form = admin.visit(&path).await.form(&format!("form[action='{path}']"));
    form.retain(|(name, _)| name != "no_single_seats");
    if is_made {
        form.push(("no_single_seats".to_owned(), "on".to_owned()));
    }
    let saved = admin.post(&path, &form).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
}

/// Of the two in each row one asks for seats that leave a single one, the other for seats beside
/// them. What is asked and answered while the rule stands leaves none, and while it does not stand
/// nothing is refused for it. An order that a switch overtakes may go either way.
#[sqlx::test]
async fn while_the_rule_of_single_seats_is_switched_each_order_obeys_the_rule_of_its_moment(
    db: PgPool,
) {
    let seats = i32::try_from(ROWS * ROW).unwrap();
    let concert = Concert::with(&db, ConcertOptions { seats, ..ConcertOptions::default() }).await;
    let office = Office::open(db.clone()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(2 * ROWS, "Guest").await;
    admit_logged(&office, &concert, &people).await;
    let (tried, is_over) = (Arc::<Mutex<Vec<Tried>>>::default(), Arc::<AtomicBool>::default());
    let guests = people.iter().enumerate().map(|(nth, person)| {
        let leaves_single = nth % 2 == 0;
        let first = ROW * (nth / 2) + if leaves_single { 1 } else { 4 };
        Guest {
            person: office.moved(person, nth + nth / 2),
            concert: concert.clone(),
            seats: [concert.seat_ids[first], concert.seat_ids[first + 1]],
            leaves_single,
            tried: Arc::clone(&tried),
            is_over: Arc::clone(&is_over),
        }
    });
    let running: Vec<_> = guests.map(|guest| tokio::spawn(guest.try_on())).collect();
    let mut turns = Vec::new();
    for is_made in [true, false].repeat(TURNS) {
        switch(&admin, &concert, is_made).await;
        let begun = Instant::now();
        until("orders are decided", async || {
            let tried = tried.lock().unwrap();
            let new = tried.iter().filter(|each| each.leaves_single && each.asked >= begun);
            new.filter(|each| each.is_decided()).count() >= DECIDED_MIN
        })
        .await;
        turns.push((is_made, begun, Instant::now()));
    }
    is_over.store(true, Ordering::Relaxed);
    for guest in running {
        guest.await.unwrap();
    }
    let tried = std::mem::take(&mut *tried.lock().unwrap());
    for (nth, (is_made, begun, ended)) in turns.into_iter().enumerate() {
        let within = tried.iter().filter(|each| each.asked >= begun && each.answered <= ended);
        let is_wrong = |each: &&Tried| match is_made {
            true => each.leaves_single && each.status == 201,
            false => each.code == "single-seat",
        };
        let wrong: Vec<&Tried> = within.filter(is_wrong).collect();
        assert!(wrong.is_empty(), "turn {nth}, the rule stands: {is_made}: {wrong:?}");
    }

    // All at once want the first two seats of their row, which leave none.
    switch(&admin, &concert, true).await;
    let answers = storm(people.into_iter().enumerate().map(|(nth, person)| {
        let (person, concert) = (office.moved(&person, nth), concert.clone());
        async move { hold(&person, &concert, &concert.seat_ids[ROW * (nth / 2)..][..2]).await }
    }))
    .await;
    // A person who was refused has a lease of the nearest seats for some seconds, which two others may want.
    let n_held = count(&answers, 201, "");
    assert!((1..=ROWS).contains(&n_held), "{answers:?}");
    assert_eq!(n_held + count(&answers, 409, "seat-unavailable"), 2 * ROWS, "{answers:?}");
    let held = "select count(*) from schedule_seats where status = 'HELD'";
    assert_eq!(usize::try_from(read_one::<i64>(&db, held).await), Ok(2 * n_held));
    // Accounts that were let in by a statement of the test are in no line in Redis.
    office.verify_database().await;
    office.close_as_it_is().await;
}

/// What the program says once the seats are locked decides, and not what it said when the order came.
#[sqlx::test]
async fn an_order_that_waited_for_its_seats_obeys_the_rule_that_was_switched_meanwhile(db: PgPool) {
    let seats = i32::try_from(2 * TRIES_MAX * ROW).unwrap();
    let concert = Concert::with(&db, ConcertOptions { seats, ..ConcertOptions::default() }).await;
    let office = Office::open(db.clone()).await;
    let people = office.crowd(2 * TRIES_MAX, "Ada").await;
    admit(&db, &concert, &people).await;
    let mut watch = db.acquire().await.unwrap();
    let switch = "update programs set no_single_seats = $1";
    let (mut n_refused, mut n_held) = (0, 0);
    for (nth, person) in people.into_iter().enumerate() {
        let is_made = n_refused == 0;
        run_sql_with(&db, switch, !is_made).await;
        let mut held = db.begin().await.unwrap();
        run_sql(&mut *held, "select from schedule_seats for update").await;
        let (concert, first) = (concert.clone(), ROW * nth + 1);
        let ordering = tokio::spawn(async move {
            hold(&person, &concert, &concert.seat_ids[first..first + 2]).await
        });
        until_it_waits(&mut watch, 1, &ordering).await;
        run_sql_with(&db, switch, is_made).await;
        held.commit().await.unwrap();
        let answer = ordering.await.unwrap();
        match (answer.status, is_made) {
            // On a busy machine it has given up.
            (503, _) => {}
            (409, true) if answer.code() == "single-seat" => n_refused += 1,
            (201, false) => n_held += 1,
            _ => panic!("{is_made}: {} {}", answer.status, answer.body),
        }
        if n_held == 1 {
            break;
        }
    }
    assert_eq!((n_refused, n_held), (1, 1), "no order waited");
    drop(watch);
    office.verify_database().await;
    office.close_as_it_is().await;
}
