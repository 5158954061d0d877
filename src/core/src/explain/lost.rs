//! Requests of consumers whose answers will not come: they, or the answers, were lost on their way.

use super::sending::times_out;
use crate::client::Client;
use crate::fact::RequestKind;
use crate::grpc::GrpcClient;
use crate::ids::{MessageQueue, Ms, Party};
use crate::proxy::Proxy;
use crate::world::World;

/// Until when a classic consumer waits for the answer to its pull of a queue in vain.
pub(super) fn pull(world: &World, client: &Client, queue: MessageQueue) -> Option<Ms> {
    let token = client.open_pull(queue)?;
    let held = |b: &std::rc::Rc<crate::broker::Broker>| {
        b.holds.iter().any(|held| (held.pull.client, held.pull.rpc.token) == (client.id, token))
    };
    if world.brokers.iter().any(held) {
        return None;
    }
    times_out(world, Party::Client(client.id), token, RequestKind::Pull)
}

/// Until when a gRPC consumer waits for the answers to its open receives in vain, by one of its loops or
/// by all of them; None while any of them may be answered.
pub(super) fn receive(world: &World, client: &GrpcClient, number: Option<u32>) -> Option<Ms> {
    let mut until_ms = None;
    for token in client.open_receives(number) {
        until_ms = until_ms.max(Some(unanswered(world, client, token)?));
    }
    until_ms
}

/// When an open receive is given up, by its client, or by the proxy that waits for a broker.
fn unanswered(world: &World, client: &GrpcClient, token: u32) -> Option<Ms> {
    let asker = Party::Client(client.id);
    let by_proxy = |proxy: &std::rc::Rc<Proxy>| {
        let party = Party::Proxy(proxy.id);
        let relay = proxy.relay_for(asker, token)?;
        let mut parked = world.brokers.iter().flat_map(|broker| broker.pop.polls.iter());
        let waits = parked.any(|request| (request.from, request.rpc.token) == (party, relay));
        times_out(world, party, relay, RequestKind::Receive).filter(|_| !waits)
    };
    let by_client = times_out(world, asker, token, RequestKind::Receive);
    by_client.or_else(|| world.proxies.iter().find_map(by_proxy))
}
