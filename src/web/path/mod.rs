//! One row of the URL table: a path and its handlers.
//!
//! An [`operation`] describes one of its methods, with the facts that its handler's types tell by themselves
//! ([`mod@described`]). The [`router`] finds the row of a request, and refuses an address that no row has.

pub mod described;
pub mod operation;
pub mod router;

use actix_web::{
    Error, FromRequest, Handler, Responder, Route,
    body::MessageBody,
    dev::{Payload, ServiceRequest, ServiceResponse},
    http::Method,
    middleware::{Next, from_fn},
    web,
};
use schemars::JsonSchema;
use serde::Deserialize;

use self::{
    described::{Described, Facts},
    operation::Operation,
};
use super::{
    error::{BadRequest, PageError, problems},
    files::upload::Doorkeeper,
    form::Body,
};

/// Path with a handler for each of its methods. Any other method is refused with 405 and the list
/// of allowed ones.
pub struct Path {
    pattern: &'static str,
    group: &'static str,
    methods: Vec<DescribedMethod>,
    routes: Vec<Route>,
    has_long_deadline: bool,
    counts_refusals: bool,
    doorkeeper: Option<Doorkeeper>,
}

impl std::fmt::Debug for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {}", self.methods, self.pattern)
    }
}

/// Method of a path, with what the API reference says about it.
#[derive(Clone, Debug)]
pub struct DescribedMethod {
    /// The method.
    pub method: Method,
    /// Description in the table.
    pub operation: Operation,
    /// Adds what the types of the handler's arguments say.
    pub describe: fn(&mut Facts),
}

/// Pattern of the path that matched a request, in the extensions of that request.
#[derive(Clone, Copy, Debug)]
pub struct RoutePattern(pub &'static str);

/// Begins the row for `pattern`.
pub fn at(pattern: &'static str) -> Path {
    Path {
        pattern,
        group: "",
        methods: Vec::new(),
        routes: Vec::new(),
        has_long_deadline: false,
        counts_refusals: false,
        doorkeeper: None,
    }
}

impl Path {
    /// Returns the pattern, as the route reference shows it.
    pub fn pattern(&self) -> &'static str {
        self.pattern
    }

    /// Returns the names of the pattern's parameters, in their order.
    pub fn parameters(&self) -> impl Iterator<Item = &'static str> {
        let parts = self.pattern.split('{').skip(1);
        parts.filter_map(|part| Some(part.split_once('}')?.0.trim_start_matches('*')))
    }

    /// Returns the allowed methods, without HEAD.
    pub fn methods(&self) -> impl Iterator<Item = &Method> {
        self.methods.iter().map(|described| &described.method)
    }

    /// Returns the allowed methods with their descriptions, without HEAD.
    pub fn described(&self) -> &[DescribedMethod] {
        &self.methods
    }

    /// Returns the group of the API reference that the path belongs to.
    pub fn group(&self) -> &'static str {
        self.group
    }

    /// Sets the group of the API reference.
    #[must_use]
    pub fn in_group(mut self, group: &'static str) -> Self {
        self.group = group;
        self
    }

    /// Whether the path accepts a file.
    pub fn accepts_file(&self) -> bool {
        self.doorkeeper.is_some()
    }

    /// Adds a handler for GET, and for HEAD without the body.
    #[must_use]
    pub fn get<F, Args>(self, handler: F, operation: Operation) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + Described + 'static,
        F::Output: Responder + 'static,
    {
        self.on(described::<Args>(Method::GET, operation), web::route().to(handler))
    }

    /// Adds a handler for POST.
    #[must_use]
    pub fn post<F, Args>(self, handler: F, operation: Operation) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + Described + 'static,
        F::Output: Responder + 'static,
    {
        self.on(described::<Args>(Method::POST, operation), web::route().to(handler))
    }

    /// Adds a handler for DELETE.
    #[must_use]
    pub fn delete<F, Args>(self, handler: F, operation: Operation) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + Described + 'static,
        F::Output: Responder + 'static,
    {
        self.on(described::<Args>(Method::DELETE, operation), web::route().to(handler))
    }

    /// Sets the longer deadline for changes that wait for the password gate, or write very many rows.
    #[must_use]
    pub fn with_long_deadline(mut self) -> Self {
        self.has_long_deadline = true;
        self
    }

    /// Counts the refusals of changes by their code ([`refusals`](super::refusals)).
    #[must_use]
    pub fn with_counted_refusals(mut self) -> Self {
        self.counts_refusals = true;
        self
    }

    /// Accepts a file from accounts that `doorkeeper` admits; the body of any other request is not
    /// read.
    #[must_use]
    pub fn uploads(mut self, doorkeeper: Doorkeeper) -> Self {
        self.doorkeeper = Some(doorkeeper);
        self
    }

    fn on(mut self, method: DescribedMethod, route: Route) -> Self {
        let is_without_body = !method.method.is_safe() && !method.facts().reads_body();
        self.methods.push(method);
        self.routes.push(match is_without_body {
            true => route.wrap(from_fn(refuse_fields)),
            false => route,
        });
        self
    }
}

impl DescribedMethod {
    /// Returns the facts from the handler's arguments.
    pub fn facts(&self) -> Facts {
        let mut facts = Facts::new(!self.method.is_safe());
        (self.describe)(&mut facts);
        facts
    }
}

fn described<Args: Described>(method: Method, operation: Operation) -> DescribedMethod {
    DescribedMethod { method, operation, describe: Args::describe }
}

/// Body of a route that takes none.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct NoFields {}

/// Refuses a body with fields, for a handler that reads none. A JSON document without a value says as little as
/// no body at all.
async fn refuse_fields(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let Ok(bytes) = request.extract::<web::Bytes>().await else {
        return Ok(request.error_response(PageError::from(BadRequest)).map_into_right_body());
    };
    if !matches!(bytes.trim_ascii(), b"" | b"null") {
        request.set_payload(Payload::from(bytes));
        if let Err(refused) = request.extract::<Body<NoFields>>().await {
            return Ok(request.error_response(refused).map_into_right_body());
        }
    }
    Ok(next.call(request).await?.map_into_left_body())
}

problems! {
    /// Refusal of a path.
    pub enum PathError {
        /// The path has no such method.
        MethodNotAllowed { allowed: String } = 405 "method-not-allowed".header("allow", allowed),
    }
}
