//! The source tree, read from the disk.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// One file of the checkout.
#[derive(Debug)]
pub(super) struct Source {
    /// From the checkout's root, with slashes.
    pub(super) path: String,
    pub(super) text: String,
}

impl Source {
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap()
    }

    /// Its lines with their numbers, without whole-line comments.
    pub(super) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(idx, line)| (idx + 1, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// What stands in quotes on the lines of its code.
    pub(super) fn literals(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code().flat_map(|(number, line)| {
            line.split('"').skip(1).step_by(2).map(move |literal| (number, literal))
        })
    }
}

/// The checkout's root.
pub(super) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A file of the checkout.
pub(super) fn read(path: &str) -> Source {
    let text = fs::read_to_string(root().join(path)).unwrap();
    Source { path: path.to_owned(), text }
}

/// Where what others wrote is kept as it came.
const OTHERS: &str = "static/vendor";

/// Folder of inputs of the fuzz targets, which need not be text.
const INPUTS: &str = "src/fuzz/__fuzz__";

/// Every file below `folder` that ends in one of `endings`, by path, but for what others wrote and for
/// what is no text: fonts, and inputs of the fuzz targets.
pub(super) fn below(folder: &str, endings: &[&str]) -> Vec<Source> {
    let mut paths = Vec::new();
    collect(&root().join(folder), &mut paths);
    let mut sources: Vec<Source> = paths
        .iter()
        .filter(|path| [OTHERS, INPUTS].iter().all(|other| !path.starts_with(root().join(other))))
        .filter(|path| path.extension().is_none_or(|extension| extension != "woff2"))
        .map(|path| path.strip_prefix(root()).unwrap().to_str().unwrap())
        .filter(|path| endings.iter().any(|ending| path.ends_with(ending)))
        .map(read)
        .collect();
    assert!(!sources.is_empty(), "nothing was found below {folder}");
    sources.sort_by(|left, right| left.path.cmp(&right.path));
    sources
}

/// Folders of the targets in `tests`, such as `tests/line`.
pub(super) fn folders_of_targets() -> Vec<String> {
    let mains = below("tests", &["/main.rs"]).into_iter();
    mains.map(|main| main.path.trim_end_matches("/main.rs").to_owned()).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, paths);
        } else {
            paths.push(path);
        }
    }
}
