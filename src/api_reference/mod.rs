//! The API reference: the OpenAPI 3.1 document of every path, and the pages that show it to people.
//!
//! Nouns: an **operation** is one method of a path, as its row in the URL table describes it; its **facts**
//! follow from the types of the handler's arguments; an **entry** is both together. A **group** is what OpenAPI
//! calls a tag: some paths that belong together.
//!
//! # Invariants
//!
//! - A row without a description does not compile, nor does a handler with an argument that is not
//!   [`Described`](crate::web::path::described::Described).
//! - Schemas are made from the types that are serialized and deserialized.
//! - The document is made once in the life of a process, when it is first asked for.

mod document;
mod entry;
mod groups;
pub(crate) mod pages;
mod rows;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use self::entry::Entry;
use crate::web::{
    error::codes,
    path::{Path, PathError},
};

/// The API reference of a process.
#[derive(Debug)]
pub struct ApiReference {
    entries: Vec<Entry>,
    /// Named schemas, by name.
    schemas: Map<String, Value>,
    document: Vec<u8>,
    etag: String,
}

/// Where the handlers find the reference, which is made from the URL table that holds them.
#[derive(Clone, Copy, Debug)]
pub struct ReferenceSource(pub fn() -> &'static ApiReference);

impl ApiReference {
    /// Builds the reference of all `paths`.
    pub fn of(paths: &[Path]) -> Self {
        let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        let mut generator = settings.into_generator();
        let mut entries = Vec::new();
        for path in paths {
            for described in path.described() {
                entries.push(Entry::of(path, described, &mut generator));
            }
        }
        let refusals = entries.iter().flat_map(|entry| entry.refusals.values().flatten());
        // Every path answers a method that it does not have.
        let codes = refusals.chain(codes![PathError::MethodNotAllowed]).copied().collect();
        let schemas = document::schemas(&codes, generator);
        let document = document::document(&entries, &schemas).to_string().into_bytes();
        let etag = hex::encode(Sha256::digest(&document));
        Self { entries, schemas, document, etag }
    }

    /// Lists the operations of a group.
    fn of_group(&self, group: &str) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.group == group)
    }

    /// Returns the OpenAPI document as JSON text.
    pub fn document(&self) -> &[u8] {
        &self.document
    }
}
