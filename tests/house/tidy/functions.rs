//! Functions of the database that the program calls, taken apart into their statements: the server
//! keeps a plan of each, like one of the pool's own.

use std::fmt::Write;

use stagedoor::infra::postgres::Connection;

/// A function, as the server keeps it.
struct Function {
    /// Its arguments and variables with their types. Each name begins with `_`, as no column's does.
    variables: Vec<(String, String)>,
    body: String,
}

/// What begins a statement that has a plan.
const PLANNED: [&str; 5] = ["select ", "with ", "insert ", "update ", "delete "];
/// What else stands in such a function.
const UNPLANNED: [&str; 7] =
    ["end", "get diagnostics ", "return", "ended := ", "held := ", "n_uses := ", "number := "];

/// The statements of all functions that are no triggers and build no statement of texts, with a
/// parameter for each argument and variable.
pub(super) async fn statements(tx: &mut Connection) -> Vec<String> {
    let rows: Vec<(Vec<String>, Vec<String>, String)> = sqlx::query_as(
        "select proargnames,
             array(select unnest(coalesce(proallargtypes, proargtypes::oid[]))::regtype::text), prosrc
         from pg_proc
         where pronamespace = 'public'::regnamespace and prorettype <> 'trigger'::regtype
             and prolang = (select oid from pg_language where lanname = 'plpgsql')
             and prosrc !~ '\\mexecute\\M'
         order by proname",
    )
    .fetch_all(tx)
    .await
    .unwrap();
    let functions = rows.into_iter().map(|(names, types, source)| {
        let variables = names.into_iter().zip(types).collect();
        Function::of(variables, &super::plans::one_line(&source))
    });
    functions.flat_map(|function| function.statements()).collect()
}

impl Function {
    fn of(mut variables: Vec<(String, String)>, source: &str) -> Self {
        let (declared, body) = match source.strip_prefix("declare ") {
            Some(rest) => rest.split_once(" begin ").unwrap(),
            None => ("", source.strip_prefix("begin ").unwrap()),
        };
        for variable in declared.split(';').filter(|text| !text.trim().is_empty()) {
            let (name, kind) = variable.trim().split_once(' ').unwrap();
            variables.push((name.to_owned(), kind.to_owned()));
        }
        Self { variables, body: body.to_owned() }
    }

    fn statements(&self) -> Vec<String> {
        let statements = self.body.split(';').map(str::trim).filter(|text| !text.is_empty());
        statements.filter_map(|statement| self.planned(statement)).collect()
    }

    /// What is planned of one statement of the body; none of what only steers the function.
    fn planned(&self, statement: &str) -> Option<String> {
        let statement = statement.strip_prefix("else ").unwrap_or(statement);
        if let Some(("if", rest)) = statement.split_once(' ')
            && let Some((_, first)) = rest.split_once(" then ")
        {
            return self.planned(first);
        }
        if UNPLANNED.iter().any(|word| statement.starts_with(word)) {
            assert!(!statement.contains("select"), "not taken apart: {statement}");
            return None;
        }
        let query = match statement.strip_prefix("perform ") {
            Some(call) => format!("select {call}"),
            None => without_targets(statement).to_owned(),
        };
        assert!(PLANNED.iter().any(|word| query.starts_with(word)), "not taken apart: {query}");
        Some(self.with_parameters(&query))
    }

    fn with_parameters(&self, query: &str) -> String {
        let (mut text, mut named) = (String::new(), Vec::new());
        for part in query.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_') {
            let word = part.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
            let is_variable = word.starts_with('_');
            let Some((_, kind)) =
                self.variables.iter().find(|(name, _)| is_variable && name == word)
            else {
                text.push_str(part);
                continue;
            };
            let nth = named.iter().position(|name| *name == word).unwrap_or_else(|| {
                named.push(word);
                named.len() - 1
            });
            write!(text, "${}::{kind}{}", nth + 1, &part[word.len()..]).unwrap();
        }
        text
    }
}

/// A query without the variables that get its row, which stand last.
fn without_targets(statement: &str) -> &str {
    match statement.rsplit_once(" into ") {
        Some((query, targets)) if query != "insert" && !targets.contains(['(', ')', '=']) => query,
        _ => statement,
    }
}

#[test]
fn a_function_is_taken_apart_into_what_the_server_plans() {
    let arguments =
        vec![("_ids".to_owned(), "uuid[]".to_owned()), ("n".to_owned(), "int".to_owned())];
    let function = Function::of(
        arguments,
        "declare _some uuid[]; begin select array_agg(id) from a where id = any(_ids) into _some; if n \
         <> 1 then return; end if; perform f(_some, _ids); if n = 2 then insert into b select _some, n; \
         else delete from b where id = any(_ids); end if; end",
    );
    let expected = [
        "select array_agg(id) from a where id = any($1::uuid[])",
        "select f($1::uuid[], $2::uuid[])",
        "insert into b select $1::uuid[], n",
        "delete from b where id = any($1::uuid[])",
    ];
    assert_eq!(function.statements(), expected);
}
