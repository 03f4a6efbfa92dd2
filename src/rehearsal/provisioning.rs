//! Provisioning of the stage: by the deployment over HTTP with its rehearsal token, or without a
//! token directly in the database.

use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use super::{
    error::RehearsalError,
    fixtures::{
        self, PEOPLE_AT_ONCE_MAX,
        model::{ShopperAccount, Stage},
    },
};
use crate::infra::{postgres::Pool, redis::Redis};

/// Upper bound of tries at removing the stage: removal may take longer than the deployment's
/// deadline for a request.
const TRIES_MAX: usize = 30;
/// Pause between two tries.
const BETWEEN_TRIES: Duration = Duration::from_secs(1);

/// HTTP access to a deployment's rehearsal pages.
#[derive(Debug)]
pub(crate) struct HttpAccess<'a> {
    pub(crate) client: Client,
    pub(crate) target: &'a Url,
    pub(crate) token: &'a str,
}

/// Way by which the stage is made and removed.
#[derive(Debug)]
pub(crate) enum Provisioner<'a> {
    /// Over HTTP.
    Http(HttpAccess<'a>),
    /// In the database of a deployment on this machine.
    Database { db: &'a Pool, redis: &'a Redis },
}

#[derive(Deserialize)]
struct People {
    people: Vec<ShopperAccount>,
}

impl Provisioner<'_> {
    /// Makes a stage for `people` shoppers.
    pub(crate) async fn set_up(&self, people: usize) -> Result<Stage, RehearsalError> {
        match self {
            Self::Http(http) => {
                let request = http.ask(Method::POST, "rehearsal/stages");
                read(request.json(&json!({ "people": people }))).await
            }
            Self::Database { db, redis } => Ok(fixtures::set_up(db, redis, people).await?),
        }
    }

    /// Makes all accounts of the rehearsal, in several requests.
    pub(crate) async fn add_people(
        &self,
        stage: &Stage,
        people: usize,
    ) -> Result<Vec<ShopperAccount>, RehearsalError> {
        let mut accounts = Vec::with_capacity(people);
        while accounts.len() < people {
            let count = (people - accounts.len()).min(PEOPLE_AT_ONCE_MAX);
            accounts.extend(self.add_some(stage.program_id, count).await?);
        }
        Ok(accounts)
    }

    async fn add_some(
        &self,
        stage: Uuid,
        count: usize,
    ) -> Result<Vec<ShopperAccount>, RehearsalError> {
        match self {
            Self::Http(http) => {
                let request = http.ask(Method::POST, &format!("rehearsal/stages/{stage}/people"));
                let answer: People = read(request.json(&json!({ "count": count }))).await?;
                Ok(answer.people)
            }
            Self::Database { db, .. } => Ok(fixtures::add_people(db, stage, count).await?),
        }
    }

    /// Removes the stage with everything that belongs to it.
    pub(crate) async fn take_down(&self, stage: &Stage) -> Result<(), RehearsalError> {
        let id = stage.program_id;
        match self {
            Self::Http(http) => http.take_down(id).await,
            Self::Database { db, redis } => Ok(fixtures::take_down(db, redis, id).await?),
        }
    }
}

impl HttpAccess<'_> {
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
                // 404 means that an earlier try removed the stage.
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

/// Sends the request and reads its answer, or returns why the deployment refused it.
async fn read<T: DeserializeOwned>(request: RequestBuilder) -> Result<T, RehearsalError> {
    let away = |error: reqwest::Error| RehearsalError::NotServing(error.without_url().to_string());
    let answer = request.send().await.map_err(away)?;
    match answer.status() {
        status if status.is_success() => answer.json().await.map_err(away),
        StatusCode::UNAUTHORIZED => Err(RehearsalError::WrongToken),
        StatusCode::NOT_FOUND => Err(RehearsalError::NotEnabled),
        status => {
            let problem: Value = answer.json().await.unwrap_or_default();
            let why = problem.get("detail").and_then(Value::as_str).map(str::to_owned);
            Err(RehearsalError::Refused(why.unwrap_or_else(|| status.to_string())))
        }
    }
}
