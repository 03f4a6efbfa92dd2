//! Slots of a cluster that move from one node to another.

use std::collections::BTreeSet;

use rand::rngs::StdRng;

use super::wait;
use crate::{Failure, support::PrivateRedis, world::World};

/// Keys that are moved in one step of a slot.
const STEP: &str = "10";

/// Moves every slot with keys of the node that has most of them to another, key by key, while requests
/// for them go on.
pub(super) async fn move_all(world: &mut World, rng: &mut StdRng) -> Result<(), Failure> {
    let Some(cluster) = &world.cluster else { return Err("there is no cluster".into()) };
    let mut used = Vec::new();
    for node in &cluster.nodes {
        used.push((used_slots(node).await, node));
    }
    used.sort_by_key(|(slots, _)| slots.len());
    let [.., (_, to), (slots, from)] = &used[..] else {
        return Err("a cluster of one node has nowhere to move a slot".into());
    };
    if slots.is_empty() {
        return Err("no node has any keys".into());
    }
    for slot in slots {
        move_slot(&slot.to_string(), from, to, rng).await?;
    }
    Ok(())
}

/// Returns the slots that a node has keys of.
async fn used_slots(node: &PrivateRedis) -> BTreeSet<u64> {
    let keys: Vec<String> = node.run(&["KEYS", "*"]).await;
    let mut slots = BTreeSet::new();
    for key in keys {
        slots.insert(node.run(&["CLUSTER", "KEYSLOT", &key]).await);
    }
    slots
}

/// Moves one slot. Until the end both nodes have some of its keys: who asks for one that has moved is
/// sent on, and who asks for keys of both has to come again.
async fn move_slot(
    slot: &str,
    from: &PrivateRedis,
    to: &PrivateRedis,
    rng: &mut StdRng,
) -> Result<(), Failure> {
    let (giver, taker): (String, String) =
        (from.run(&["CLUSTER", "MYID"]).await, to.run(&["CLUSTER", "MYID"]).await);
    to.run::<()>(&["CLUSTER", "SETSLOT", slot, "IMPORTING", &giver]).await;
    from.run::<()>(&["CLUSTER", "SETSLOT", slot, "MIGRATING", &taker]).await;
    loop {
        let keys: Vec<String> = from.run(&["CLUSTER", "GETKEYSINSLOT", slot, STEP]).await;
        if keys.is_empty() {
            break;
        }
        for key in keys {
            wait(rng, 0.0, 0.1).await;
            let port = to.port.to_string();
            from.run::<()>(&["MIGRATE", "127.0.0.1", &port, &key, "0", "2000"]).await;
        }
    }
    for node in [to, from] {
        node.run::<()>(&["CLUSTER", "SETSLOT", slot, "NODE", &taker]).await;
    }
    Ok(())
}
