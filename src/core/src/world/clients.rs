//! What happens to the consumer processes of a world from outside.

use super::apply::Applied;
use super::World;
use crate::ids::{ClientId, Ms};

impl World {
    /// A consumer's own subscription was declared; a running process subscribes anew.
    pub(super) fn tell_subscription_changed(&mut self, consumer: &str) {
        let Some(id) = self.shared.names.client(consumer) else { return };
        let client = &mut self.clients[id.index()];
        if let Some(client) = client.classic_mut().filter(|client| client.is_running()) {
            client.subscribe(&mut self.shared);
        }
    }

    pub(super) fn set_client_clock(&mut self, id: ClientId, ahead_ms: Ms) -> Applied {
        // gRPC clients measure spans only.
        if let Some(client) = self.clients[id.index()].classic_mut() {
            client.set_clock(&mut self.shared, ahead_ms);
        }
        Ok(())
    }
}
