//! No circle of files: none uses, by way of others, itself.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::{
    expect_none,
    source::{Source, below},
};

/// What one file defines and names.
#[derive(Default)]
struct File {
    items: BTreeSet<String>,
    imports: Vec<Import>,
    /// Paths in its code, such as `store::find`.
    paths: BTreeSet<Vec<String>>,
    /// Every word of its code beside its imports.
    words: BTreeSet<String>,
}

/// A name that a `use` brings into a file.
struct Import {
    name: String,
    path: Vec<String>,
    /// Whether it is for others, too: a re-export is a use only where the file says the name.
    is_public: bool,
}

/// The files of the library by the modules they are, such as `crate::wallet::store`.
struct Files(BTreeMap<String, File>);

impl Files {
    fn of(sources: &[Source]) -> Self {
        let is_library = |source: &&Source| source.path != "src/main.rs";
        let files = sources.iter().filter(is_library);
        Self(files.map(|source| (module_of(source), read(&source.text))).collect())
    }

    /// The module that defines what `path` says in `module`; `None` for a module itself and for
    /// what another crate defines.
    fn definer(&self, module: &str, path: &[String]) -> Option<String> {
        let (head, rest) = path.split_first()?;
        match head.as_str() {
            "crate" => self.inside("crate", rest),
            "self" => self.inside(module, rest),
            "super" => self.inside(parent(module), rest),
            _ => match self.child(module, head) {
                Some(child) => self.inside(&child, rest),
                None => self.named(module, head, rest, None),
            },
        }
    }

    /// The same for a path that begins in `module`.
    fn inside(&self, module: &str, path: &[String]) -> Option<String> {
        let (head, rest) = path.split_first()?;
        if head == "super" {
            return self.inside(parent(module), rest);
        }
        match self.child(module, head) {
            Some(child) => self.inside(&child, rest),
            // What a macro made stands nowhere by its name.
            None => self.named(module, head, rest, Some(module)),
        }
    }

    /// The same for a name that `module` defines or imports; `otherwise` if it does neither.
    fn named(
        &self,
        module: &str,
        head: &str,
        rest: &[String],
        otherwise: Option<&str>,
    ) -> Option<String> {
        let file = &self.0[module];
        if file.items.contains(head) {
            return Some(module.to_owned());
        }
        let is_it = |import: &&Import| import.name == head && import.path.len() > 1;
        match file.imports.iter().find(is_it) {
            Some(import) => self.definer(module, &[import.path.as_slice(), rest].concat()),
            None => otherwise.map(str::to_owned),
        }
    }

    fn child(&self, module: &str, name: &str) -> Option<String> {
        Some(format!("{module}::{name}")).filter(|child| self.0.contains_key(child))
    }

    /// The modules whose items each module uses.
    fn uses(&self) -> BTreeMap<&str, BTreeSet<String>> {
        let of = |(module, file): (&String, &File)| {
            let imports = file.imports.iter();
            let used = imports.filter(|one| !one.is_public || file.words.contains(&one.name));
            let paths = used.map(|import| &import.path).chain(&file.paths);
            let definers = paths.filter_map(|path| self.definer(module, path));
            definers.filter(|definer| definer != module).collect()
        };
        self.0.iter().map(|file| (file.0.as_str(), of(file))).collect()
    }

    /// The shortest way from each module back to itself, each circle once.
    fn circles(&self) -> BTreeSet<Vec<String>> {
        let uses = self.uses();
        let ways = self.0.keys().filter_map(|module| circle(&uses, module));
        let from_lowest = ways.map(|mut way| {
            let lowest = way.iter().enumerate().min_by_key(|(_, module)| *module);
            let lowest = lowest.map_or(0, |(idx, _)| idx);
            way.rotate_left(lowest);
            way
        });
        from_lowest.collect()
    }
}

fn circle(uses: &BTreeMap<&str, BTreeSet<String>>, start: &str) -> Option<Vec<String>> {
    let mut ways = vec![vec![start.to_owned()]];
    let mut seen = BTreeSet::new();
    let mut next = 0;
    while let Some(way) = ways.get(next).cloned() {
        for used in &uses[way.last()?.as_str()] {
            if used == start {
                return Some(way);
            }
            if seen.insert(used) {
                ways.push([way.as_slice(), std::slice::from_ref(used)].concat());
            }
        }
        next += 1;
    }
    None
}

/// `crate::wallet` of `src/wallet/mod.rs`, `crate` of `src/lib.rs`.
fn module_of(source: &Source) -> String {
    let path = source.path.trim_end_matches(".rs").trim_end_matches("/mod").replace('/', "::");
    path.replacen("src", "crate", 1).trim_end_matches("::lib").to_owned()
}

fn parent(module: &str) -> &str {
    module.rsplit_once("::").map_or(module, |(parent, _)| parent)
}

fn read(text: &str) -> File {
    const ITEMS: [&str; 8] =
        ["fn", "struct", "enum", "const", "static", "type", "trait", "macro_rules"];
    let mut words = Vec::new();
    flatten(text.parse().unwrap(), &mut words);
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let (mut file, mut depth, mut at) = (File::default(), 0, 0);
    while at < words.len() {
        let begin = at;
        at += 1;
        match word(begin) {
            "{" => depth += 1,
            "}" => depth -= 1,
            // `use<'a>` of a type imports nothing.
            "use" if word(at) != "<" => {
                let before = |n: usize| begin.checked_sub(n).map_or("", word);
                let is_public = before(1) == "pub" || before(1) == "}" && before(4) == "pub";
                at = import(&words, at, &[], is_public, &mut file.imports);
            }
            item if depth == 0 && ITEMS.contains(&item) => {
                file.items.insert(word(at + usize::from(word(at) == "!")).to_owned());
            }
            name if is_name(name) && !["$", ".", "::"].contains(&word(begin.wrapping_sub(1))) => {
                file.words.insert(name.to_owned());
                let mut path = vec![name.to_owned()];
                while word(at) == "::" && is_name(word(at + 1)) {
                    path.push(word(at + 1).to_owned());
                    at += 2;
                }
                // A type in front was imported, or is of this file.
                if path.len() > 1 && name.starts_with(char::is_lowercase) {
                    file.paths.insert(path);
                }
            }
            _ => {}
        }
    }
    file
}

/// Reads the part of a `use` at `at`, and returns where the next word stands.
fn import(
    words: &[String],
    mut at: usize,
    prefix: &[String],
    is_public: bool,
    imports: &mut Vec<Import>,
) -> usize {
    let mut path = prefix.to_vec();
    while words[at] != "{" {
        path.push(words[at].clone());
        at += 1;
        if words[at] != "::" {
            if path.len() > 1 && words[at - 1] == "self" {
                path.pop();
            }
            let name = path[path.len() - 1].clone();
            let is_renamed = words[at] == "as";
            let name = if is_renamed { words[at + 1].clone() } else { name };
            imports.push(Import { name, path, is_public });
            return at + if is_renamed { 2 } else { 0 };
        }
        at += 1;
    }
    while words[at] != "}" {
        at = import(words, at + 1, &path, is_public, imports);
        if words[at] == "," && words[at + 1] == "}" {
            at += 1;
        }
    }
    at + 1
}

fn is_name(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

/// The words and signs of a text without comments, literals and unit tests; every bracket is a
/// brace.
fn flatten(tokens: TokenStream, words: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let is_tests = group.delimiter() == Delimiter::Brace
                    && words.ends_with(&["mod".to_owned(), "tests".to_owned()]);
                words.push("{".to_owned());
                if !is_tests {
                    flatten(group.stream(), words);
                }
                words.push("}".to_owned());
            }
            TokenTree::Punct(sign)
                if sign.as_char() == ':' && words.ends_with(&[":".to_owned()]) =>
            {
                words.pop();
                words.push("::".to_owned());
            }
            TokenTree::Literal(_) => words.push("0".to_owned()),
            other => words.push(other.to_string()),
        }
    }
}

fn chains(files: &Files) -> Vec<String> {
    files.circles().iter().map(|way| format!("{} -> {}", way.join(" -> "), way[0])).collect()
}

#[test]
fn no_file_uses_itself_by_way_of_others() {
    let files = Files::of(&below("src", &[".rs"]));
    let n_uses: usize = files.uses().values().map(BTreeSet::len).sum();
    assert!(n_uses > 1_000, "only {n_uses} uses were found");
    expect_none(&chains(&files), "What two files need belongs into a third:");
}

#[test]
fn a_circle_is_found_through_re_exports_groups_and_paths() {
    let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
    let mut sources = vec![
        source("src/lib.rs", "pub mod a; pub mod b;"),
        source("src/a/mod.rs", "mod x; pub(crate) use self::x::{made as built, Thing};"),
        source("src/a/x.rs", "struct Thing; fn made() { let _ = \"b::go()\"; /* b::go() */ }"),
        source("src/b.rs", "use crate::a; fn go() -> a::Thing { vec![a::built()] }"),
    ];
    assert_eq!(chains(&Files::of(&sources)), Vec::<String>::new());
    let tests = "#[cfg(test)] mod tests { use super::*; use crate::b::go; }";
    sources[2].text.push_str(tests);
    assert_eq!(chains(&Files::of(&sources)), Vec::<String>::new());
    sources[1].text.push_str("pub(crate) use crate::b::go;");
    assert_eq!(chains(&Files::of(&sources)), Vec::<String>::new());
    sources[2].text.push_str("fn back() { crate::b::go() }");
    assert_eq!(chains(&Files::of(&sources)), ["crate::a::x -> crate::b -> crate::a::x"]);
}
