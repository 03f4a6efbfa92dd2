//! The OpenAPI document, and the pages that show it to people.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        StatusCode,
        header::Header,
        header::{self, EntityTag, IfNoneMatch},
    },
    web::{self, Data, Path},
};
use askama::Template;
use serde_json::{Map, Value};

use super::{
    ApiReference, ReferenceSource,
    document::operation_id,
    entry::{Entry, FORM},
    groups::GROUPS,
    rows::{Row, rows},
};
use crate::{
    accounts::Visitor,
    app::App,
    text::i18n::Phrase,
    web::{
        error::{Internal, NotFound, PageError, ProblemCode},
        page::View,
        path::{described::AllowedBy, operation::JSON},
    },
};

/// `GET /openapi.json`: the same bytes until another version is served.
pub(crate) async fn download_document(request: HttpRequest) -> Result<HttpResponse, PageError> {
    let reference = reference(&request).await?;
    let etag = EntityTag::new_strong(reference.etag.clone());
    let is_known = match IfNoneMatch::parse(&request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(known)) => known.iter().any(|known| known.weak_eq(&etag)),
        Err(_) => false,
    };
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((header::ETAG, etag)).insert_header((header::CACHE_CONTROL, "no-cache"));
    if is_known {
        return Ok(response.finish());
    }
    Ok(response.content_type(JSON).body(reference.document()))
}

/// Returns the reference. It is made apart from the threads that answer requests, because that takes as
/// long as many of them.
async fn reference(request: &HttpRequest) -> Result<&'static ApiReference, PageError> {
    let source = *request.app_data::<ReferenceSource>().ok_or(Internal)?;
    Ok(web::block(source.0).await.map_err(|_pool_is_gone| Internal)?)
}

/// Group of operations, as the first page lists it.
struct ShownGroup {
    name: &'static str,
    title: Phrase,
    about: &'static str,
    operations: Vec<Listed>,
}

/// Operation, as the first page lists it.
struct Listed {
    id: String,
    method: String,
    path: String,
    summary: &'static str,
}

impl Listed {
    fn of(entry: &Entry) -> Self {
        Self {
            id: operation_id(entry),
            method: entry.method.to_uppercase(),
            path: entry.path.clone(),
            summary: entry.summary,
        }
    }
}

#[derive(Template)]
#[template(path = "api_reference/show.html")]
struct ReferencePage {
    v: View,
    site: String,
    groups: Vec<ShownGroup>,
}

/// `GET /api`
pub(crate) async fn show_reference(
    app: Data<App>,
    visitor: Visitor,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let (v, reference) = (visitor.view, reference(&request).await?);
    let group = |(name, about): &(&'static str, &'static str)| ShownGroup {
        name,
        title: title(&v, name),
        about,
        operations: reference.of_group(name).map(Listed::of).collect(),
    };
    let groups = GROUPS.iter().map(group).collect();
    let page = ReferencePage { site: app.config.site_url().clone(), groups, v };
    Ok(page.v.html(StatusCode::OK, &page))
}

fn title(v: &View, group: &str) -> Phrase {
    v.text(format!("api-group-{group}"))
}

/// Answer with one status.
struct ShownAnswer {
    status: u16,
    media_types: String,
    rows: Vec<Row>,
}

/// Problem of an operation.
struct ShownProblem {
    status: u16,
    code: &'static str,
    title: Phrase,
    /// Names of the members that it adds.
    members: String,
}

/// Operation with all facts about it.
struct ShownOperation {
    listed: Listed,
    access: Vec<Phrase>,
    parameters: Vec<(Row, &'static str)>,
    body: Vec<Row>,
    body_types: String,
    answers: Vec<ShownAnswer>,
    problems: Vec<ShownProblem>,
    example: String,
}

#[derive(Template)]
#[template(path = "api_reference/group.html")]
struct GroupPage {
    v: View,
    title: Phrase,
    about: &'static str,
    operations: Vec<ShownOperation>,
}

/// `GET /api/{group}`
pub(crate) async fn show_group(
    app: Data<App>,
    visitor: Visitor,
    path: Path<String>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let (v, reference) = (visitor.view, reference(&request).await?);
    let (name, about) = GROUPS.iter().find(|(name, _)| *name == *path).ok_or(NotFound)?;
    let site = app.config.site_url().clone();
    let shown = |entry: &Entry| ShownOperation::of(&v, entry, &reference.schemas, &site);
    let operations = reference.of_group(name).map(shown).collect();
    let page = GroupPage { title: title(&v, name), about, operations, v };
    Ok(page.v.html(StatusCode::OK, &page))
}

impl ShownOperation {
    fn of(v: &View, entry: &Entry, schemas: &Map<String, Value>, site: &str) -> Self {
        let answers = entry.successes.iter().map(|(status, answer)| {
            let types: Vec<&str> = answer.contents.keys().copied().collect();
            let document = answer.contents.get(JSON);
            let rows = document.map(|schema| rows(schema, schemas)).unwrap_or_default();
            ShownAnswer { status: *status, media_types: types.join(", "), rows }
        });
        let parameters = entry.parameters.iter().map(|parameter| {
            let place: &'static str = parameter.place.into();
            (Row::of(&parameter.name, &parameter.schema, parameter.is_required, schemas), place)
        });
        let problem = |code: &ProblemCode| ShownProblem {
            status: code.status,
            code: code.code,
            title: v.text(format!("error-{}-title", code.code)),
            members: code.members.join(", "),
        };
        let access = |access: &AllowedBy| match access {
            AllowedBy::Visitor => v.t("api-access-visitor"),
            AllowedBy::Session => v.t("api-access-session"),
            AllowedBy::ApiKey(scope) => v.t("api-access-key").word("scope", scope),
            AllowedBy::RehearsalToken => v.t("api-access-rehearsal"),
        };
        let body = entry.body.as_ref().map(|schema| rows(schema, schemas)).unwrap_or_default();
        Self {
            listed: Listed::of(entry),
            access: entry.access.iter().map(access).collect(),
            parameters: parameters.collect(),
            example: example(entry, &body, site),
            body,
            body_types: entry.body_types.join(", "),
            answers: answers.collect(),
            problems: entry.refusals.values().flatten().map(problem).collect(),
        }
    }
}

/// Returns a command line that sends the request.
fn example(entry: &Entry, body: &[Row], site: &str) -> String {
    let mut words = vec!["curl -H 'Accept: application/json'".to_owned()];
    if entry.access.iter().any(|access| matches!(access, AllowedBy::ApiKey(_))) {
        words.push("-H 'Authorization: Bearer KEY'".to_owned());
    } else if entry.access.contains(&AllowedBy::Session) {
        words.push("-b session.txt".to_owned());
    }
    if entry.method != "get" {
        words.push(format!("-X {}", entry.method.to_uppercase()));
    }
    if entry.body_types.contains(&FORM) {
        let fields = body.iter().filter(|row| row.is_required);
        words.extend(fields.map(|row| format!("--data-urlencode '{}=…'", row.name)));
    }
    words.push(format!("'{}{}'", site.trim_end_matches('/'), entry.path));
    words.join(" \\\n  ")
}
