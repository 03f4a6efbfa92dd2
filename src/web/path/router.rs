//! Finds the row of the URL table that a request asks for, in one walk along its path.
//!
//! Actix matches the expressions of two hundred rows one after another, and compiles them anew for each worker. So
//! the table is what its `App` does by default.

use std::future::ready;

use actix_web::{
    Error, HttpMessage as _, Route,
    dev::{Service, ServiceFactory, ServiceRequest, ServiceResponse, always_ready},
    http::Method,
    middleware::from_fn,
};
use futures_util::future::{FutureExt as _, LocalBoxFuture};

use super::{Path, PathError, RoutePattern};
use crate::web::{
    error::{NotFound, PageError},
    middleware::deadline::{self, DeadlineTerms},
    refusals::RefusalCount,
};

/// Service of a row's method.
type Handling = <Route as ServiceFactory<ServiceRequest>>::Service;

/// Rows of the URL table, of which each worker makes its [`Routing`].
#[derive(Debug)]
pub struct Router {
    paths: Vec<Path>,
}

impl Router {
    /// Creates a router of `paths`, none of which is another one.
    pub fn new(paths: Vec<Path>) -> Self {
        Self { paths: paths.into_iter().map(Path::with_deadlines).collect() }
    }
}

impl ServiceFactory<ServiceRequest> for Router {
    type Response = ServiceResponse;
    type Error = Error;
    type Config = ();
    type Service = Routing;
    type InitError = ();
    type Future = LocalBoxFuture<'static, Result<Routing, ()>>;

    fn new_service(&self, (): ()) -> Self::Future {
        let rows = self.paths.iter().map(|path| {
            let methods: Vec<_> = path.methods().cloned().collect();
            let services: Vec<_> = path.routes.iter().map(|route| route.new_service(())).collect();
            (path.pattern, path.parameters().collect(), path.counts_refusals, methods, services)
        });
        let rows: Vec<_> = rows.collect();
        async move {
            let mut table = matchit::Router::new();
            for (pattern, parameters, counts_refusals, methods, services) in rows {
                let mut row = Row { pattern, parameters, counts_refusals, methods: Vec::new() };
                for (method, service) in methods.into_iter().zip(services) {
                    row.methods.push((method, service.await?));
                }
                table
                    .insert(pattern, row)
                    .map_err(|cause| tracing::error!("{pattern}: {cause}"))?;
            }
            Ok(Routing { table })
        }
        .boxed_local()
    }
}

/// Router of one worker.
#[expect(missing_debug_implementations, reason = "services of actix have none")]
pub struct Routing {
    table: matchit::Router<Row>,
}

/// Row with the services of its methods.
struct Row {
    pattern: &'static str,
    /// Names of the parameters, in their order.
    parameters: Vec<&'static str>,
    counts_refusals: bool,
    methods: Vec<(Method, Handling)>,
}

impl Row {
    /// Returns the service for `method`; that of GET answers HEAD.
    fn service(&self, method: &Method) -> Option<&Handling> {
        let method = if method == Method::HEAD { &Method::GET } else { method };
        self.methods.iter().find_map(|(own, service)| (own == method).then_some(service))
    }

    fn refusal(&self) -> PageError {
        let allowed: Vec<&str> = self.methods.iter().map(|(method, _)| method.as_str()).collect();
        PathError::MethodNotAllowed { allowed: allowed.join(", ") }.into()
    }
}

impl Service<ServiceRequest> for Routing {
    type Response = ServiceResponse;
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<ServiceResponse, Error>>;

    always_ready!();

    fn call(&self, mut request: ServiceRequest) -> Self::Future {
        let refuse = |request: ServiceRequest, refusal: PageError| {
            ready(Ok(request.error_response(refusal))).boxed_local()
        };
        let Ok(found) = self.table.at(request.match_info().as_str()) else {
            return refuse(request, NotFound.into());
        };
        let row = found.value;
        let values: Vec<String> = found.params.iter().map(|(_, value)| value.to_owned()).collect();
        for (name, value) in row.parameters.iter().zip(values) {
            request.match_info_mut().add_static(*name, value);
        }
        request.extensions_mut().insert(RoutePattern(row.pattern));
        if row.counts_refusals && !request.method().is_safe() {
            let counted = RefusalCount::of(&request);
            counted.and_then(|counted| request.extensions_mut().insert(counted));
        }
        match row.service(request.method()) {
            Some(service) => service.call(request),
            None => refuse(request, row.refusal()),
        }
    }
}

impl Path {
    /// Returns the path with a deadline around each of its handlers.
    fn with_deadlines(mut self) -> Self {
        let (pattern, doorkeeper) = (self.pattern, self.doorkeeper);
        let change_max =
            if self.has_long_deadline { deadline::LONG_CHANGE_MAX } else { deadline::CHANGE_MAX };
        let wrap = |route: Route| {
            route.wrap(from_fn(move |request, next| {
                tracing::Span::current().record("route", pattern);
                deadline::answer_in_time(request, next, DeadlineTerms { change_max, doorkeeper })
            }))
        };
        self.routes = self.routes.into_iter().map(wrap).collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use actix_web::{
        App, HttpRequest, HttpResponse,
        http::StatusCode,
        test::{TestRequest, call_service, init_service, read_body},
    };

    use super::*;
    use crate::web::path::{at, operation};

    /// Names the row that a request found, and what it has for the row's parameters.
    async fn show_row(request: HttpRequest) -> HttpResponse {
        let extensions = request.extensions();
        let RoutePattern(pattern) = extensions.get().unwrap();
        let values = request.match_info().iter().map(|(name, value)| format!(" {name}={value}"));
        HttpResponse::Ok().body(values.fold((*pattern).to_owned(), |text, value| text + &value))
    }

    fn rows(patterns: &[&'static str]) -> Router {
        let row = |pattern: &&'static str| at(pattern).get(show_row, operation::page("A row."));
        Router::new(patterns.iter().map(row).collect())
    }

    #[actix_web::test]
    async fn a_path_finds_its_row_wherever_that_stands() {
        let patterns = ["/", "/a/{x}", "/a/{x}.pdf", "/a/b", "/a/{x}/c/{*rest}", "/a/{y}/{z}.png"];
        let cases = [
            ("/", "/"),
            ("/?a=b", "/"),
            ("/a/b", "/a/b"),
            ("/a/bc", "/a/{x} x=bc"),
            ("/a/b.pdf", "/a/{x}.pdf x=b"),
            ("/a/b.txt", "/a/{x} x=b.txt"),
            ("/a/.pdf", "/a/{x} x=.pdf"),
            ("/a/%EA%B0%80%2Fb", "/a/{x} x=가%2Fb"),
            ("/a/b/c/d/e.png", "/a/{x}/c/{*rest} x=b rest=d/e.png"),
            ("/a/b/c.png", "/a/{y}/{z}.png y=b z=c"),
            ("/a", "404"),
            ("/a/", "404"),
            ("/a/b/", "404"),
            ("/a//c/d", "404"),
            ("/a/b/c", "404"),
            ("/A/b", "404"),
            ("//", "404"),
        ];
        for reversed in [false, true] {
            let mut patterns = patterns;
            if reversed {
                patterns.reverse();
            }
            let service = init_service(App::new().default_service(rows(&patterns))).await;
            for (path, expected) in cases {
                let answer =
                    call_service(&service, TestRequest::get().uri(path).to_request()).await;
                let found = match answer.status() {
                    StatusCode::OK => String::from_utf8(read_body(answer).await.to_vec()).unwrap(),
                    status => status.as_str().to_owned(),
                };
                assert_eq!(found, expected, "{path} of {patterns:?}");
            }
        }
    }

    #[actix_web::test]
    async fn a_second_row_with_the_same_path_is_none() {
        assert!(rows(&["/a/{x}", "/a/b"]).new_service(()).await.is_ok());
        assert!(rows(&["/a/{x}", "/a/{y}"]).new_service(()).await.is_err());
    }
}
