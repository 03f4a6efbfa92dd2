//! The folder of a witness: its key, its heads, and who may use it.

use std::{fs, os::unix::fs::PermissionsExt, process::Command};

use super::{ORIGIN, add, cosigned, log};
use crate::support::{
    ChildWitness,
    signed_log::{SignedLog, is_cosigned},
};

#[tokio::test]
async fn a_folder_is_used_by_one_witness_with_its_own_key() {
    let log = log(5);
    let mut witness = ChildWitness::start(&[&log.verifier_key()]);
    cosigned(&witness, &log, 0, 5).await;
    let second = ChildWitness::refused_start(witness.command());
    assert!(second.contains("Another witness uses"), "{second}");
    cosigned(&witness, &log, 5, 5).await;
    witness.kill();

    let file = witness.folder.join("key");
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(&witness.folder)), (0o600, 0o700));
    let key = fs::read_to_string(&file).unwrap();
    let refused = |witness: &ChildWitness, reason: &str| {
        let said = ChildWitness::refused_start(witness.command());
        assert!(said.contains(reason), "{reason}: {said}");
    };
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    refused(&witness, "can be read by others");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&file, &key[..key.len() / 2]).unwrap();
    refused(&witness, "is damaged");
    fs::remove_file(&file).unwrap();
    refused(&witness, "is gone, but the heads are there");
    fs::write(&file, &key).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let renamed = ChildWitness::refused_start(witness.command_named("witness.example/w2"));
    assert!(renamed.contains("is of another name"), "{renamed}");
    let printed = witness.key.clone();
    witness.start_again();
    assert_eq!(witness.key, printed);
    cosigned(&witness, &log, 5, 5).await;
}

/// What cannot be read is never the same as nothing: that would confirm any history.
#[tokio::test]
async fn a_head_that_was_damaged_is_not_forgotten() {
    let log = log(9);
    let witness = ChildWitness::start(&[&log.verifier_key()]);
    cosigned(&witness, &log, 0, 5).await;
    let head = fs::read_dir(witness.folder.join("heads")).unwrap().next().unwrap().unwrap().path();
    let note = fs::read_to_string(&head).unwrap();
    let older = log.sign(&log.text(3));
    for damaged in ["", &note[..note.len() / 2], &note.replace("\n5\n", "\n3\n"), &older] {
        fs::write(&head, damaged).unwrap();
        for (old_size, size) in [(0, 9), (5, 9), (3, 9)] {
            let (status, _, said) = add(&witness, log.request(old_size, size)).await;
            assert_eq!(status, 500, "{damaged}: {said}");
        }
    }
    fs::write(&head, &note).unwrap();
    cosigned(&witness, &log, 5, 9).await;
}

#[tokio::test]
async fn the_key_of_an_office_is_of_all_logs_below_its_name() {
    let log = |origin: &str| SignedLog::telling("true", origin, 3);
    let office = log("tickets.example").key_named("tickets.example");
    let witness = ChildWitness::start(&[&office, &log(ORIGIN).verifier_key()]);
    for origin in ["tickets.example", "tickets.example/programs/1/log", ORIGIN] {
        cosigned(&witness, &log(origin), 0, 3).await;
    }
    for (origin, status) in [
        ("tickets.example.org/programs/1/log", 404),
        ("tickets.exampl", 404),
        ("tickets.example.org", 404),
        ("log.example", 404),
        ("", 404),
    ] {
        let (answered, _, said) = add(&witness, log(origin).request(0, 3)).await;
        assert_eq!(answered, status, "{origin}: {said}");
    }
    let stolen = log("tickets.example/programs/2/log").signed_by(&[9; 32]);
    assert_eq!(add(&witness, stolen.request(0, 3)).await.0, 403);
    let (status, _, line) = add(&witness, log("tickets.example/a").request(0, 2)).await;
    let text = log("tickets.example/a").text(2);
    assert!(status == 200 && is_cosigned(&witness.key, &text, &line), "{line}");
    assert_eq!(witness.n_heads(), 4);
}

#[test]
fn what_is_no_key_of_a_log_or_no_name_is_refused_at_the_start() {
    let log = log(1);
    let witness = ChildWitness::start(&[&log.verifier_key()]);
    let folder = witness.folder.join("other");
    let said = |name: &str, key: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stagedoor"));
        command.args(["witness", "--listen", "127.0.0.1:0", "--name", name, "--log", key]);
        command.arg("--folder").arg(&folder).stderr(std::process::Stdio::piped());
        ChildWitness::refused_start(command)
    };
    let key = log.verifier_key();
    for refused in ["", "log.example", &key[1..], &witness.key] {
        assert!(said("w.example", refused).contains("is no key of a log"), "{refused}");
    }
    for refused in ["", "two words", "w+1"] {
        assert!(said(refused, &key).contains("The name must not be empty"), "{refused}");
    }
}
