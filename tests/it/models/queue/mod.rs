//! The queue: who joins, leaves and is admitted, and the number and the position that each is told.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::entry_queue::admit_everywhere;

use super::{Expected, Machine, assert_answer, check};
use crate::support::{Concert, ConcertOptions, Office, Person};

const PEOPLE: usize = 4;
const CAPACITY: usize = 1;
const CAPACITY_MAX: usize = 3;
/// Looks at the queue until it is as the model has it, and the pause between two of them: what is
/// shown of it comes from Redis, which is written after the answer where it is slow.
const LOOKS_MAX: usize = 60;
const PAUSE: Duration = Duration::from_millis(50);

#[sqlx::test]
async fn whoever_joins_and_leaves_the_queue_moves_as_the_model_does(db: PgPool) {
    check::<Queue>(db).await;
}

#[derive(Clone, Debug)]
enum Step {
    Join {
        who: usize,
    },
    /// Someone leaves, perhaps in a tab that shows an older number.
    Leave {
        who: usize,
        is_stale: bool,
    },
    /// The stay of someone reaches its end.
    EndStay {
        who: usize,
    },
    Pause,
    Resume,
    Limit {
        capacity: usize,
    },
}

/// Latest token of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    number: usize,
    status: &'static str,
}

struct Queue {
    admin: Person,
    people: Vec<Person>,
    concert: Concert,
    tokens: [Option<Token>; PEOPLE],
    next_number: usize,
    capacity: usize,
    is_paused: bool,
    /// Version of the program, which each change of the queue raises.
    version: i64,
}

impl Queue {
    fn path(&self) -> String {
        format!("/programs/{}/queue", self.concert.slug)
    }

    fn status(&self, who: usize) -> &'static str {
        self.tokens[who].as_ref().map_or("", |token| token.status)
    }

    fn is_live(&self, who: usize) -> bool {
        ["WAITING", "ACTIVE"].contains(&self.status(who))
    }

    fn waiting(&self) -> Vec<usize> {
        let tokens = self.tokens.iter().flatten().filter(|token| token.status == "WAITING");
        let mut numbers: Vec<usize> = tokens.map(|token| token.number).collect();
        numbers.sort_unstable();
        numbers
    }

    fn set(&mut self, who: usize, status: &'static str) {
        if let Some(token) = &mut self.tokens[who] {
            token.status = status;
        }
    }

    /// Admits as many as there is room for, the lowest numbers first.
    fn admit(&mut self) {
        let n_inside =
            self.tokens.iter().flatten().filter(|token| token.status == "ACTIVE").count();
        let room = if self.is_paused { 0 } else { self.capacity.saturating_sub(n_inside) };
        let admitted: Vec<usize> = self.waiting().into_iter().take(room).collect();
        for token in self.tokens.iter_mut().flatten() {
            if admitted.contains(&token.number) {
                token.status = "ACTIVE";
            }
        }
    }

    /// Returns what differs from what each is shown; empty if nothing does.
    async fn differences(&self) -> Vec<String> {
        let mut differences = Vec::new();
        for (who, person) in self.people.iter().enumerate() {
            let shown = person.get(&self.path()).await;
            let expected = match &self.tokens[who] {
                None => json!([404, null, null, null]),
                Some(Token { number, status }) => {
                    let ahead = (*status == "WAITING")
                        .then(|| self.waiting().iter().filter(|other| *other < number).count());
                    json!([200, status, number, ahead])
                }
            };
            let told = |field: &str| shown.json()[field].clone();
            let ahead = if told("status") == "WAITING" { told("ahead") } else { Value::Null };
            // A problem has a status of its own.
            let status = if shown.status == 200 { told("status") } else { Value::Null };
            let shown = json!([shown.status, status, told("queue_number"), ahead]);
            if shown != expected {
                differences.push(format!("person {who}: {shown} instead of {expected}"));
            }
        }
        differences
    }

    /// Lets the admission of the office do what that of the model does.
    async fn settle(&mut self, office: &Office) {
        self.admit();
        let mut differences = Vec::new();
        for _ in 0..LOOKS_MAX {
            // Each look is a poll, without which nobody is admitted.
            admit_everywhere(&office.app).await.unwrap();
            differences = self.differences().await;
            if differences.is_empty() {
                return;
            }
            tokio::time::sleep(PAUSE).await;
        }
        panic!("{differences:#?}");
    }

    async fn change(&mut self, act: &str, limits: Option<usize>) {
        let path = format!("/admin/programs/{}/queue{act}", self.concert.program_id);
        let mut form = json!({ "version": self.version });
        if let Some(capacity) = limits {
            form["queue_capacity"] = json!(capacity);
            form["queue_rate_per_second"] = json!("");
        }
        assert_answer(&self.admin.post_json(&path, &form).await, (200, ""));
        self.version += 1;
    }

    fn join(&mut self, who: usize) -> Expected {
        if self.is_live(who) {
            return (409, "token-already-issued");
        }
        self.tokens[who] = Some(Token { number: self.next_number, status: "WAITING" });
        self.next_number += 1;
        (201, "")
    }

    fn leave(&mut self, who: usize, is_stale: bool) -> Expected {
        if is_stale || !self.is_live(who) {
            return (404, "no-token");
        }
        self.set(who, "CANCELLED");
        (204, "")
    }
}

impl Machine for Queue {
    type Step = Step;

    fn step() -> impl Strategy<Value = Step> {
        let who = || 0..PEOPLE;
        prop_oneof![
            8 => who().prop_map(|who| Step::Join { who }),
            4 => (who(), prop::bool::weighted(0.2))
                .prop_map(|(who, is_stale)| Step::Leave { who, is_stale }),
            2 => who().prop_map(|who| Step::EndStay { who }),
            1 => Just(Step::Pause),
            2 => Just(Step::Resume),
            1 => (1..=CAPACITY_MAX).prop_map(|capacity| Step::Limit { capacity }),
        ]
    }

    async fn begin(office: &Office) -> Self {
        let options = ConcertOptions {
            queue_capacity: Some(i32::try_from(CAPACITY).unwrap()),
            ..ConcertOptions::default()
        };
        Self {
            admin: office.employ("Admin", "ADMIN").await,
            people: office.crowd(PEOPLE, "Joiner").await,
            concert: Concert::with(&office.db, options).await,
            tokens: Default::default(),
            next_number: 1,
            capacity: CAPACITY,
            is_paused: false,
            version: 0,
        }
    }

    async fn take(&mut self, office: &Office, step: &Step) {
        match *step {
            Step::Join { who } => {
                let answer = self.people[who].post(&self.path(), &()).await;
                assert_answer(&answer, self.join(who));
                let number = self.tokens[who].as_ref().unwrap().number;
                assert_eq!(answer.json()["queue_number"], number, "{}", answer.body);
            }
            Step::Leave { who, is_stale } => {
                let number = self.tokens[who].as_ref().map_or(1, |token| token.number);
                let form = json!({ "queue_number": number + usize::from(is_stale) });
                let path = format!("{}/departure", self.path());
                let answer = self.people[who].post_json(&path, &form).await;
                assert_answer(&answer, self.leave(who, is_stale));
            }
            Step::EndStay { who } if self.status(who) == "ACTIVE" => {
                sqlx::query(
                    "update queue_tokens set stay_ends_at = now(), expires_at = now()
                     where program_id = $1 and account_id = $2 and status = 'ACTIVE'",
                )
                .bind(self.concert.program_id)
                .bind(self.people[who].account_id)
                .execute(&office.db)
                .await
                .unwrap();
                self.set(who, "EXPIRED");
            }
            Step::EndStay { .. } => {}
            Step::Pause | Step::Resume => {
                let pauses = matches!(step, Step::Pause);
                if pauses != self.is_paused {
                    self.change(if pauses { "/pause" } else { "/resumption" }, None).await;
                    self.is_paused = pauses;
                }
            }
            Step::Limit { capacity } => {
                if capacity != self.capacity {
                    self.change("", Some(capacity)).await;
                    self.capacity = capacity;
                }
            }
        }
        self.settle(office).await;
    }

    async fn compare(&self, office: &Office) {
        let (n_inside, n_beyond): (i64, i64) = sqlx::query_as(
            "select count(*) filter (where status = 'ACTIVE' and expires_at > now()),
                 count(*) filter (where inside_after > capacity_then)
             from queue_tokens where program_id = $1",
        )
        .bind(self.concert.program_id)
        .fetch_one(&office.db)
        .await
        .unwrap();
        let inside = self.tokens.iter().flatten().filter(|token| token.status == "ACTIVE").count();
        assert_eq!((n_inside, n_beyond), (i64::try_from(inside).unwrap(), 0));
        assert_eq!(self.differences().await, Vec::<String>::new());
    }
}
