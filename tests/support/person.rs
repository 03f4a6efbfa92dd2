//! Client of an instance: a person with a browser, or a program that acts for them.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use reqwest::{Client, Method, RequestBuilder};
use serde::Serialize;
use uuid::Uuid;

use super::{Answer, api_document};

/// Client with cookies, of one instance.
#[derive(Clone, Debug)]
pub struct Person {
    pub account_id: Uuid,
    pub(super) client: Client,
    pub(super) base: String,
    pub(super) cookies: Arc<Mutex<BTreeMap<String, String>>>,
}

impl Person {
    /// Reads `path` as a program.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.asks(Method::GET, path, "application/json")).await
    }

    /// Reads `path` as a browser.
    pub async fn visit(&self, path: &str) -> Answer {
        self.send(self.asks(Method::GET, path, "text/html")).await
    }

    /// Sends a form as a program.
    pub async fn post(&self, path: &str, form: &impl Serialize) -> Answer {
        let request = self.asks(Method::POST, path, "application/json");
        self.send(request.form(form)).await
    }

    /// Sends JSON as a program.
    pub async fn post_json(&self, path: &str, document: &impl Serialize) -> Answer {
        let request = self.asks(Method::POST, path, "application/json");
        self.send(request.json(document)).await
    }

    /// Sends a form as a browser; redirects are not followed.
    pub async fn submit(&self, path: &str, form: &impl Serialize) -> Answer {
        self.send(self.asks(Method::POST, path, "text/html").form(form)).await
    }

    /// Sends a form with `request`; a field may occur more than once.
    pub async fn send_form(&self, request: RequestBuilder, form: &impl Serialize) -> Answer {
        self.send(request.form(form)).await
    }

    /// Deletes as a program.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.asks(Method::DELETE, path, "application/json")).await
    }

    /// Builds a request with this person's cookies, for the test to complete.
    pub fn asks(&self, method: Method, path: &str, accept: &str) -> RequestBuilder {
        let cookies = self.cookies.lock().unwrap();
        let cookies: Vec<String> =
            cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        self.client
            .request(method, format!("{}{path}", self.base))
            .header("accept", accept)
            .header("cookie", cookies.join("; "))
    }

    /// Sends a request, compares its answer with the API reference, and keeps its cookies.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let (client, request) = request.build_split();
        let request = request.unwrap();
        let (method, path) = (request.method().clone(), request.url().path().to_owned());
        let answer = Answer::read(client.execute(request).await.unwrap()).await;
        if let Err(gap) = api_document::compare(&method, &path, &answer) {
            panic!("{gap}\n{}", answer.body);
        }
        let mut cookies = self.cookies.lock().unwrap();
        for set in answer.headers.get_all("set-cookie") {
            let pair = set.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if value.is_empty() {
                cookies.remove(name);
            } else {
                cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        drop(cookies);
        answer
    }

    /// Returns the same person as a client of the address `base`.
    #[must_use]
    pub fn at(&self, base: &str) -> Self {
        Self { base: base.to_owned(), ..self.clone() }
    }

    /// Returns the value of a cookie; `None` if it is not set.
    pub fn cookie(&self, name: &str) -> Option<String> {
        self.cookies.lock().unwrap().get(name).cloned()
    }

    /// Sets a cookie, as a forger would.
    pub fn set_cookie(&self, name: &str, value: &str) {
        self.cookies.lock().unwrap().insert(name.to_owned(), value.to_owned());
    }
}
