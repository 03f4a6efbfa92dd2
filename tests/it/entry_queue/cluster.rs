//! The line in a real Redis Cluster.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::{crowded, join, line_of, until_status};
use crate::support::{Concert, Office, PrivateCluster};

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
async fn a_lost_node_stops_only_its_own_lines_and_brings_them_back(db: PgPool) {
    let mut cluster = PrivateCluster::start().await;
    let office = Office::open_with(db.clone(), 2, &[("REDIS_URL", &cluster.url())]).await;
    let concerts = concert_of_each_node(&db, &cluster).await;
    let people = office.crowd(4, "Cluster").await;
    for concert in &concerts {
        for person in &people {
            assert_eq!(join(person, concert).await.status, 201);
        }
        let state = people[3].get(&line_of(concert)).await.json();
        assert_eq!((&state["ahead"], &state["waiting"]), (&json!(2), &json!(3)), "{state}");
    }

    cluster.nodes[1].kill();
    let lost = &concerts[1];
    let state = people[3].get(&line_of(lost)).await.json();
    assert_eq!((&state["ahead"], &state["queue_number"]), (&Value::Null, &json!(4)), "{state}");
    assert_eq!(people[0].get(&line_of(lost)).await.json()["status"], "ACTIVE");
    // A node that forgot its scripts is told them again, although another one is away.
    cluster.nodes[0].run::<()>(&["SCRIPT", "FLUSH"]).await;
    let (poller, path) = (people[3].clone(), line_of(lost));
    let polling = tokio::spawn(async move {
        loop {
            assert_eq!(poller.get(&path).await.status, 200);
        }
    });
    for concert in [&concerts[0], &concerts[2]] {
        assert_eq!(people[0].delete(&line_of(concert)).await.status, 204);
        until_status(&people[1], concert, "ACTIVE").await;
        let state = people[3].get(&line_of(concert)).await.json();
        assert_eq!(state["ahead"], 1, "{state}");
    }
    polling.abort();
    assert_eq!(people[2].delete(&line_of(lost)).await.status, 204);

    cluster.nodes[1].restart().await;
    let node = &cluster.nodes[1];
    cluster.until_whole(node).await;
    let mut state = Value::Null;
    for _ in 0..600 {
        state = people[3].get(&line_of(lost)).await.json();
        if state["ahead"] != Value::Null {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert_eq!((&state["ahead"], &state["waiting"]), (&json!(1), &json!(2)), "{state}");
}
