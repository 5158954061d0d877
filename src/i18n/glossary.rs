//! The glossary: the field's terms, each in one sentence, and where a text uses them first.

use super::Locale;

crate::catalogue! {
    /// What stands around the terms.
    GlossaryText;
    plain {
        all = "Terms", "术语";
        here = "taught by this lesson", "本课讲解";
    }
    with {
        taught(number: &str, title: &str) = "Lesson {number}: {title}", "第 {number} 课：{title}";
    }
}

/// The state of a message that a term is the name of; a token of that shape stands beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Built, not stored.
    Initialised,
    /// Can be delivered.
    Ready,
    /// With a consumer.
    InFlight,
    /// Delivered by POP, hidden for a while.
    Invisible,
    /// Failed, to be tried again.
    Retry,
    /// Held back by another message.
    Blocked,
    /// Put aside until its time.
    Scheduled,
    /// Consumed.
    Acknowledged,
    /// Given up.
    Dead,
}

/// A term.
#[derive(Debug, PartialEq, Eq)]
pub struct Term {
    /// How texts write it, English and Chinese, its name first. English plurals need no entry.
    forms: (&'static [&'static str], &'static [&'static str]),
    told: (&'static str, &'static str),
    /// Chapter and number of the lesson that teaches it.
    pub lesson: (usize, usize),
    /// The state that it is the name of.
    pub shape: Option<Shape>,
}

impl Term {
    /// What tells it from other terms, in any language: its first English form, as one word.
    pub fn id(&self) -> String {
        self.forms.0[0].replace(' ', "-")
    }

    /// Its name.
    pub fn name(&self, locale: Locale) -> &'static str {
        self.forms(locale)[0]
    }

    /// What it is, in one sentence.
    pub fn told(&self, locale: Locale) -> &'static str {
        locale.pick(self.told.0, self.told.1)
    }

    fn forms(&self, locale: Locale) -> &'static [&'static str] {
        locale.pick(self.forms.0, self.forms.1)
    }

    /// How many bytes at the beginning of a text are this term.
    fn begins(&self, locale: Locale, text: &str) -> Option<usize> {
        self.forms(locale).iter().filter_map(|form| begins(form, text)).max()
    }
}

/// How many bytes at the beginning of a text are a form, or its plural.
fn begins(form: &str, text: &str) -> Option<usize> {
    let same = text.get(..form.len()).is_some_and(|head| head.eq_ignore_ascii_case(form));
    let ends = |rest: &&str| !(form.ends_with(in_word) && rest.starts_with(in_word));
    let rest = same.then(|| &text[form.len()..])?;
    let plural = form.ends_with(|c: char| c.is_ascii_alphabetic()).then(|| rest.strip_prefix('s'));
    let rest = [Some(rest), plural.flatten()].into_iter().flatten().find(ends)?;
    Some(text.len() - rest.len())
}

/// What English words, constants and names are made of. Chinese has no gaps between words.
fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '%')
}

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Piece<'a> {
    /// Words.
    Plain(&'a str),
    /// What stands between backticks.
    Code(&'a str),
    /// A term where it appears first, as the text writes it.
    Term(&'a str, &'static Term),
}

/// The pieces of a text: each term is found where it appears first, the longest one at a place, and
/// none in code.
pub fn pieces(locale: Locale, text: &str) -> Vec<Piece<'_>> {
    let mut found: Vec<Piece<'_>> = Vec::new();
    for (index, part) in text.split('`').enumerate() {
        if index % 2 == 1 {
            found.push(Piece::Code(part));
            continue;
        }
        let (mut from, mut at) = (0, 0);
        while let Some(c) = part[at..].chars().next() {
            let inside = in_word(c) && part[..at].ends_with(in_word);
            let term = if inside { None } else { longest(locale, &part[at..]) };
            let Some((term, length)) = term else {
                at += c.len_utf8();
                continue;
            };
            // Inside a longer term no shorter one is looked for.
            let end = at + length;
            let is_known =
                |piece: &Piece<'_>| matches!(piece, Piece::Term(_, known) if *known == term);
            if !found.iter().any(is_known) {
                found.extend([Piece::Plain(&part[from..at]), Piece::Term(&part[at..end], term)]);
                from = end;
            }
            at = end;
        }
        found.push(Piece::Plain(&part[from..]));
    }
    found.retain(|piece| *piece != Piece::Plain(""));
    found
}

/// The longest term that a text begins with, and its length in bytes.
fn longest(locale: Locale, text: &str) -> Option<(&'static Term, usize)> {
    let found = TERMS.iter().filter_map(|term| Some((term, term.begins(locale, text)?)));
    found.max_by_key(|(_, length)| *length)
}

macro_rules! terms {
    ($(($chapter:literal . $number:literal $($shape:ident)?) $en:expr, $zh:expr; $told_en:literal, $told_zh:literal;)*) => {
        /// All terms, in the order in which the lessons need them.
        pub static TERMS: &[Term] = &[$(Term {
            forms: (&$en, &$zh),
            told: ($told_en, $told_zh),
            lesson: ($chapter, $number),
            shape: shape!($($shape)?),
        }),*];
    };
}

macro_rules! shape {
    () => {
        None
    };
    ($shape:ident) => {
        Some(Shape::$shape)
    };
}

terms! {
    (1 . 1) ["message group"], ["消息组"];
        "Messages with the same message group stay in order with each other, for example those of one order.",
        "消息组相同的消息彼此保持顺序，比如同一订单的消息。";
    (1 . 4) ["topic"], ["主题"];
        "Messages are sent to a topic and read from it; it is made of queues.",
        "消息发送到主题，也从主题读取；主题由队列组成。";
    (1 . 1) ["queue"], ["队列"];
        "A part of a topic that keeps its messages in the order of storing; there is order within a queue only.",
        "主题的一部分，按存储顺序保存消息；只有同一队列之内才有顺序。";
    (1 . 1) ["lane"], ["泳道"];
        "A queue as the stage draws it: older messages left, new ones come from the right.",
        "舞台上画出来的队列：左边是较早的消息，新消息从右边进来。";
    (1 . 2) ["consumer group"], ["消费组"];
        "Consumers under one name, which share the queues of a topic; each consumer group reads all messages.",
        "同一名称下的消费者，共同分担一个主题的队列；每个消费组都读到全部消息。";
    (1 . 2) ["broker"], ["Broker"];
        "The server that stores messages and hands them to consumers.",
        "存储消息并把消息交给消费者的服务器。";
    (1 . 1) ["selector"], ["选择器"];
        "The code of a 4.x producer that chooses the queue of a message, by the hash of its message group for instance.",
        "4.x 生产者里为消息选择队列的代码，比如按消息组的哈希值。";
    (1 . 2 Initialised) ["initialized"], ["初始化"];
        "Built by the producer and not stored yet: no broker and no consumer group knows of it.",
        "生产者已构建，还没有存储：Broker 和消费组都还不知道它。";
    (1 . 2 Ready) ["ready"], ["待消费"];
        "Stored, and in this consumer group not handed out yet.",
        "已存储，在这个消费组里还没有投递。";
    (1 . 2 InFlight) ["in flight"], ["消费中"];
        "With a consumer of this consumer group, which has not answered yet; its slot in the queue is dotted meanwhile.",
        "已交给这个消费组的消费者，还没有结果；其间它在队列里的位置画成点线。";
    (1 . 2 Acknowledged) ["acknowledged"], ["已确认"];
        "Handled and counted as consumed in this consumer group; the record stays in the queue.",
        "在这个消费组里处理完毕，算作已消费；记录仍留在队列里。";
    (1 . 2 Retry) ["waiting for a retry", "waiting for retry", "waits for its retry"], ["等待重试"];
        "It failed and will be tried again.",
        "处理失败，将再试一次。";
    (1 . 2 Blocked) ["blocked"], ["阻塞"];
        "It has to wait because a message before it in its queue is not finished.",
        "同一队列里排在前面的消息还没有完成，只能等。";
    (1 . 2 Scheduled) ["scheduled"], ["定时状态", "定时中", "在定时"];
        "The broker has put it aside until its time; no consumer sees it before.",
        "Broker 把它放在一边，到时之前没有消费者看得到它。";
    (1 . 3) ["offset"], ["位点"];
        "The place of a message in its queue, counted from 0.",
        "消息在队列里的位置，从 0 数起。";
    (1 . 3) ["consumer offset"], ["消费位点"];
        "The next message that a consumer group reads from a queue, as the broker has recorded it.",
        "消费组在一个队列里下一条要读的消息，由 Broker 记录。";
    (1 . 3) ["lag"], ["堆积量", "堆积"];
        "How many messages of a queue a consumer group still has before it: the maximum offset less the consumer offset, which the consumer on the stage counts at once and the broker, in diffTotal, some seconds later.",
        "消费组在一个队列里还有多少条消息要读：最大位点减去消费位点；舞台按消费者当下记的数，diffTotal 按 Broker 稍晚记录的数。";
    (1 . 3) ["pull"], ["拉取"];
        "A classic consumer's request for the messages of a queue; where there are none, the broker holds it for up to 20 s.",
        "经典消费者索取一个队列里的消息；没有消息时，Broker 最多挂住它 20 秒。";
    (1 . 4) ["topic type", "type of a topic"], ["主题类型", "主题的类型"];
        "Which messages a topic takes: NORMAL, FIFO, DELAY, TRANSACTION or all (MIXED); the proxy checks it, the broker does not.",
        "主题接收哪种消息：NORMAL、FIFO、DELAY、TRANSACTION，或全部（MIXED）；Proxy 检查，Broker 不检查。";
    (1 . 4) ["proxy"], ["Proxy"];
        "The server between gRPC clients and the broker; it checks the types of messages and chooses their queues.",
        "gRPC 客户端与 Broker 之间的服务器；检查消息类型，并选择队列。";
    (1 . 4) ["4.x client", "classic client"], ["4.x 客户端", "经典客户端"];
        "A client of the older protocol, which talks to the broker itself and keeps order by locks.",
        "使用旧协议的客户端，直接与 Broker 通信，用锁来保证顺序。";
    (1 . 4) ["gRPC client", "5.x client"], ["gRPC 客户端", "5.x 客户端"];
        "A client of the 5.x SDKs, which talks to a proxy; the broker keeps the order for it.",
        "5.x SDK 的客户端，与 Proxy 通信；顺序由 Broker 替它保证。";
    (1 . 4) ["half message"], ["半消息"];
        "A message of a transaction: it is stored, and nobody can read it before the commit.",
        "事务里的消息：已经存储，提交之前谁也读不到。";
    (1 . 4) ["timer wheel"], ["时间轮"];
        "Where the broker keeps messages with a delay of any length until their time.",
        "Broker 存放任意时长延迟消息的地方，到时再投递。";
    (3 . 2) ["listener"], ["监听器"];
        "The application's code that a consumer calls with messages; its answer says whether they were handled.",
        "消费者收到消息后调用的应用代码；它的返回值说明是否处理成功。";
    (4 . 1) ["lock"], ["锁"];
        "It lets one consumer of an ordered consumer group read a queue and no other; the broker keeps it.",
        "让顺序消费组里只有一个消费者能读这个队列；由 Broker 保管。";
    (4 . 1) ["lease"], ["租约"];
        "A lock is given for 60 s, and its owner renews it every 20 s; when the owner is gone, it runs out.",
        "锁一次给 60 秒，持有者每 20 秒续一次；持有者不在了，它就到期。";
    (4 . 5) ["rebalance"], ["重平衡"];
        "How the consumers of a consumer group share the queues: each works it out every 20 s and when one comes or goes.",
        "消费组里的消费者怎样分担队列：每个消费者每 20 秒、以及有消费者加入或离开时，各自算一遍。";
    (5 . 1) ["suspended", "suspend", "SUSPEND_CURRENT_QUEUE_A_MOMENT"], ["暂停", "SUSPEND_CURRENT_QUEUE_A_MOMENT"];
        "After a failure an ordered consumer leaves the queue alone, for 1 s unless told, and then tries the same message again.",
        "处理失败后，顺序消费者让队列停一会儿，默认 1 秒，然后再试同一条消息。";
    (5 . 2) ["max-reconsume-times"], ["max-reconsume-times"];
        "How often a failed message is tried again at most; ordered classic consumers try for ever unless it is set.",
        "失败的消息最多重试几次；不设置时，经典的顺序消费者一直重试。";
    (5 . 2 Dead) ["dead letter"], ["死信"];
        "A message that is given up after its last attempt; a copy of it lies in the topic %DLQ% of its consumer group.",
        "最后一次尝试之后被放弃的消息；副本存入该消费组的 %DLQ% 主题。";
    (10 . 1) ["retry topic"], ["重试主题"];
        "The topic %RETRY% of a consumer group: messages that failed with a concurrent listener come again from there.",
        "消费组的 %RETRY% 主题：并发监听器处理失败的消息从这里再来。";
    (6 . 1) ["POP"], ["POP"];
        "How gRPC clients get messages: the broker hands them out of any queue and hides them for a while.",
        "gRPC 客户端取消息的方式：Broker 从任意队列投递，并把投出的消息隐藏一段时间。";
    (6 . 2 Invisible) ["invisible time", "invisible duration"], ["不可见时间"];
        "How long a message is hidden after it was received; without an acknowledgement by then it is delivered again.",
        "消息被取走之后隐藏多久；到时还没有确认，就再次投递。";
    (7 . 3) ["delay level"], ["延迟级别"];
        "A number that stands for a delay in the table of the broker, by default 18 of them from 1 s to 2 h.",
        "代表一种延迟的编号，由 Broker 的表决定；默认 18 个，从 1 秒到 2 小时。";
    (8 . 3) ["reset"], ["重置"];
        "The admin tool puts the consumer offset of a consumer group to another place.",
        "管理工具把消费组的消费位点改到另一个位置。";
}

#[cfg(test)]
mod tests;
