//! The queue: who joins, leaves, goes away and is admitted, and the number and the position that
//! each account sees.

mod model;

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::entry_queue::admit_everywhere;

use self::model::{CAPACITY, Model, PEOPLE, Token};
use super::{Machine, assert_answer, check};
use crate::support::{Concert, ConcertOptions, Office, Person, read_all_with};

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
    /// Someone closes the tab.
    GoAway {
        who: usize,
    },
    /// A person who is away is not heard for a whole grace.
    Pass,
    Return {
        who: usize,
    },
    Pause,
    Resume,
    Limit {
        capacity: usize,
    },
}

struct Queue {
    admin: Person,
    people: Vec<Person>,
    concert: Concert,
    model: Model,
    /// Version of the program, which each change of the queue raises.
    version: i64,
}

impl Queue {
    fn path(&self) -> String {
        format!("/programs/{}/queue", self.concert.slug)
    }

    /// Returns what differs from what each is shown who looks; empty if nothing does.
    async fn differences(&self) -> Vec<String> {
        let mut differences = Vec::new();
        let people = self.people.iter().enumerate();
        for (who, person) in people.filter(|(who, _)| !self.model.is_away[*who]) {
            let shown = person.get(&self.path()).await;
            let expected = match &self.model.tokens[who] {
                None => json!([404, null, null, null]),
                Some(Token { number, status, .. }) => {
                    let ahead = (*status == "WAITING").then(|| self.model.ahead_of(*number));
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
        self.model.admit();
        let mut differences = Vec::new();
        for _ in 0..LOOKS_MAX {
            // Each look is a poll, without which no account is admitted.
            admit_everywhere(&office.app).await.unwrap();
            differences = self.differences().await;
            if differences.is_empty() {
                return;
            }
            tokio::time::sleep(PAUSE).await;
        }
        panic!("{differences:#?}");
    }

    /// Sets the clock of heard time forward, and lets those poll who are there.
    async fn pass_a_grace(&self, office: &Office) {
        let past = office.app.config.queue_grace().as_millis() * 2;
        let key = office.app.redis.key(format_args!("{{{}}}:hearing", self.concert.program_id));
        let mut forward = redis::cmd("HINCRBY");
        forward.arg(key).arg("heard").arg(past.to_string());
        office.app.redis.query::<()>(&forward).await.unwrap();
        self.differences().await;
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
            3 => who().prop_map(|who| Step::GoAway { who }),
            2 => Just(Step::Pass),
            2 => who().prop_map(|who| Step::Return { who }),
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
            model: Model::new(),
            version: 0,
        }
    }

    async fn take(&mut self, office: &Office, step: &Step) {
        match *step {
            Step::Join { who } => {
                // A person who asks for anything is there.
                self.model.come_back(who);
                let answer = self.people[who].post(&self.path(), &()).await;
                assert_answer(&answer, self.model.join(who));
                let number = self.model.tokens[who].as_ref().unwrap().number;
                assert_eq!(answer.json()["queue_number"], number, "{}", answer.body);
            }
            Step::Leave { who, is_stale } => {
                self.model.come_back(who);
                let number = self.model.tokens[who].as_ref().map_or(1, |token| token.number);
                let form = json!({ "queue_number": number + usize::from(is_stale) });
                let path = format!("{}/departure", self.path());
                let answer = self.people[who].post_json(&path, &form).await;
                assert_answer(&answer, self.model.leave(who, is_stale));
            }
            Step::EndStay { who } if self.model.status(who) == "ACTIVE" => {
                sqlx::query(
                    "update queue_tokens set stay_ends_at = now(), expires_at = now()
                     where program_id = $1 and account_id = $2 and status = 'ACTIVE'",
                )
                .bind(self.concert.program_id)
                .bind(self.people[who].account_id)
                .execute(&office.db)
                .await
                .unwrap();
                self.model.set(who, "EXPIRED");
            }
            Step::EndStay { .. } => {}
            Step::GoAway { who } => self.model.is_away[who] = true,
            Step::Pass => {
                self.pass_a_grace(office).await;
                self.model.pass();
            }
            Step::Return { who } => self.model.come_back(who),
            Step::Pause | Step::Resume => {
                let pauses = matches!(step, Step::Pause);
                if pauses != self.model.is_paused {
                    self.change(if pauses { "/pause" } else { "/resumption" }, None).await;
                    self.model.is_paused = pauses;
                }
            }
            Step::Limit { capacity } => {
                if capacity != self.model.capacity {
                    self.change("", Some(capacity)).await;
                    self.model.capacity = capacity;
                }
            }
        }
        self.settle(office).await;
    }

    async fn compare(&self, office: &Office) {
        let sql = "select count(*) from queue_tokens
                   where program_id = $1 and inside_after > capacity_then";
        let beyond: Vec<i64> = read_all_with(&office.db, sql, self.concert.program_id).await;
        assert_eq!(beyond, [0]);
        // Absent accounts included.
        let sql = "select distinct on (account_id)
                format('%s %s%s', queue_number,
                    case when status = 'ACTIVE' and expires_at <= now() then 'EXPIRED' else status end,
                    case when parked_at is not null and status = 'WAITING' then ' parked' end)
            from queue_tokens where program_id = $1 order by account_id, queue_number desc";
        let mut stored: Vec<String> = read_all_with(&office.db, sql, self.concert.program_id).await;
        let tokens = self.model.tokens.iter().flatten();
        let mut expected: Vec<String> = tokens
            .map(|token| {
                let is_parked = token.is_parked && token.status == "WAITING";
                let parked = if is_parked { " parked" } else { "" };
                format!("{} {}{parked}", token.number, token.status)
            })
            .collect();
        stored.sort();
        expected.sort();
        assert_eq!(stored, expected);
        assert_eq!(self.differences().await, Vec::<String>::new());
    }
}
