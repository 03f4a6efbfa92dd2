//! Facts about an operation from the types of its handler's arguments: parameters, the body, who may use
//! it, and the refusals that come with each.

use std::collections::BTreeSet;

use actix_web::{HttpRequest, web};
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};

use crate::web::{
    error::{KitError, ProblemCode, codes},
    form::{Body, FieldsError, file::FileBody},
    page::View,
};

/// Argument of a handler that is described in the API reference.
pub trait Described {
    /// Adds the facts of the argument to `facts`.
    fn describe(facts: &mut Facts);
}

/// Right that an operation needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AllowedBy {
    /// No session is needed; with one, more is shown.
    Visitor,
    /// An account that is signed in.
    Session,
    /// API key with the scope of this name, instead of a session.
    ApiKey(&'static str),
    /// Token of the deployment for rehearsals.
    RehearsalToken,
}

/// Facts from the arguments of one handler.
#[derive(Debug)]
pub struct Facts {
    /// Whether the operation changes something.
    pub is_change: bool,
    /// What allows the operation.
    pub access: BTreeSet<AllowedBy>,
    /// Schema of the parts of the path.
    pub path: Option<Schema>,
    /// Schema of the query.
    pub query: Option<Schema>,
    /// Schema of the body.
    pub body: Option<Schema>,
    /// Whether the body is any bytes.
    pub has_raw_body: bool,
    /// Whether the body is a form with a file, and nothing else.
    pub is_multipart: bool,
    /// Headers, each with its description.
    pub headers: Vec<(&'static str, &'static str)>,
    /// Refusals that follow from the arguments.
    pub refusals: BTreeSet<ProblemCode>,
    generator: SchemaGenerator,
}

impl Facts {
    /// Returns the facts of an operation whose arguments say nothing.
    pub fn new(is_change: bool) -> Self {
        let settings = SchemaSettings::draft2020_12().for_deserialize();
        let settings = settings.with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        });
        let mut facts = Self {
            is_change,
            access: BTreeSet::new(),
            path: None,
            query: None,
            body: None,
            has_raw_body: false,
            is_multipart: false,
            headers: Vec::new(),
            refusals: BTreeSet::new(),
            generator: settings.into_generator(),
        };
        facts.refuses(codes![KitError::{Internal, Unavailable, BadRequest, UnsupportedMediaType}]);
        if is_change {
            facts.refuses(
                codes![KitError::{CrossSite, TooLarge, RequestTimeout, SetBack}, FieldsError::Invalid],
            );
        }
        facts
    }

    /// Sets the body, which has only the fields of `T`.
    fn has_body<T: JsonSchema>(&mut self) {
        let mut schema = self.generator.subschema_for::<T>();
        schema.insert("additionalProperties".to_owned(), false.into());
        self.body = Some(schema);
    }

    /// Whether a handler reads a body.
    pub(crate) fn reads_body(&self) -> bool {
        self.body.is_some() || self.has_raw_body
    }

    /// Adds rows of errors.
    pub fn refuses(&mut self, rows: &'static [ProblemCode]) {
        self.refusals.extend(rows);
    }

    /// Adds a way to be allowed.
    pub fn admits(&mut self, access: AllowedBy) {
        self.access.insert(access);
    }

    /// Adds a header that is read.
    pub(crate) fn reads_header(&mut self, name: &'static str, description: &'static str) {
        self.headers.push((name, description));
    }
}

impl<T: 'static> Described for web::Data<T> {
    fn describe(_: &mut Facts) {}
}

impl Described for HttpRequest {
    fn describe(_: &mut Facts) {}
}

impl Described for View {
    fn describe(_: &mut Facts) {}
}

impl Described for web::Bytes {
    fn describe(facts: &mut Facts) {
        facts.has_raw_body = true;
    }
}

impl<T: JsonSchema> Described for web::Path<T> {
    fn describe(facts: &mut Facts) {
        facts.path = Some(facts.generator.subschema_for::<T>());
        facts.refuses(codes![KitError::NotFound]);
    }
}

impl<T: JsonSchema> Described for web::Query<T> {
    fn describe(facts: &mut Facts) {
        facts.query = Some(facts.generator.subschema_for::<T>());
        facts.refuses(codes![FieldsError::Invalid]);
    }
}

impl<T: JsonSchema> Described for Body<T> {
    fn describe(facts: &mut Facts) {
        facts.has_body::<T>();
    }
}

impl Described for FileBody {
    fn describe(facts: &mut Facts) {
        facts.has_body::<Self>();
        facts.is_multipart = true;
    }
}

impl<T: Described> Described for Option<T> {
    fn describe(facts: &mut Facts) {
        let refusals = facts.refusals.clone();
        T::describe(facts);
        facts.admits(AllowedBy::Visitor);
        facts.refusals = refusals;
    }
}

macro_rules! describe_arguments {
    ($($argument:ident)*) => {
        impl<$($argument: Described),*> Described for ($($argument,)*) {
            fn describe(_facts: &mut Facts) {
                $($argument::describe(_facts);)*
            }
        }
    };
}

describe_arguments!();
describe_arguments!(A);
describe_arguments!(A B);
describe_arguments!(A B C);
describe_arguments!(A B C D);
describe_arguments!(A B C D E);
describe_arguments!(A B C D E F);
describe_arguments!(A B C D E F G);
describe_arguments!(A B C D E F G H);
