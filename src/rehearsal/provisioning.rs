//! Who puts up the stage and takes it down: the deployment itself, asked with its rehearsal
//! token, or, where there is none, this process in the database it was given.

use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use super::{
    error::RehearsalError,
    fixtures::{self, Actor, PEOPLE_AT_ONCE_MAX, Stage},
};
use crate::infra::{postgres::Pool, redis::Redis};

/// Tries at taking the stage down: it may take the deployment longer than it lets a caller
/// wait.
const TRIES_MAX: usize = 30;
/// Between two of them.
const BETWEEN_TRIES: Duration = Duration::from_secs(1);

/// A deployment's own hands.
#[derive(Debug)]
pub(crate) struct Door<'a> {
    pub(crate) client: Client,
    pub(crate) target: &'a Url,
    pub(crate) token: &'a str,
}

/// Where the stage is put up from.
#[derive(Debug)]
pub(crate) enum Provisioner<'a> {
    /// Over HTTP.
    Door(Door<'a>),
    /// In the database of a deployment on this machine.
    Database { db: &'a Pool, redis: &'a Redis },
}

#[derive(Deserialize)]
struct People {
    people: Vec<Actor>,
}

impl Provisioner<'_> {
    /// A stage for `people`.
    pub(crate) async fn set_up(&self, people: usize) -> Result<Stage, RehearsalError> {
        match self {
            Self::Door(door) => {
                let request = door.ask(Method::POST, "rehearsal/stages");
                read(request.json(&json!({ "people": people }))).await
            }
            Self::Database { db, redis } => Ok(fixtures::set_up(db, redis, people).await?),
        }
    }

    /// Everybody who takes part.
    pub(crate) async fn add_people(
        &self,
        stage: &Stage,
        people: usize,
    ) -> Result<Vec<Actor>, RehearsalError> {
        let mut actors = Vec::with_capacity(people);
        while actors.len() < people {
            let count = (people - actors.len()).min(PEOPLE_AT_ONCE_MAX);
            actors.extend(self.add_some(stage.program_id, count).await?);
        }
        Ok(actors)
    }

    async fn add_some(&self, stage: Uuid, count: usize) -> Result<Vec<Actor>, RehearsalError> {
        match self {
            Self::Door(door) => {
                let request = door.ask(Method::POST, &format!("rehearsal/stages/{stage}/people"));
                let answer: People = read(request.json(&json!({ "count": count }))).await?;
                Ok(answer.people)
            }
            Self::Database { db, .. } => Ok(fixtures::add_people(db, stage, count).await?),
        }
    }

    /// Removes everything.
    pub(crate) async fn take_down(&self, stage: &Stage) -> Result<(), RehearsalError> {
        let id = stage.program_id;
        match self {
            Self::Door(door) => door.take_down(id).await,
            Self::Database { db, redis } => Ok(fixtures::take_down(db, redis, id).await?),
        }
    }
}

impl Door<'_> {
    fn ask(&self, method: Method, path: &str) -> RequestBuilder {
        let target = self.target.as_str().trim_end_matches('/');
        self.client
            .request(method, format!("{target}/{path}"))
            .header("accept", "application/json")
            .bearer_auth(self.token)
    }

    async fn take_down(&self, stage: Uuid) -> Result<(), RehearsalError> {
        let path = format!("rehearsal/stages/{stage}");
        let mut last = "nothing".to_owned();
        for _ in 0..TRIES_MAX {
            match self.ask(Method::DELETE, &path).send().await {
                // Not there any more: an earlier try has done it.
                Ok(answer)
                    if answer.status().is_success() || answer.status() == StatusCode::NOT_FOUND =>
                {
                    return Ok(());
                }
                Ok(answer) => last = answer.status().to_string(),
                Err(error) => last = error.without_url().to_string(),
            }
            tokio::time::sleep(BETWEEN_TRIES).await;
        }
        Err(RehearsalError::NotRemoved(last))
    }
}

/// What the deployment answered, or why it did not do it.
async fn read<T: DeserializeOwned>(request: RequestBuilder) -> Result<T, RehearsalError> {
    let away = |error: reqwest::Error| RehearsalError::NotServing(error.without_url().to_string());
    let answer = request.send().await.map_err(away)?;
    match answer.status() {
        status if status.is_success() => answer.json().await.map_err(away),
        StatusCode::UNAUTHORIZED => Err(RehearsalError::WrongToken),
        StatusCode::NOT_FOUND => Err(RehearsalError::NoDoor),
        status => {
            let problem: Value = answer.json().await.unwrap_or_default();
            let why = problem.get("detail").and_then(Value::as_str).map(str::to_owned);
            Err(RehearsalError::Refused(why.unwrap_or_else(|| status.to_string())))
        }
    }
}
