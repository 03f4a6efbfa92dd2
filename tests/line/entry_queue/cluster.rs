//! The queue in a real Redis Cluster.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::{crowded, join, queue_path_of, until_status};
use crate::support::{Concert, Office, Person, PrivateCluster, eventually};

/// One concert for each node of the cluster, in their order.
async fn concert_of_each_node(db: &PgPool, cluster: &PrivateCluster) -> Vec<Concert> {
    let mut concerts = vec![None, None, None];
    while concerts.iter().any(Option::is_none) {
        let concert = Concert::with(db, crowded()).await;
        let node = cluster.node_of(&concert.program_id.to_string()).await;
        concerts[node] = Some(concert);
    }
    concerts.into_iter().flatten().collect()
}

#[sqlx::test]
async fn a_lost_node_stops_only_its_own_queues_and_brings_them_back(db: PgPool) {
    let mut cluster = PrivateCluster::start().await;
    let office = Office::open_with(db.clone(), 2, &[("REDIS_URL", &cluster.url())]).await;
    let concerts = concert_of_each_node(&db, &cluster).await;
    let people = office.crowd(4, "Cluster").await;
    for concert in &concerts {
        for person in &people {
            assert_eq!(join(person, concert).await.status, 201);
        }
        until_status(&people[0], concert, "ACTIVE").await;
        until_counted(&people[3], concert, (2, 3)).await;
    }

    cluster.nodes[1].kill();
    let lost = &concerts[1];
    let state = people[3].get(&queue_path_of(lost)).await.json();
    assert_eq!((&state["ahead"], &state["queue_number"]), (&Value::Null, &json!(4)), "{state}");
    assert_eq!(people[0].get(&queue_path_of(lost)).await.json()["status"], "ACTIVE");
    // A node that forgot its scripts gets them again, although another one is away.
    cluster.nodes[0].run::<()>(&["SCRIPT", "FLUSH"]).await;
    let (poller, path) = (people[3].clone(), queue_path_of(lost));
    let polling = tokio::spawn(async move {
        loop {
            assert_eq!(poller.get(&path).await.status, 200);
        }
    });
    for concert in [&concerts[0], &concerts[2]] {
        assert_eq!(people[0].delete(&queue_path_of(concert)).await.status, 204);
        until_status(&people[1], concert, "ACTIVE").await;
        let state = people[3].get(&queue_path_of(concert)).await.json();
        assert_eq!(state["ahead"], 1, "{state}");
    }
    polling.abort();
    assert_eq!(people[2].delete(&queue_path_of(lost)).await.status, 204);

    cluster.nodes[1].restart().await;
    let node = &cluster.nodes[1];
    cluster.until_whole(node).await;
    until_counted(&people[3], lost, (1, 2)).await;
    office.close().await;
}

/// Waits until a person is shown how many are ahead and how many wait.
async fn until_counted(person: &Person, concert: &Concert, (ahead, waiting): (i64, i64)) {
    eventually("the count", async || {
        let state = person.get(&queue_path_of(concert)).await.json();
        let is_shown = (&state["ahead"], &state["waiting"]) == (&json!(ahead), &json!(waiting));
        if is_shown { Ok(()) } else { Err(state) }
    })
    .await;
}

/// A node that answers nothing and closes nothing.
#[sqlx::test]
async fn a_mute_node_stops_only_its_own_queues_and_brings_them_back(db: PgPool) {
    let cluster = PrivateCluster::start().await;
    let office = Office::open_with(db.clone(), 2, &[("REDIS_URL", &cluster.url())]).await;
    let concerts = concert_of_each_node(&db, &cluster).await;
    let people = office.crowd(4, "Mute").await;
    for concert in &concerts {
        for person in &people {
            assert_eq!(join(person, concert).await.status, 201);
        }
        until_status(&people[0], concert, "ACTIVE").await;
        until_counted(&people[3], concert, (2, 3)).await;
    }

    cluster.nodes[1].pause(true);
    let mute = &concerts[1];
    let path = queue_path_of(mute);
    let (poller, polled) = (people[3].clone(), path.clone());
    let polling = tokio::spawn(async move {
        loop {
            // A read may end at its deadline, and no other failure is shown.
            let answer = poller.get(&polled).await;
            assert!(answer.status == 200 || answer.code() == "unavailable", "{}", answer.body);
        }
    });
    for concert in [&concerts[0], &concerts[2]] {
        assert_eq!(people[0].delete(&queue_path_of(concert)).await.status, 204);
        until_status(&people[1], concert, "ACTIVE").await;
        until_counted(&people[3], concert, (1, 2)).await;
    }
    assert!(!polling.is_finished());
    polling.abort();
    assert_eq!(people[2].delete(&path).await.status, 204);
    cluster.nodes[1].pause(false);
    cluster.until_whole(&cluster.nodes[1]).await;
    until_counted(&people[3], mute, (1, 2)).await;
    office.close().await;
}
