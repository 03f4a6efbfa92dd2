//! The witness, asked over HTTP as `tlog-witness` says, by logs that the tests sign themselves.

mod folder;

use reqwest::{Client, StatusCode};

use tokio::{io::AsyncWriteExt, net::TcpStream};

use crate::support::{
    ChildWitness, eventually,
    signed_log::{SignedLog, is_cosigned, proof_of},
};

const ORIGIN: &str = "log.example/one";

fn log(n: usize) -> SignedLog {
    SignedLog::telling("true", ORIGIN, n)
}

/// Sends a request, and returns status, type and body of the answer.
async fn add(witness: &ChildWitness, body: impl Into<reqwest::Body>) -> (u16, String, String) {
    let href = format!("http://127.0.0.1:{}/add-checkpoint", witness.port);
    let answer = Client::new().post(href).body(body).send().await.unwrap();
    let content_type = answer.headers().get("content-type").map(|kind| kind.to_str().unwrap());
    let content_type = content_type.unwrap_or_default().to_owned();
    (answer.status().as_u16(), content_type, answer.text().await.unwrap())
}

/// Fails unless `request` is cosigned and the answer is a cosignature of `size` entries of `log`.
async fn cosigned(witness: &ChildWitness, log: &SignedLog, old_size: usize, size: usize) -> String {
    let (status, _, line) = add(witness, log.request(old_size, size)).await;
    assert_eq!(status, 200, "{old_size} to {size}: {line}");
    assert!(is_cosigned(&witness.key, &log.text(size), &line), "{line}");
    assert_eq!(witness.head_of(&log.origin).await, Some(log.sign(&log.text(size)) + &line));
    line
}

#[tokio::test]
async fn a_witness_cosigns_what_continues_what_it_cosigned() {
    let log = log(600);
    let witness = ChildWitness::start(&[&log.verifier_key()]);
    assert_eq!(witness.head_of(ORIGIN).await, None);
    let mut old_size = 0;
    for size in [1, 1, 2, 3, 7, 8, 255, 256, 257, 300, 600] {
        cosigned(&witness, &log, old_size, size).await;
        let again = add(&witness, log.request(old_size, size)).await;
        match old_size == size {
            true => assert_eq!(again.0, 200, "the same size is cosigned anew"),
            false => assert_eq!(
                again,
                (409, "text/x.tlog.size".to_owned(), format!("{size}\n")),
                "{old_size} is no longer what was cosigned last"
            ),
        }
        old_size = size;
    }
    assert_eq!(witness.n_heads(), 1);
}

#[tokio::test]
async fn an_empty_log_is_cosigned_with_the_root_of_the_empty_tree_only() {
    let log = log(1);
    let witness = ChildWitness::start(&[&log.verifier_key()]);
    let of_one = log.text(1).replace("\n1\n", "\n0\n");
    let refused = add(&witness, format!("old 0\n\n{}", log.sign(&of_one))).await;
    assert_eq!(refused.0, 422, "{}", refused.2);
    cosigned(&witness, &log, 0, 0).await;
    cosigned(&witness, &log, 0, 1).await;
}

#[tokio::test]
async fn a_witness_refuses_what_is_not_of_the_history_that_it_cosigned() {
    let log = log(12);
    let forked = SignedLog::telling("false", ORIGIN, 12);
    let mut late_fork = log.clone();
    late_fork.entries[6] = "false 6".to_owned();
    let other_key = log.clone().signed_by(&[4; 32]);
    let elsewhere = SignedLog::telling("true", "log.example/two", 12);
    let witness = ChildWitness::start(&[&log.verifier_key()]);
    cosigned(&witness, &log, 0, 7).await;
    let kept = witness.head_of(ORIGIN).await;

    let right = log.request(7, 10);
    let proof = proof_of(7, &log.entries[..10], true);
    let mut tampered = proof.clone();
    tampered[1][5] ^= 1;
    let shorter = &proof[..proof.len() - 1];
    let longer = [proof.as_slice(), &proof[..1]].concat();
    let foreign_signature = other_key.sign(&log.text(10));
    let signed = log.sign(&log.text(9));
    let (_, bad_signature) = signed.split_once("\n\n").unwrap();
    for (what, request, status) in [
        ("another history of the same size", forked.request(7, 7), 422),
        ("another history", forked.request(7, 10), 422),
        ("another last entry", late_fork.request(7, 7), 422),
        ("a history that leaves the old one at its end", late_fork.request(7, 10), 422),
        ("a tampered proof", log.request_with(7, &tampered, 10), 422),
        ("a shorter proof", log.request_with(7, shorter, 10), 422),
        ("a longer proof", log.request_with(7, &longer, 10), 422),
        ("no proof", log.request_with(7, &[], 10), 422),
        ("a proof of the same size", log.request_with(7, &proof, 7), 422),
        ("an older size", log.request(5, 7), 409),
        ("an older size and tree", log.request(5, 6), 409),
        ("from the beginning", log.request(0, 12), 409),
        ("from the beginning, with a proof", log.request_with(0, &proof, 12), 409),
        ("from a size that was not cosigned", log.request(8, 9), 409),
        ("from more than there is", log.request_with(7, &[], 6), 400),
        ("an unknown log", elsewhere.request(0, 7), 404),
        ("another key", other_key.request(7, 10), 403),
        ("another key's signature", format!("old 7\n\n{foreign_signature}"), 403),
        ("a signature of another text", format!("old 7\n\n{}\n{bad_signature}", log.text(10)), 403),
        ("no signature", format!("old 7\n\n{}", log.text(10)), 400),
        ("no old size", right.replacen("old 7\n", "", 1), 400),
        ("no checkpoint", "old 7\n\n".to_owned(), 404),
        ("a text", "cosign me".to_owned(), 400),
        ("nothing", String::new(), 400),
        ("no root", format!("old 7\n\n{}", log.sign(&format!("{ORIGIN}\n10\n"))), 400),
        ("no size", format!("old 7\n\n{}", log.sign(&format!("{ORIGIN}\nten\nAAAA\n"))), 400),
        ("too many hashes", log.request_with(7, &vec![vec![0; 32]; 64], 10), 400),
        ("too much", format!("{right}{}", "x".repeat(100_000)), 413),
    ] {
        let (answered, _, said) = add(&witness, request).await;
        assert_eq!(answered, status, "{what}: {said}");
    }
    let (status, ..) = add(&witness, vec![0xff; 100]).await;
    assert_eq!(status, 400, "no text");
    assert_eq!(witness.head_of(ORIGIN).await, kept, "whatever was refused changed nothing");
    assert_eq!(witness.n_heads(), 1);
    let href = format!("http://127.0.0.1:{}/add-checkpoint", witness.port);
    assert_eq!(reqwest::get(href).await.unwrap().status(), StatusCode::NOT_FOUND);
    // Signatures of others beside the log's are ignored, and not passed on.
    let crowded = format!("{right}— other.example {}\n", "AAAAAAAA".repeat(12));
    let (status, _, line) = add(&witness, crowded).await;
    assert_eq!((status, is_cosigned(&witness.key, &log.text(10), &line)), (200, true), "{line}");
    assert!(!witness.head_of(ORIGIN).await.unwrap().contains("other.example"));
}

#[tokio::test]
async fn of_many_histories_at_once_one_is_cosigned() {
    const AT_ONCE: usize = 30;
    let stories: Vec<SignedLog> =
        (0..AT_ONCE).map(|nth| SignedLog::telling(&format!("{nth}"), ORIGIN, 5 + nth)).collect();
    let mut witness = ChildWitness::start(&[&stories[0].verifier_key()]);
    let asked = stories.iter().map(|story| add(&witness, story.request(0, story.entries.len())));
    let answers = futures_util::future::join_all(asked).await;
    let winners: Vec<usize> = (0..AT_ONCE).filter(|nth| answers[*nth].0 == 200).collect();
    assert_eq!(winners.len(), 1, "{answers:?}");
    let story = &stories[winners[0]];
    let size = story.entries.len();
    for (nth, (status, _, told)) in answers.iter().enumerate().filter(|(nth, _)| *nth != winners[0])
    {
        assert_eq!((*status, told), (409, &format!("{size}\n")), "{nth}");
    }
    witness.kill();
    witness.start_again();
    cosigned(&witness, story, size, size).await;
}

#[tokio::test]
async fn a_witness_that_dies_between_writing_and_answering_goes_on_from_what_it_wrote() {
    let log = log(9);
    let mut witness = ChildWitness::start(&[&log.verifier_key()]);
    let key = witness.key.clone();
    cosigned(&witness, &log, 0, 3).await;
    // The client never reads an answer.
    let mut client = TcpStream::connect(("127.0.0.1", witness.port)).await.unwrap();
    let request = log.request(3, 7);
    let head =
        format!("POST /add-checkpoint HTTP/1.1\r\nhost: w\r\ncontent-length: {}", request.len());
    client.write_all(format!("{head}\r\n\r\n{request}").as_bytes()).await.unwrap();
    eventually("the head", async || match witness.head_of(ORIGIN).await {
        Some(head) if head.contains("\n7\n") => Ok(()),
        head => Err(head),
    })
    .await;
    witness.kill();
    drop(client);

    witness.start_again();
    assert_eq!(witness.key, key);
    let (status, _, told) = add(&witness, log.request(3, 7)).await;
    assert_eq!((status, told.as_str()), (409, "7\n"));
    let forked = SignedLog::telling("false", ORIGIN, 9);
    assert_eq!(add(&witness, forked.request(7, 9)).await.0, 422);
    cosigned(&witness, &log, 7, 7).await;
    cosigned(&witness, &log, 7, 9).await;
    assert!(witness.stop().await.success(), "it ends well when it is asked to");
}
