//! The queues among which a producer's next message is placed, as far as those know of them who place it.

use std::rc::Rc;

use crate::ids::{MessageQueue, ProxyId, TopicId};
use crate::producer::Producer;
use crate::world::World;

/// The queues that may be written, in the order in which a selector counts them. A classic client has them
/// from its last look at the name server; by gRPC the proxy places the message, from what it remembers.
pub fn known_queues(world: &World, producer: &Producer, topic: TopicId) -> Rc<[MessageQueue]> {
    let shared = &world.shared;
    let proxy = producer.speaks_to(shared).filter(|_| producer.is_grpc(shared));
    let known = match proxy {
        Some(ProxyId(proxy)) => {
            world.proxies.get(usize::from(proxy)).and_then(|proxy| proxy.known_write(shared, topic))
        }
        None => producer.publish_info(topic).map(|info| Rc::clone(&info.queues)),
    };
    let now = || shared.name_server.route(&shared.names, topic).write_list(topic).into();
    let known = known.unwrap_or_else(now);
    match known.is_empty() {
        // Before any broker has registered, those of the scenario are shown.
        true => declared(world, topic),
        false => known,
    }
}

/// The queues of all brokers, in the order in which routes list them.
fn declared(world: &World, topic: TopicId) -> Rc<[MessageQueue]> {
    let names = &world.shared.names;
    let count = names.topics[topic.index()].write_queues;
    let of = |broker| (0..count).map(move |id| MessageQueue { topic, broker, id });
    names.brokers_by_name().into_iter().flat_map(of).collect()
}
