//! Tests with batches that each test steers: a batch reports that it began, and waits for its
//! instruction.

use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::future::{join_all, join3};
use tokio::sync::mpsc;

use super::*;

/// Next step of a begun batch.
#[derive(Debug)]
enum Instruction {
    /// Answers each member with its own request.
    Answer,
    /// Ends, and answers as soon as the test says so.
    AnswerLater(oneshot::Receiver<()>),
    /// Ends, and answers in its rest as soon as the test says so.
    AnswerInRest(oneshot::Receiver<()>),
    Panic,
}

/// Batch that has begun and waits for its instruction.
#[derive(Debug)]
struct Begun {
    key: char,
    requests: Vec<u32>,
    instruction: oneshot::Sender<Instruction>,
}

/// Batch of at most three members that ends after `RUN_MILLIS`.
#[derive(Debug)]
struct ByHand<const RUN_MILLIS: u64>(mpsc::UnboundedSender<Begun>);

/// Longer than any test takes.
const UNHURRIED: u64 = 3_600_000;

impl<const RUN_MILLIS: u64> Batch for ByHand<RUN_MILLIS> {
    const KIND: &'static str = "by-hand";
    const MEMBERS_MAX: usize = 3;
    const WAITING_MAX: usize = 5;
    const RUN_MAX: Duration = Duration::from_millis(RUN_MILLIS);

    type Key = char;
    type Request = u32;
    type Answer = u32;

    async fn run(&self, key: char, members: Vec<Member<Self>>) -> Option<Rest> {
        let requests = members.iter().map(|member| member.request).collect();
        let (instruction, instructed) = oneshot::channel();
        self.0.send(Begun { key, requests, instruction }).unwrap();
        let answer = |member: Member<Self>| {
            let request = member.request;
            member.answer(request);
        };
        match instructed.await.unwrap() {
            Instruction::Answer => members.into_iter().for_each(answer),
            Instruction::AnswerLater(instructed) => drop(tokio::spawn(async move {
                instructed.await.unwrap();
                members.into_iter().for_each(answer);
            })),
            Instruction::AnswerInRest(instructed) => {
                return Some(Box::pin(async move {
                    instructed.await.expect("instructed to panic in the rest");
                    members.into_iter().for_each(answer);
                }));
            }
            Instruction::Panic => panic!("instructed to panic"),
        }
        None
    }
}

fn by_hand<const RUN_MILLIS: u64>()
-> (Arc<Batcher<ByHand<RUN_MILLIS>>>, mpsc::UnboundedReceiver<Begun>) {
    let (report, begun) = mpsc::unbounded_channel();
    (Arc::new(Batcher::new(ByHand(report), Handle::current())), begun)
}

type Answered = oneshot::Receiver<u32>;

fn enlist<const RUN_MILLIS: u64>(
    batcher: &Arc<Batcher<ByHand<RUN_MILLIS>>>,
    key: char,
    requests: impl IntoIterator<Item = u32>,
) -> Vec<Answered> {
    requests.into_iter().map(|request| batcher.enlist(key, || request).unwrap()).collect()
}

/// Longest wait for a batch or for answers: a batcher that is broken fails its test.
const WAIT_MAX: Duration = Duration::from_mins(1);

/// Returns the next batch that begins.
async fn next(begun: &mut mpsc::UnboundedReceiver<Begun>) -> Begun {
    timeout(WAIT_MAX, begun.recv()).await.unwrap().unwrap()
}

async fn answers(answered: Vec<Answered>) -> Vec<Option<u32>> {
    let answered = timeout(WAIT_MAX, join_all(answered)).await.unwrap();
    answered.into_iter().map(Result::ok).collect()
}

/// Lets other tasks of this thread run until `key` is idle.
async fn until_idle<const RUN_MILLIS: u64>(batcher: &Batcher<ByHand<RUN_MILLIS>>, key: char) {
    const YIELDS_MAX: usize = 1_000;
    for _ in 0..YIELDS_MAX {
        if !batcher.queues().is_busy(&key) {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("{key} is not idle");
}

#[tokio::test]
async fn requests_that_arrive_during_a_batch_go_together_in_order_of_arrival() {
    let (batcher, mut begun) = by_hand::<UNHURRIED>();
    let lone = enlist(&batcher, 'a', [9]);
    let first = next(&mut begun).await;
    assert_eq!(
        (first.key, first.requests),
        ('a', vec![9]),
        "a lone request is carried out at once"
    );
    let rest = enlist(&batcher, 'a', [8, 2, 5, 1, 7]);
    first.instruction.send(Instruction::Answer).unwrap();
    for expected in [vec![8, 2, 5], vec![1, 7]] {
        let batch = next(&mut begun).await;
        assert_eq!(batch.requests, expected);
        batch.instruction.send(Instruction::Answer).unwrap();
    }
    assert_eq!(answers(lone).await, [Some(9)]);
    assert_eq!(answers(rest).await, [8, 2, 5, 1, 7].map(Some));
}

#[tokio::test]
async fn a_request_is_made_at_the_moment_that_decides_its_order() {
    let (batcher, mut begun) = by_hand::<UNHURRIED>();
    let made = AtomicU32::new(0);
    let number = || made.fetch_add(1, Ordering::Relaxed);
    let (second, first) = (batcher.submit('a', number), batcher.submit('a', number));
    let by_the_way = async {
        let batch = next(&mut begun).await;
        assert_eq!(batch.requests, [0, 1]);
        batch.instruction.send(Instruction::Answer).unwrap();
    };
    let (first, second, ()) = join3(first, second, by_the_way).await;
    assert_eq!((first, second), (Ok(0), Ok(1)));
}

#[tokio::test]
async fn two_keys_do_not_wait_for_each_other() {
    let (batcher, mut begun) = by_hand::<UNHURRIED>();
    let slow = enlist(&batcher, 'a', [1]);
    let held = next(&mut begun).await;
    let quick = enlist(&batcher, 'b', [2]);
    let other = next(&mut begun).await;
    assert_eq!((held.key, other.key), ('a', 'b'));
    other.instruction.send(Instruction::Answer).unwrap();
    assert_eq!(answers(quick).await, [Some(2)]);
    held.instruction.send(Instruction::Answer).unwrap();
    assert_eq!(answers(slow).await, [Some(1)]);
}

#[tokio::test]
async fn a_full_queue_refuses_at_once_until_it_has_room() {
    let (batcher, mut begun) = by_hand::<UNHURRIED>();
    let lone = enlist(&batcher, 'a', [0]);
    let held = next(&mut begun).await;
    let waiting = enlist(&batcher, 'a', 1..=5);
    let refused = batcher.submit('a', || panic!("a refused request is not made")).await;
    assert_eq!(refused, Err(BatchError::Full));
    let elsewhere = enlist(&batcher, 'b', [7]);
    let other = next(&mut begun).await;
    assert_eq!(other.requests, [7]);
    other.instruction.send(Instruction::Answer).unwrap();
    assert_eq!(answers(elsewhere).await, [Some(7)]);

    held.instruction.send(Instruction::Answer).unwrap();
    let batch = next(&mut begun).await;
    assert_eq!(batch.requests, [1, 2, 3]);
    let late = enlist(&batcher, 'a', [6]);
    batch.instruction.send(Instruction::Answer).unwrap();
    let last = next(&mut begun).await;
    assert_eq!(last.requests, [4, 5, 6]);
    last.instruction.send(Instruction::Answer).unwrap();
    let answered = answers(lone.into_iter().chain(waiting).chain(late).collect()).await;
    assert_eq!(answered, (0..=6).map(Some).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_batch_that_panics_is_lost_and_the_next_one_is_carried_out() {
    let (batcher, mut begun) = by_hand::<UNHURRIED>();
    let lone = enlist(&batcher, 'a', [1]);
    let first = next(&mut begun).await;
    let rest = enlist(&batcher, 'a', [2]);
    first.instruction.send(Instruction::Panic).unwrap();
    assert_eq!(answers(lone).await, [None]);
    next(&mut begun).await.instruction.send(Instruction::Answer).unwrap();
    assert_eq!(answers(rest).await, [Some(2)]);
}

#[tokio::test]
async fn a_batch_that_does_not_end_is_lost_and_the_next_one_begins() {
    let (batcher, mut begun) = by_hand::<10>();
    let lone = enlist(&batcher, 'a', [1]);
    let _told_nothing = next(&mut begun).await;
    let rest = enlist(&batcher, 'a', [2]);
    assert_eq!(answers(lone).await, [None]);
    assert_eq!(next(&mut begun).await.requests, [2]);
    drop(rest);
}

#[tokio::test]
async fn an_idle_key_takes_no_memory() {
    let (batcher, mut begun) = by_hand::<UNHURRIED>();
    let both = enlist(&batcher, 'a', [1]).into_iter().chain(enlist(&batcher, 'b', [2]));
    for instruction in [Instruction::Answer, Instruction::Panic] {
        next(&mut begun).await.instruction.send(instruction).unwrap();
    }
    assert_eq!(answers(both.collect()).await, [Some(1), None]);
    until_idle(&batcher, 'a').await;
    until_idle(&batcher, 'b').await;
    assert!(batcher.queues().is_empty());
}

#[tokio::test]
async fn a_caller_that_goes_away_cancels_nothing() {
    let (batcher, mut begun) = by_hand::<UNHURRIED>();
    let gone = enlist(&batcher, 'a', [1]);
    let held = next(&mut begun).await;
    let mut waiting = enlist(&batcher, 'a', [2, 3]);
    drop(gone);
    drop(waiting.remove(0));
    held.instruction.send(Instruction::Answer).unwrap();
    let batch = next(&mut begun).await;
    assert_eq!(batch.requests, [2, 3]);
    batch.instruction.send(Instruction::Answer).unwrap();
    assert_eq!(answers(waiting).await, [Some(3)]);
}

#[tokio::test]
async fn the_next_batch_does_not_wait_for_answers_that_come_later() {
    let (batcher, mut begun) = by_hand::<UNHURRIED>();
    let (instruction, instructed) = oneshot::channel();
    let late = enlist(&batcher, 'a', [1]);
    next(&mut begun).await.instruction.send(Instruction::AnswerLater(instructed)).unwrap();
    let others = enlist(&batcher, 'a', [2]);
    next(&mut begun).await.instruction.send(Instruction::Answer).unwrap();
    assert_eq!(answers(others).await, [Some(2)]);
    until_idle(&batcher, 'a').await;
    instruction.send(()).unwrap();
    assert_eq!(answers(late).await, [Some(1)]);
}

/// Lets other tasks of this thread run as far as they can without this one.
async fn until_quiet() {
    const YIELDS: usize = 100;
    for _ in 0..YIELDS {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn the_next_batch_begins_beside_a_rest_and_its_own_rest_waits_for_that() {
    let (batcher, mut begun) = by_hand::<UNHURRIED>();
    let (first_rest, first_instructed) = oneshot::channel();
    let (second_rest, second_instructed) = oneshot::channel();
    let first = enlist(&batcher, 'a', [1]);
    let batch = next(&mut begun).await;
    let mut second = enlist(&batcher, 'a', [2]);
    batch.instruction.send(Instruction::AnswerInRest(first_instructed)).unwrap();
    let batch = next(&mut begun).await;
    assert_eq!(batch.requests, [2], "beside the rest of the first");
    let third = enlist(&batcher, 'a', [3]);
    second_rest.send(()).unwrap();
    batch.instruction.send(Instruction::AnswerInRest(second_instructed)).unwrap();
    until_quiet().await;
    assert!(second[0].try_recv().is_err() && begun.try_recv().is_err());

    first_rest.send(()).unwrap();
    assert_eq!(answers(first).await, [Some(1)]);
    assert_eq!(answers(second).await, [Some(2)]);
    next(&mut begun).await.instruction.send(Instruction::Answer).unwrap();
    assert_eq!(answers(third).await, [Some(3)]);
}

#[tokio::test]
async fn a_key_is_busy_until_its_last_rest_has_ended() {
    let (batcher, mut begun) = by_hand::<UNHURRIED>();
    let (rest, instructed) = oneshot::channel();
    let answered = enlist(&batcher, 'a', [1]);
    next(&mut begun).await.instruction.send(Instruction::AnswerInRest(instructed)).unwrap();
    until_quiet().await;
    assert!(batcher.queues().is_busy(&'a'));
    rest.send(()).unwrap();
    assert_eq!(answers(answered).await, [Some(1)]);
    until_idle(&batcher, 'a').await;
}

#[tokio::test]
async fn a_rest_that_panics_is_lost_and_the_next_batch_is_carried_out() {
    let (batcher, mut begun) = by_hand::<UNHURRIED>();
    let (rest, instructed) = oneshot::channel();
    let lost = enlist(&batcher, 'a', [1]);
    let batch = next(&mut begun).await;
    let others = enlist(&batcher, 'a', [2]);
    batch.instruction.send(Instruction::AnswerInRest(instructed)).unwrap();
    drop(rest);
    next(&mut begun).await.instruction.send(Instruction::Answer).unwrap();
    assert_eq!(answers(lost).await, [None]);
    assert_eq!(answers(others).await, [Some(2)]);
}
