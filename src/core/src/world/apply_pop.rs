//! Commands of the second stack.

use std::rc::Rc;

use super::apply::{check_messages, in_range, unknown, Applied, MAX_CLIENTS};
use super::World;
use crate::client::Status;
use crate::command::{Label, Refusal, Selector, Unfit, MAX_TIME_MS};
use crate::event::{ClientTimer, Event};
use crate::grpc::{Act, GrpcClient, GrpcTimer};
use crate::ids::{ClientId, GroupId, MsgId, Party, ProxyId};
use crate::pop::{Backoff, GrpcKind, PopCommand, PopSetting, ProducerSetting, SimpleMode};
use crate::process::Process;
use crate::proxy::Proxy;

/// Most proxies of a run.
pub const MAX_PROXIES: usize = 64;

impl World {
    pub(super) fn apply_pop(&mut self, command: &PopCommand) -> Applied {
        match command {
            PopCommand::Start { name, group, kind, threads } => {
                self.start_grpc(name, group, *kind, *threads)
            }
            PopCommand::Receive { consumer, max, invisible_ms, await_ms } => {
                let id = self.scripted(consumer)?;
                in_range("messages", i64::from(*max), 1, 1_024)?;
                in_range("invisible time", *invisible_ms, 0, MAX_TIME_MS)?;
                in_range("await", *await_ms, 0, MAX_TIME_MS)?;
                if let Some(client) = self.clients[id.index()].grpc_mut() {
                    client.scripted_receive(&mut self.shared, *max, *invisible_ms, *await_ms);
                }
                Ok(())
            }
            PopCommand::Ack { consumer, message } => {
                let id = self.scripted(consumer)?;
                let messages = match message {
                    Some(label) => vec![self.held(id, consumer, label)?],
                    None => self.all_held(id),
                };
                self.act(id, &messages, Act::Ack)
            }
            PopCommand::ChangeInvisible { consumer, message, invisible_ms } => {
                let id = self.scripted(consumer)?;
                in_range("invisible time", *invisible_ms, 0, MAX_TIME_MS)?;
                let messages = vec![self.held(id, consumer, message)?];
                self.act(id, &messages, Act::Change(*invisible_ms))
            }
            PopCommand::AddProxy { name } => self.add_proxy(name),
            PopCommand::UseProxy { party, proxy } => self.use_proxy(party, proxy),
            PopCommand::RunProxy { proxy, up } => self.run_proxy(proxy, *up),
            PopCommand::FailRequests { proxy, request, code } => {
                let id = self.proxy(proxy)?;
                Rc::make_mut(&mut self.proxies[id.index()]).set_failing(*request, *code);
                Ok(())
            }
            PopCommand::SetProducer { producer, setting } => self.set_producer(producer, *setting),
            PopCommand::SendTogether { producer, topic, thread, messages } => {
                let (id, topic) = self.producer_and_topic(producer, topic.as_deref())?;
                self.room_for_series(messages.len())?;
                if self.shared.model.version.0 < 5 {
                    return Err(Refusal::NotInThisVersion);
                }
                if self.producers[id.index()].selector != Selector::MessageGroup {
                    return Err(Refusal::WrongState { name: producer.clone(), is: Unfit::NotGrpc });
                }
                let threads = self.producers[id.index()].threads.len() as i64;
                in_range("thread", i64::from(*thread), 0, threads - 1)?;
                in_range("messages", messages.len() as i64, 0, 1_024)?;
                check_messages(messages)?;
                let sender = Rc::make_mut(&mut self.producers[id.index()]);
                sender.send_together(&mut self.shared, topic, *thread, messages);
                Ok(())
            }
        }
    }

    fn proxy(&self, name: &str) -> Result<ProxyId, Refusal> {
        self.shared.names.proxy(name).ok_or_else(|| unknown("proxy", name))
    }

    fn start_grpc(
        &mut self,
        name: &str,
        group: &str,
        kind: GrpcKind,
        threads: Option<u16>,
    ) -> Applied {
        let group = self.group(group)?;
        if self.shared.model.version.0 < 5 {
            return Err(Refusal::NotInThisVersion);
        }
        match self.shared.names.client(name) {
            Some(id) if !matches!(self.clients[id.index()].status(), Status::Ended(_)) => {
                return Err(Refusal::WrongState { name: name.to_owned(), is: Unfit::Running });
            }
            Some(_) => {}
            None => self.free_party_name(name)?,
        }
        if self.clients.len() >= MAX_CLIENTS {
            return Err(Refusal::LimitReached { limit: "MAX_CLIENTS" });
        }
        if let GrpcKind::Simple(SimpleMode::Loops { max, invisible_ms, await_ms, loops }) = kind {
            in_range("messages", i64::from(max), 1, 1_024)?;
            in_range("invisible time", invisible_ms, 0, MAX_TIME_MS)?;
            in_range("await", await_ms, 0, MAX_TIME_MS)?;
            in_range("loops", i64::from(loops), 1, 1_000)?;
        }
        let default = match self.shared.group(group).threads {
            0 => self.shared.model.consumption_thread_count as u16,
            n => n,
        };
        let loops = match kind {
            GrpcKind::Simple(SimpleMode::Loops { loops, .. }) => loops,
            _ => 1,
        };
        // Each loop of a simple consumer handles in its own thread.
        let threads = if kind == GrpcKind::Push { threads.unwrap_or(default) } else { loops };
        in_range("threads", i64::from(threads), 1, 1_000)?;
        let id = ClientId(self.clients.len() as u16);
        Rc::make_mut(&mut self.shared.names).clients.push(name.to_owned());
        let mut client = GrpcClient::new(id, group, kind, threads, &self.shared);
        client.start(&mut self.shared);
        self.clients.push(Process::Grpc(Rc::new(client)));
        Ok(())
    }

    /// A running simple consumer that only commands call.
    fn scripted(&self, name: &str) -> Result<ClientId, Refusal> {
        let id = self.client(name)?;
        let wrong = || Refusal::WrongState { name: name.to_owned(), is: Unfit::NotByHand };
        let client = self.clients[id.index()].grpc().ok_or_else(wrong)?;
        let scripted = client.kind == GrpcKind::Simple(SimpleMode::Scripted);
        match scripted && client.status == Status::Running {
            true => Ok(id),
            false => Err(wrong()),
        }
    }

    fn held(&self, id: ClientId, consumer: &str, label: &Label) -> Result<MsgId, Refusal> {
        let client = self.clients[id.index()].grpc();
        let found = client.and_then(|client| {
            let is = |msg: &MsgId| self.shared.label(*msg) == *label;
            client.held.iter().map(|d| d.handle.msg).find(is)
        });
        found.ok_or_else(|| Refusal::NotHeld {
            consumer: consumer.to_owned(),
            message: label.to_string(),
        })
    }

    fn all_held(&self, id: ClientId) -> Vec<MsgId> {
        let client = self.clients[id.index()].grpc();
        client.map_or_else(Vec::new, |c| c.held.iter().map(|d| d.handle.msg).collect())
    }

    fn act(&mut self, id: ClientId, messages: &[MsgId], act: Act) -> Applied {
        if let Some(client) = self.clients[id.index()].grpc_mut() {
            for msg in messages {
                client.scripted_act(&mut self.shared, *msg, act);
            }
        }
        Ok(())
    }

    fn add_proxy(&mut self, name: &str) -> Applied {
        self.free_party_name(name)?;
        if self.proxies.len() >= MAX_PROXIES {
            return Err(Refusal::LimitReached { limit: "MAX_PROXIES" });
        }
        let id = ProxyId(self.proxies.len() as u8);
        Rc::make_mut(&mut self.shared.names).proxies.push(name.to_owned());
        self.proxies.push(Rc::new(Proxy::new(id, self.shared.now_ms)));
        Ok(())
    }

    fn use_proxy(&mut self, party: &str, proxy: &str) -> Applied {
        let proxy = self.proxy(proxy)?;
        if let Some(id) = self.shared.names.producer(party) {
            Rc::make_mut(&mut self.producers[id.index()]).proxy = Some(proxy);
            return Ok(());
        }
        if let Some(id) = self.shared.names.client(party) {
            let running = !matches!(self.clients[id.index()].status(), Status::Ended(_));
            match self.clients[id.index()].grpc_mut() {
                Some(client) => client.proxy = proxy,
                None if running => {
                    let (name, is) = (party.to_owned(), Unfit::Classic);
                    return Err(Refusal::WrongState { name, is });
                }
                None => {}
            }
        }
        Rc::make_mut(&mut self.shared.names).own_proxies.insert(party.to_owned(), proxy);
        Ok(())
    }

    fn run_proxy(&mut self, name: &str, up: bool) -> Applied {
        let id = self.proxy(name)?;
        if self.proxies[id.index()].up == up {
            let is = if up { Unfit::Up } else { Unfit::Down };
            return Err(Refusal::WrongState { name: name.to_owned(), is });
        }
        match up {
            true => self.start_proxy(id),
            false => self.stop_proxy(id, true),
        }
        Ok(())
    }

    /// A proxy dies; see [`Proxy::stop`].
    pub(super) fn stop_proxy(&mut self, id: ProxyId, noticed: bool) {
        Rc::make_mut(&mut self.proxies[id.index()]).stop(&mut self.shared, noticed);
        for broker in &mut self.brokers {
            Rc::make_mut(broker).pop.polls.forget(Party::Proxy(id));
        }
    }

    /// A proxy starts, and its clients connect again.
    pub(super) fn start_proxy(&mut self, id: ProxyId) {
        let connected_ms = Rc::make_mut(&mut self.proxies[id.index()]).start(&self.shared);
        let of_proxy = self.clients.iter().filter_map(|process| process.grpc());
        for client in of_proxy.filter(|client| client.proxy == id && client.is_alive()) {
            let timer = ClientTimer::Grpc(GrpcTimer::Reconnect);
            self.shared.at(connected_ms, Event::Client(client.id, timer));
        }
    }

    fn set_producer(&mut self, name: &str, setting: ProducerSetting) -> Applied {
        let names = &self.shared.names;
        let id = names.producer(name).ok_or_else(|| unknown("producer", name))?;
        let producer = Rc::make_mut(&mut self.producers[id.index()]);
        match setting {
            ProducerSetting::Sdk(sdk) => producer.sdk = sdk,
            ProducerSetting::ChecksTypes(on) => producer.checks_types = on,
        }
        Ok(())
    }

    pub(super) fn set_pop_attribute(&mut self, id: GroupId, setting: &PopSetting) -> Applied {
        match setting {
            PopSetting::RetryMaxTimes(n) => {
                in_range("retry-max-times", i64::from(*n), -1, 100_000)?
            }
            PopSetting::Backoff(Backoff::Customized(waits_ms)) => {
                in_range("waits", waits_ms.len() as i64, 1, 1_000)?;
                for ms in waits_ms.iter() {
                    in_range("wait", *ms, 0, MAX_TIME_MS)?;
                }
            }
            PopSetting::Backoff(Backoff::Exponential { initial_ms, max_ms, multiplier }) => {
                in_range("wait", *initial_ms, 0, MAX_TIME_MS)?;
                in_range("longest wait", *max_ms, *initial_ms, MAX_TIME_MS)?;
                in_range("multiplier", i64::from(*multiplier), 1, 100)?;
            }
            PopSetting::Orderly(_) | PopSetting::Accelerator(_) => {}
        }
        let pop = &mut Rc::make_mut(&mut self.shared.names).groups[id.index()].pop;
        match setting {
            PopSetting::Orderly(on) => pop.orderly = *on,
            PopSetting::RetryMaxTimes(n) => pop.retry_max_times = *n,
            PopSetting::Backoff(backoff) => pop.backoff = backoff.clone(),
            PopSetting::Accelerator(on) => pop.accelerator = *on,
        }
        Ok(())
    }
}
