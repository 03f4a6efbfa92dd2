//! Description of one method of a path in the URL table.

use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::web::error::ProblemCode;

/// Makes the schema of one type with a generator that keeps its named parts.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// Media types of the answers that are not JSON.
pub const HTML: &str = "text/html";
/// Media type of documents for programs.
pub const JSON: &str = "application/json";

/// Successful answer of an operation, in one media type.
#[derive(Clone, Copy, Debug)]
pub struct Success {
    /// HTTP status.
    pub status: u16,
    /// Media type; `None` for an answer without a body.
    pub media_type: Option<&'static str>,
    /// Schema of a JSON document; `None` for any other media type.
    pub schema: Option<SchemaOf>,
}

/// Description of one operation: a method of a path. Parameters, the body and the answers that every operation
/// of its kind may give are not part of it: they are read from the handler's arguments.
#[derive(Clone, Debug)]
pub struct Operation {
    /// What the operation does, in a few words.
    pub summary: &'static str,
    /// Its successful answers.
    pub successes: Vec<Success>,
    /// Refusals of its own.
    pub refusals: Vec<ProblemCode>,
}

/// Describes an answer that is a page for people in every format.
pub fn page(summary: &'static str) -> Operation {
    Operation::new(summary).with(200, Some(HTML), None)
}

/// Describes a read: a page, or `T` as JSON.
pub fn shows<T: JsonSchema>(summary: &'static str) -> Operation {
    page(summary).answers::<T>(200)
}

/// Describes a read that is `T` as JSON in every format.
pub fn gives<T: JsonSchema>(summary: &'static str) -> Operation {
    Operation::new(summary).answers::<T>(200)
}

/// Describes a file of `media_type`.
pub fn file(summary: &'static str, media_type: &'static str) -> Operation {
    Operation::new(summary).with(200, Some(media_type), None)
}

/// Describes a change that makes something: `T` as JSON with 201, or a redirect.
pub fn creates<T: JsonSchema>(summary: &'static str) -> Operation {
    redirects(summary).answers::<T>(201)
}

/// Describes a change that makes something and answers `T` as JSON with 201 in every format.
pub fn makes<T: JsonSchema>(summary: &'static str) -> Operation {
    Operation::new(summary).answers::<T>(201)
}

/// Describes a change of what exists: `T` as JSON with 200, or a redirect.
pub fn changes<T: JsonSchema>(summary: &'static str) -> Operation {
    redirects(summary).answers::<T>(200)
}

/// Describes a change that is started and ends later: `T` as JSON with 202, or a redirect.
pub fn begins<T: JsonSchema>(summary: &'static str) -> Operation {
    redirects(summary).answers::<T>(202)
}

/// Describes a change without a document in its answer: 204, or a redirect.
pub fn ends(summary: &'static str) -> Operation {
    redirects(summary).with(204, None, None)
}

/// Describes an operation that answers with a redirect in every format.
pub fn redirects(summary: &'static str) -> Operation {
    Operation::new(summary).or_redirects()
}

impl Operation {
    fn new(summary: &'static str) -> Self {
        Self { summary, successes: Vec::new(), refusals: Vec::new() }
    }

    fn with(
        mut self,
        status: u16,
        media_type: Option<&'static str>,
        schema: Option<SchemaOf>,
    ) -> Self {
        self.successes.push(Success { status, media_type, schema });
        self
    }

    /// Adds an answer with `T` as JSON.
    #[must_use]
    pub fn answers<T: JsonSchema>(self, status: u16) -> Self {
        self.with(status, Some(JSON), Some(SchemaGenerator::subschema_for::<T>))
    }

    /// Adds a page as an answer with `status`.
    #[must_use]
    pub fn or_page(self, status: u16) -> Self {
        self.with(status, Some(HTML), None)
    }

    /// Adds an answer in another media type.
    #[must_use]
    pub fn or_file(self, media_type: &'static str) -> Self {
        self.with(200, Some(media_type), None)
    }

    /// Adds a redirect.
    #[must_use]
    pub fn or_redirects(self) -> Self {
        self.with(303, None, None)
    }

    /// Adds an answer with `status` and without a body.
    #[must_use]
    pub fn or_nothing(self, status: u16) -> Self {
        self.with(status, None, None)
    }

    /// Adds rows of the features' errors. Refusals that come with an argument are added by its type.
    #[must_use]
    pub fn refuses(mut self, rows: &'static [ProblemCode]) -> Self {
        self.refusals.extend(rows);
        self
    }
}
