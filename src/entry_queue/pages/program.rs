//! Program that a page of the queue is about.

use std::sync::Arc;

use actix_web::{
    Error, FromRequest, HttpRequest,
    dev::Payload,
    web::{Data, Path},
};
use futures_util::future::LocalBoxFuture;
use serde::Deserialize;

use crate::{
    app::App,
    catalog::{Program, Programs},
    web::{
        error::{Internal, NotFound, PageError},
        path::described::{Described, Facts},
    },
};

/// Program whose slug is in the path, and the client, which is checked before the program is looked up. A body
/// is read with the client, so that its mistakes come before a program that does not exist.
#[derive(Debug)]
pub struct AtProgram<A> {
    /// Program of the path.
    pub program: Arc<Program>,
    /// Client, as `A` extracts it; `()` for a page that is the same for all.
    pub me: A,
}

#[derive(Deserialize)]
struct ProgramPath {
    slug: String,
}

impl<A: FromRequest + 'static> FromRequest for AtProgram<A> {
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<Self, Error>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (me, path) = (
            A::from_request(request, payload),
            Path::<ProgramPath>::from_request(request, payload),
        );
        let request = request.clone();
        Box::pin(async move {
            let (me, path) = (me.await.map_err(Into::<Error>::into)?, path.await?);
            Ok(Self { program: find(&request, &path.slug).await?, me })
        })
    }
}

impl<A: Described> Described for AtProgram<A> {
    fn describe(facts: &mut Facts) {
        Path::<String>::describe(facts);
        A::describe(facts);
    }
}

/// Returns the program with `slug`, or the refusal that there is none.
async fn find(request: &HttpRequest, slug: &str) -> Result<Arc<Program>, PageError> {
    let app = request.app_data::<Data<App>>().ok_or(Internal)?;
    let programs = request.app_data::<Data<Programs>>().ok_or(Internal)?;
    Ok(programs.find(app, slug).await?.ok_or(NotFound)?)
}
