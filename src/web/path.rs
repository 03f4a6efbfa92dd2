//! One line of the URL table: a path and what it answers to.

use actix_web::{
    FromRequest, Handler, HttpResponse, Responder, Route,
    dev::{AppService, HttpServiceFactory},
    guard,
    http::{Method, StatusCode, header},
    middleware::from_fn,
    web,
};

use super::{
    deadline::{self, DeadlineTerms},
    error::{HttpError, PageError},
    upload::Doorkeeper,
};

/// A path with a handler for each method it knows. Any other method is refused with
/// 405 and the list of those that are known.
pub struct Path {
    pattern: &'static str,
    methods: Vec<Method>,
    routes: Vec<Route>,
    is_patient: bool,
    doorkeeper: Option<Doorkeeper>,
}

impl std::fmt::Debug for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {}", self.methods, self.pattern)
    }
}

/// The pattern of the path that a request was for: app data of every request that came to
/// one. Asking actix for it would match every path of the table once more.
#[derive(Clone, Copy, Debug)]
pub struct RoutePattern(pub &'static str);

/// Begins the line for `pattern`.
pub fn at(pattern: &'static str) -> Path {
    Path { pattern, methods: Vec::new(), routes: Vec::new(), is_patient: false, doorkeeper: None }
}

impl Path {
    /// The pattern, as the route reference shows it.
    pub fn pattern(&self) -> &'static str {
        self.pattern
    }

    /// The methods it knows, HEAD left out.
    pub fn methods(&self) -> &[Method] {
        &self.methods
    }

    /// Answers GET, and HEAD without the body.
    #[must_use]
    pub fn get<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        let reads = guard::Any(guard::Get()).or(guard::Head());
        self.on(Method::GET, web::route().guard(reads).to(handler))
    }

    /// Answers POST.
    #[must_use]
    pub fn post<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.on(Method::POST, web::post().to(handler))
    }

    /// Answers DELETE.
    #[must_use]
    pub fn delete<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.on(Method::DELETE, web::delete().to(handler))
    }

    /// Lets a change take as long as a crowd at the password gate does.
    #[must_use]
    pub fn patient(mut self) -> Self {
        self.is_patient = true;
        self
    }

    /// Takes a file from whomever `doorkeeper` knows, and reads nothing of anybody else.
    #[must_use]
    pub fn uploads(mut self, doorkeeper: Doorkeeper) -> Self {
        self.doorkeeper = Some(doorkeeper);
        self
    }

    fn on(mut self, method: Method, route: Route) -> Self {
        self.methods.push(method);
        self.routes.push(route);
        self
    }
}

impl HttpServiceFactory for Path {
    fn register(self, config: &mut AppService) {
        let allowed: Vec<&str> = self.methods.iter().map(Method::as_str).collect();
        let allowed = allowed.join(", ");
        let refuse = move || {
            let refusal = MethodNotAllowed { allowed: allowed.clone() };
            async move { Err::<HttpResponse, _>(PageError::from(refusal)) }
        };
        let change_max =
            if self.is_patient { deadline::PATIENT_CHANGE_MAX } else { deadline::CHANGE_MAX };
        let terms = DeadlineTerms { change_max, doorkeeper: self.doorkeeper };
        let pattern = self.pattern;
        let resource = web::resource(pattern)
            .app_data(RoutePattern(pattern))
            .wrap(from_fn(move |request, next| {
                tracing::Span::current().record("route", pattern);
                deadline::answer_in_time(request, next, terms)
            }))
            .default_service(web::route().to(refuse));
        self.routes.into_iter().fold(resource, actix_web::Resource::route).register(config);
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the method is not one of {allowed}")]
struct MethodNotAllowed {
    allowed: String,
}

impl HttpError for MethodNotAllowed {
    fn status(&self) -> StatusCode {
        StatusCode::METHOD_NOT_ALLOWED
    }

    fn code(&self) -> &'static str {
        "method-not-allowed"
    }

    fn headers(&self) -> Vec<(header::HeaderName, String)> {
        vec![(header::ALLOW, self.allowed.clone())]
    }
}
