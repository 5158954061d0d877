//! Symptoms, problems and repairs.

use lockstep_core::explain::diagnose::{Finding, Held, Problem, Symptom};
use lockstep_core::explain::violation::Guilt;
use lockstep_core::explain::{Reason, Undone};
use lockstep_core::fact::SendFailure;
use lockstep_core::ids::{GroupId, MessageGroupId, MsgId, Party, ProducerId};
use lockstep_core::model::Blocking;
use lockstep_core::pop::GrpcKind;
use lockstep_core::process::Process;
use lockstep_core::session::Session;

use super::lines::Quoted;
use super::page::{section, PageText};
use crate::sentence::Speaker;
use crate::{left, number};

crate::catalogue! {
    /// Symptoms.
    SymptomText;
    plain {
        falls_behind = "A consumer group falls behind", "消费组跟不上";
        out_of_order = "Events of one order come out of order", "同一订单的事件乱序";
        handled_out_of_order = "The consumer handles out of order", "消费端处理乱序";
        passed = "After a failure, later messages are handled first", "失败后后续消息先执行";
        wait = "Different orders wait for each other", "不同订单互相等待";
        two_owners = "Two consumers work on one queue", "两个消费者同时处理一个队列";
        not_delivered = "Messages are not delivered", "消息没有投递";
        reset_lost = "A reset has no effect", "重置没有生效";
        again = "Messages are delivered again", "消息重复投递";
        refused = "A send is refused", "发送被拒绝";
        command = "A command is refused", "命令被拒绝";
        stands = "Something stands still", "有内容停滞不前";
    }
    with {}
}

crate::catalogue! {
    /// What made a broken order possible.
    GuiltText;
    plain {
    }
    with {
        round_robin(producer: &str) = "{producer} chooses queues in turn and ignores the message group, so messages of one group lie in several queues.", "{producer} 轮询选择队列，忽略消息组，同一组的消息落在多个队列中。";
        many(producer: &str) = "{producer} sends several messages in one request, and the proxy then ignores their message group.", "{producer} 在一个请求中发送多条消息，Proxy 此时忽略消息组。";
        queues_changed(topic: &str) = "The number of queues of {topic} changed while messages waited, so the same key leads to another queue.", "{topic} 的队列数在仍有消息等待时改变，同一个键落到了另一个队列。";
        brokers_changed(broker: &str) = "{broker} came or went between the sends, the queue list changed, and with it the queue of the key.", "{broker} 在两次发送之间加入或离开，队列列表改变，键对应的队列随之改变。";
        different(first: &str, second: &str) = "{first} and {second} choose the queue of the same message group in different ways.", "{first} 与 {second} 为同一消息组选择队列的方式不同。";
        concurrent(group: &str) = "{group} consumes with a concurrent listener: any thread takes any message.", "{group} 使用并发监听器：任何线程都可以取任何消息。";
        sent_back(group: &str) = "{group} consumes concurrently: a failed message goes back to the broker, and later ones are handled meanwhile.", "{group} 并发消费：失败的消息发回 Broker，期间先处理后面的消息。";
        to_retry_topic(msg: &str, group: &str, release: &str) = "{msg} reached the limit of {group} (maxReconsumeTimes). RocketMQ {release} then puts an ordered message into the retry topic, not among the dead letters: it comes back later, and its queue goes on without it.", "{msg} 达到了 {group} 的重试上限（maxReconsumeTimes）。RocketMQ {release} 此时把顺序消息放进重试主题，而不是死信队列：它稍后才回来，队列不等它就继续。";
        unordered(group: &str) = "{group} is not an ordered consumer group (consumeMessageOrderly is off), so the broker hands out messages whose predecessors are unfinished. The type of the topic does not decide this.", "{group} 不是顺序消费组（consumeMessageOrderly 关闭），前面的消息未完成时 Broker 也会投递后面的消息。这与主题类型无关。";
        came_back(group: &str) = "{group} is not an ordered consumer group: what is not acknowledged comes back by the retry topic, behind later messages.", "{group} 不是顺序消费组：未确认的消息经重试主题返回，排在后面的消息之后。";
        reset(group: &str) = "A reset of {group} skipped a message that was not finished.", "对 {group} 的重置跳过了一条未完成的消息。";
        taken_over(by: &str, from: &str) = "{by} took the queue over while a listener of {from} was still running.", "{from} 的监听器仍在运行时，{by} 接管了队列。";
        application(client: &str) = "The application of {client} held several messages and did not handle them one after the other.", "{client} 的应用同时持有多条消息，没有逐条处理。";
    }
}

crate::catalogue! {
    /// Problems.
    ProblemText;
    plain {}
    with {
        several_producers(series: &str) = "Several producers send messages of the message group {series}. Nobody orders what they send.", "多个生产者发送消息组 {series} 的消息，它们之间没有先后保证。";
        several_threads(producer: &str, series: &str) = "Several threads of {producer} send messages of the message group {series}.", "{producer} 的多个线程发送消息组 {series} 的消息。";
        async_sends(producer: &str) = "{producer} does not wait for its answers: messages overtake each other on their way, and a repeated one comes last.", "{producer} 不等待发送结果：消息在途中互相超越，重发的消息排在最后。";
        committed_late(msg: &str) = "The transaction of {msg} was committed after messages that it comes before had been stored. A half message takes its place in the queue only with its commit.", "{msg} 的事务提交时，本应排在它之后的消息已经存储。半消息在提交时才进入队列。";
        sent_late(msg: &str) = "{msg} was stored behind messages that it comes before: it was sent, or sent again, too late.", "{msg} 存储在本应排在它之后的消息后面：它发送（或重发）得太晚。";
        delays(series: &str) = "Messages of the message group {series} are delayed. They are put back by their due times, not in the order of their sends.", "消息组 {series} 的消息带有延迟，按到期时间而不是发送顺序放回队列。";
        broken(series: &str, why: &str) = "The order of {series} was broken. {why}", "{series} 的顺序被打破。{why}";
        two_owners(by: &str, from: &str) = "{by} handled a queue while {from} was still handling a message of it.", "{from} 仍在处理某队列的消息时，{by} 也在处理它。";
        answers_early(client: &str, work: &str) = "{client} acknowledges messages before their work of {work} can be done: it hands them to other threads. Behind the acknowledgement nobody keeps the order.", "{client} 在 {work} 的处理完成之前就确认消息：它把工作交给了其他线程。确认之后没有人保证顺序。";
        falls_behind(group: &str, topic: &str, came: &str, handled: &str, waiting: &str, waited: &str) = "{group} does not keep up with {topic}: {came} a minute come in, and {handled} a minute are begun. {waiting} ‹waits|wait› by now, the first of them for {waited}, and the lag grows.", "{group} 跟不上 {topic}：每分钟到达 {came} 条，只开始处理 {handled} 条。目前有 {waiting} 条在等待，最早的一条已等 {waited}，堆积还在增加。";
        given_up_with(msg: &str, with: u32, group: &str, attempts: u32) = "{msg} and {with} ‹other|others› of its batch were given up by {group} after {attempts} ‹attempt|attempts›, and later messages of their message group were handled without them. A batch fails as a whole.", "{group} 在 {attempts} 次处理之后放弃了 {msg} 以及同批的另外 {with} 条，同一消息组后面的消息在没有它们的情况下继续处理。一批消息同成同败。";
        given_up(msg: &str, group: &str, attempts: u32) = "{msg} was given up by {group} after {attempts} ‹attempt|attempts›, and later messages of its message group were handled without it.", "{group} 在 {attempts} 次处理之后放弃了 {msg}，同一消息组后面的消息在没有它的情况下继续处理。";
        one_queue(topic: &str) = "All messages of {topic} go into one queue, so every order waits for every other one.", "{topic} 的所有消息都进入一个队列，每个订单都要等待其他订单。";
        few_queues(topic: &str, used: u16, queues: u16) = "The keys of {topic} use only {used} of its {queues} ‹queue|queues›.", "{topic} 的键只用到了 {queues} 个队列中的 {used} 个。";
        hot_group(series: &str, percent: u32) = "The message group {series} has {percent} % of the messages: one queue and one worker for them all.", "消息组 {series} 占了 {percent} % 的消息：全部由一个队列、一个线程处理。";
        poison(msg: &str, group: &str, failures: u32) = "{msg} failed {failures} ‹time|times› in {group}, without a limit, and held up everything behind it.", "{msg} 在 {group} 中失败了 {failures} 次且没有上限，一直阻塞后面的所有消息。";
        poison_to_limit(msg: &str, group: &str, failures: u32, limit: u32) = "{msg} failed {failures} ‹time|times› in {group} and held up everything behind it. Only after {limit} ‹attempt|attempts› does it become a dead letter.", "{msg} 在 {group} 中失败了 {failures} 次，一直阻塞后面的所有消息。要到 {limit} 次之后它才成为死信。";
        poison_of_group(msg: &str, group: &str, failures: u32) = "{msg} failed {failures} ‹time|times› in {group}, without a limit, and held up what lies behind it in its message group.", "{msg} 在 {group} 中失败了 {failures} 次且没有上限，一直阻塞同一消息组中后面的消息。";
        poison_of_group_to_limit(msg: &str, group: &str, failures: u32, limit: u32) = "{msg} failed {failures} ‹time|times› in {group} and held up what lies behind it in its message group. Only after {limit} ‹attempt|attempts› does it become a dead letter.", "{msg} 在 {group} 中失败了 {failures} 次，一直阻塞同一消息组中后面的消息。要到 {limit} 次之后它才成为死信。";
        dead_unbegun(msg: &str, group: &str, deliveries: u32) = "{msg} became a dead letter of {group} although no consumer ever began it: each of its {deliveries} ‹delivery|deliveries› counts, and none arrived in time.", "{msg} 从未有消费者开始处理，却成了 {group} 的死信：{deliveries} 次投递都计入次数，但没有一次及时到达。";
        subscriptions(group: &str) = "The members of {group} subscribe to different things. The last heartbeat decides for all of them, and queues are divided without looking at it.", "{group} 的成员订阅不一致。以最后一次心跳为准，而队列的划分并不考虑订阅。";
        write_above_read(topic: &str, messages: u32) = "Messages of {topic} lie in queues that nobody may read ({messages} in all): there are more write queues than read queues.", "{topic} 有 {messages} 条消息在没有人能读的队列中：写队列多于读队列。";
        taken_away(topic: &str, messages: u32) = "Messages of {topic} lie in queues that nobody may read ({messages} in all): the queues were taken away before they were empty.", "{topic} 有 {messages} 条消息在没有人能读的队列中：这些队列还没读空就被移除了。";
        filters(group: &str) = "The members of {group} subscribe to different things. Each receive carries its own filter, but the group has one offset in each queue: what one member's filter passes over is passed over for all.", "{group} 的成员订阅不一致。每次接收带自己的过滤条件，但该组在每个队列只有一个位点：一个成员过滤跳过的消息，所有成员都会跳过。";
        type_mismatch(topic: &str, producer: &str) = "{producer} sends messages to {topic} whose type is not the topic's. Each type goes to a topic of its own, or all of them to one of type MIXED, which RocketMQ has since 5.1.4.", "{producer} 向 {topic} 发送的消息类型与主题类型不符。不同类型应发往各自的主题，或都发往 MIXED 类型的主题（RocketMQ 5.1.4 起）。";
        negative_key(producer: &str, msg: &str) = "The selector of {producer} gave a queue that does not exist for {msg}: the remainder of a negative number is negative.", "{producer} 的选择器为 {msg} 给出了不存在的队列：负数取余结果为负。";
        dead_owner(client: &str, waited: &str) = "{client} ended without giving its locks back. The next owner waited {waited} for the lease.", "{client} 没有归还锁就结束了，下一个持有者为租约等待了 {waited}。";
        dead_member(client: &str, waited: &str) = "{client} ended and nobody told the broker. Its queues stayed its own for longer than the lease of its locks, until the broker removed it from the group. The next owner waited {waited}.", "{client} 结束时没有通知 Broker。它的队列一直归它所有，比锁的租约更久，直到 Broker 把它移出消费组。下一个持有者等待了 {waited}。";
        sends_failed(producer: &str, messages: u32, why: &str) = "Sends of {producer} failed: {why}. Messages stored nowhere: {messages}.", "{producer} 发送失败：{why}。未存储的消息：{messages} 条。";
        commands_refused(commands: u32, why: &str) = "What was asked for did not happen: {why}. Commands refused for it: {commands}.", "要求的操作没有发生：{why}。因此被拒绝的命令：{commands} 条。";
        rolls_back(msg: &str, group: &str, times: u32) = "{msg} was rolled back {times} ‹time|times› in {group}. A rollback is not counted as a failure: no limit ends it, and everything since the last commit is handled again.", "{msg} 在 {group} 中回滚了 {times} 次。回滚不计为失败：没有上限会终止它，上次提交之后的所有消息都会再次处理。";
        hung(client: &str, msg: &str, waited: &str) = "{client} stood still, and {msg} waited {waited} behind it.", "{client} 停滞不动，{msg} 因此等待了 {waited}。";
        slow(client: &str, msg: &str, took: &str, waiting: &str, waited: &str) = "{client} took {took} to handle {msg}, and {waiting} waited {waited} for it: an ordered queue waits for the end of each call.", "{client} 处理 {msg} 用了 {took}，{waiting} 因此等待了 {waited}：顺序队列要等每次调用结束。";
        slow_still(client: &str, msg: &str, took: &str, waiting: &str, waited: &str) = "{client} has been handling {msg} for {took} and still does; {waiting} has waited {waited} for it: an ordered queue waits for the end of each call.", "{client} 处理 {msg} 已用了 {took}，仍未结束；{waiting} 已因此等待 {waited}：顺序队列要等每次调用结束。";
        half_lost(msg: &str) = "The half message {msg} was lost with the power of its broker before it was on disk. The application was told that it was stored, but whatever it decides comes to nothing: nobody will see the message.", "半消息 {msg} 在落盘之前随 Broker 断电丢失。应用得到的答复是已存储，但无论事务结果如何都不再生效：没有人会看到它。";
        halves_lost(msg: &str, messages: u32) = "{messages} half ‹message was|messages were› lost with the power of their broker before they were on disk, {msg} first. The application was told that they were stored, but whatever it decides comes to nothing: nobody will see them.", "{messages} 条半消息在落盘之前随 Broker 断电丢失，第一条是 {msg}。应用得到的答复是已存储，但无论事务结果如何都不再生效：没有人会看到它们。";
        stands_stranded(msg: &str, group: &str, why: &str) = "{msg} does not come back for {group}. {why}", "{msg} 不会再投递给 {group}。{why}";
        held(msg: &str, group: &str, waited: &str, why: &str) = "A queue stood still for {group}, and {msg} waited {waited}. {why}", "{group} 的一个队列停滞，{msg} 等待了 {waited}。{why}";
        held_dead_push(client: &str) = "{client} died with messages in hand. The proxy counts a dead consumer as its client for two minutes after its last heartbeat and goes on renewing them; until then they are invisible, and they block their queue for everybody.", "{client} 带着消息崩溃。最后一次心跳之后两分钟内，Proxy 仍把它当作客户端并不断续期；在此之前消息不可见，并为所有消费者阻塞队列。";
        held_dead_simple(client: &str) = "{client} died with messages in hand. Nobody renews what a SimpleConsumer received, but until the invisible duration that it asked for was over, they blocked their queue for everybody.", "{client} 带着消息崩溃。SimpleConsumer 收到的消息没有人续期，但在它要求的不可见时间结束之前，这些消息为所有消费者阻塞队列。";
        held_cut(a: &str, b: &str) = "Nothing got through between {a} and {b}: what was asked for and what was answered was lost.", "{a} 与 {b} 之间不通：请求和应答都丢失了。";
        held_down(party: &str) = "{party} was down.", "{party} 停机了。";
        held_lost(from: &str, to: &str) = "The broker had delivered it, and the answer was lost between {from} and {to}: until its invisible time was over, nobody was given it or what lies behind it.", "Broker 已投递它，但响应在 {from} 与 {to} 之间丢失：在不可见时间结束之前，它和它后面的消息都不会给任何人。";
        held_hand_over(client: &str) = "{client} was to give the queue to another consumer, but its listener ran. It tried again only in its next rebalance round; until then nobody took anything from the queue.", "{client} 要把队列交给另一个消费者，但当时监听器正在运行。它要到下一轮重平衡才再试，此前没有人从该队列取消息。";
        held_unlock_delay(client: &str, delay: &str) = "Because messages of it were cached, {client} gave the broker's lock back only {delay} after it had parted with the queue.", "由于本地还缓存着该队列的消息，{client} 交出队列 {delay} 之后才归还 Broker 上的锁。";
        held_returned(client: &str) = "{client} dropped the queue, could not give it away while its listener ran, and was then allocated it again. A dropped queue that stands in its table is neither given away nor taken anew before it has not been pulled for long.", "{client} 放弃了该队列，因监听器在运行而没能交出，随后该队列又重新分配给它。留在表中的被丢弃队列，在长时间没有拉取之前，既不会交出，也不会重新接手。";
        held_threads(client: &str, threads: u16) = "{client} has {threads} ‹thread|threads›, and what it had was at work on other queues: a thread goes on with one queue as long as there is something to handle in it, up to `maxTimeConsumeContinuously`.", "{client} 只有 {threads} 个线程，都在处理别的队列：只要还有消息，一个线程会连续处理同一个队列，最长到 `maxTimeConsumeContinuously`。";
        held_refused(code: &str) = "The proxy refused the receives of the group again and again ({code}).", "Proxy 一再拒绝该组的接收请求（{code}）。";
        acks_fail(client: &str, failures: u32, code: &str, msg: &str) = "Acknowledgements of {client} failed again and again ({failures} ‹time|times›: {code}), so the broker does not know that {msg} is done, and its queue is blocked until it does.", "{client} 的确认一再失败（{failures} 次：{code}），Broker 因此不知道 {msg} 已处理完，队列一直被阻塞。";
        acks_fail_again(client: &str, failures: u32, code: &str, msg: &str) = "Acknowledgements of {client} failed again and again ({failures} ‹time|times›: {code}), so {msg} was delivered once more although it was handled.", "{client} 的确认一再失败（{failures} 次：{code}），{msg} 虽已处理，却再次投递。";
        never_acked(client: &str, msg: &str, times: u32) = "{client} received {msg} {times} ‹time|times› and never acknowledged it. After each invisible duration it comes again, and what lies behind it waits.", "{client} 收到 {msg} {times} 次，从未确认。每次不可见时间结束后它都会再来，后面的消息一直等待。";
        never_acked_dead(client: &str, msg: &str, times: u32) = "{client} received {msg} {times} ‹time|times› and never acknowledged it. After each invisible duration it came again, until its attempts were used up and it became a dead letter.", "{client} 收到 {msg} {times} 次，从未确认。每次不可见时间结束后它都会再来，直到次数用尽，成为死信。";
        goes_round(msg: &str, group: &str, times: u32, release: &str) = "{msg} came back to {group} by the retry topic, {times} ‹time|times› so far. RocketMQ {release} has no dead letters for an ordered message that reaches the limit: each time it fails it goes round once more, without end.", "{msg} 经重试主题回到 {group}，至今 {times} 次。RocketMQ {release} 不会把达到上限的顺序消息变成死信：每失败一次就再绕一圈，没有终点。";
        mixed_stacks(group: &str, classic: &str, grpc: &str) = "{classic} (4.x, by remoting) and {grpc} (5.x, by gRPC) are members of one consumer group. The queue lock binds 4.x consumers only: a POP does not ask for it and reads from the same consumer offset, so both are given the same messages of {group}.", "{classic}（4.x，Remoting 协议）与 {grpc}（5.x，gRPC 协议）在同一个消费组。队列锁只约束 4.x 消费者：POP 不申请锁，又从同一个消费位点读取，因此两者会拿到 {group} 的同一批消息。";
        undecided(msg: &str, checks: u32) = "The transaction of {msg} was never decided. The broker asked its producer {checks} ‹time|times› and then set the half message aside: no consumer ever sees it.", "{msg} 的事务一直没有结论。Broker 向生产者回查了 {checks} 次，然后把半消息搁置：没有消费者会看到它。";
        undecided_lost(msg: &str, checks: u32, from: &str, to: &str) = "The decision about the transaction of {msg} was lost on its way from {from} to {to}. The broker asked {checks} ‹time|times›, heard no decision, and then set the half message aside: no consumer ever sees it.", "{msg} 的事务结果在 {from} 到 {to} 的途中丢失。Broker 回查了 {checks} 次，没有得到结果，然后把半消息搁置：没有消费者会看到它。";
        undecided_late(msg: &str, checks: u32, proxy: &str, kept: &str) = "The decision about the transaction of {msg} came too late: {proxy} remembers where a half message is for {kept} only (transactionDataExpireMillis), and no longer knew. The broker asked {checks} ‹time|times›, heard no decision, and then set the half message aside: no consumer ever sees it.", "{msg} 的事务结果来得太晚：{proxy} 只在 {kept} 内记得半消息的位置（transactionDataExpireMillis），此时已不知道。Broker 回查了 {checks} 次，没有得到结果，然后把半消息搁置：没有消费者会看到它。";
        undecided_full(msg: &str, checks: u32, broker: &str) = "The decision about the transaction of {msg} came to nothing: the disk of {broker} was too full for writes. The broker asked {checks} ‹time|times› and then set the half message aside: no consumer ever sees it.", "{msg} 的事务结果没有生效：{broker} 的磁盘已满，无法写入。Broker 回查了 {checks} 次，然后把半消息搁置：没有消费者会看到它。";
        not_taken_back(msg: &str, group: &str, broker: &str, times: u32) = "{msg} failed in {group} and was to leave its queue, but {broker} refused to take it {times} ‹time|times›: its disk was too full for writes. Until there is room it is tried again and again.", "{msg} 在 {group} 中处理失败，本应离开队列，但 {broker} 拒绝接收 {times} 次：磁盘已满，无法写入。腾出空间之前会一再重试。";
        not_put_back(msg: &str, broker: &str, waited: &str) = "{msg} was due, and waited {waited} to be put back into its queue: the disk of {broker} was too full for writes.", "{msg} 已到期，却等了 {waited} 才能放回队列：{broker} 的磁盘已满，无法写入。";
        after_loss(group: &str, broker: &str, messages: u32) = "The machine of {broker} lost power, and with it the end of a queue that {group} had read. What was stored there afterwards lies before the offset of {group} and is passed over (messages: {messages}).", "{broker} 所在机器断电，丢失了 {group} 已读过的队列末尾。之后存到那里的消息位于 {group} 的位点之前，被跳过（{messages} 条）。";
        sends_refused(producer: &str, messages: u32, why: &str, broker: &str) = "Sends of {producer} failed: {why}. The disk of {broker} was too full for writes. Messages stored nowhere: {messages}.", "{producer} 发送失败：{why}。{broker} 的磁盘已满，无法写入。未存储的消息：{messages} 条。";
        invisible(group: &str, msg: &str) = "The invisible time of {msg} was over before {group} acknowledged it: it is delivered again, and the acknowledgement is void.", "{group} 确认之前 {msg} 的不可见时间已到：它会再次投递，确认无效。";
        batch(group: &str, messages: u32) = "{group} takes {messages} ‹message|messages› in one call. When one of them fails, all of them run again.", "{group} 一次调用取 {messages} 条消息，其中一条失败，全部都要重来。";
        begins_behind(group: &str, messages: u32) = "{group} had no offset and began behind what was there (messages: {messages}).", "{group} 没有位点，从已有的 {messages} 条消息之后开始。";
        reset_in_pause(group: &str, client: &str) = "The broker sent the reset of {group} to its consumers and wrote nothing itself. {client}, which had the queue, ended within its pause (resetOffsetPause), before it wrote the new offset. Nobody else does.", "Broker 只把对 {group} 的重置发给消费者，自己不写位点。持有队列的 {client} 在暂停期间（resetOffsetPause）结束，还没有写入新位点，也没有其他消费者会写。";
        reset_unheard(group: &str, client: &str) = "The broker sent the reset of {group} to its consumers and wrote nothing itself. {client}, which had the queue, never carried it out: the request did not reach it, or it ended first. Nobody else does.", "Broker 只把对 {group} 的重置发给消费者，自己不写位点。持有队列的 {client} 没有执行：请求没有到达，或它先结束了，也没有其他消费者会执行。";
        lost(group: &str, messages: u32) = "Messages were gone before {group} was done with them: {messages}.", "{group} 处理完之前，有 {messages} 条消息已经消失。";
        stands(msg: &str, group: &str, waited: &str, why: &str) = "{msg} has waited {waited} for {group}. {why}", "{msg} 已等待 {group} {waited}。{why}";
    }
}

impl Speaker<'_> {
    fn series(&self, series: MessageGroupId) -> &str {
        let series = &self.world.shared.names.series[series.index()];
        series.key.as_deref().unwrap_or(&series.name)
    }

    /// What somebody notices.
    pub fn symptom(&self, symptom: Symptom) -> &'static str {
        let text = SymptomText(self.locale);
        match symptom {
            Symptom::OutOfOrder => text.out_of_order(),
            Symptom::FallsBehind => text.falls_behind(),
            Symptom::HandledOutOfOrder => text.handled_out_of_order(),
            Symptom::PassedAfterFailure => text.passed(),
            Symptom::WaitForEachOther => text.wait(),
            Symptom::TwoOwners => text.two_owners(),
            Symptom::NotDelivered => text.not_delivered(),
            Symptom::ResetLost => text.reset_lost(),
            Symptom::DeliveredAgain => text.again(),
            Symptom::Refused => text.refused(),
            Symptom::CommandRefused => text.command(),
            Symptom::StandsStill => text.stands(),
        }
    }

    /// What made a violation possible.
    pub fn guilt(&self, guilt: &Guilt) -> String {
        let text = GuiltText(self.locale);
        match *guilt {
            Guilt::RoundRobin { producer } => text.round_robin(self.producer(producer)),
            Guilt::ManyInRequest { producer } => text.many(self.producer(producer)),
            Guilt::QueuesChanged { topic } => text.queues_changed(self.topic(topic)),
            Guilt::BrokersChanged { broker } => {
                text.brokers_changed(self.party(lockstep_core::ids::Party::Broker(broker)))
            }
            Guilt::DifferentChoice { first, second } => {
                text.different(self.producer(first), self.producer(second))
            }
            Guilt::ConcurrentListener { group } => text.concurrent(self.group(group)),
            Guilt::SentBack { group } => text.sent_back(self.group(group)),
            Guilt::ToRetryTopic { group, msg } => {
                let release = self.world.shared.model.version.to_string();
                text.to_retry_topic(&self.msg(msg), self.group(group), &release)
            }
            Guilt::UnorderedGroup { group } => text.unordered(self.group(group)),
            Guilt::CameBack { group } => text.came_back(self.group(group)),
            Guilt::Reset { group } => text.reset(self.group(group)),
            Guilt::TakenOver { from, by } => text.taken_over(self.client(by), self.client(from)),
            Guilt::Application { client } => text.application(self.client(client)),
        }
    }

    /// What is wrong.
    pub fn problem(&self, problem: &Problem) -> String {
        let text = ProblemText(self.locale);
        let (msg, group) = (|m: MsgId| self.msg(m), |g: GroupId| self.group(g).to_owned());
        let producer = |p: ProducerId| self.producer(p).to_owned();
        let by_group = self.world.shared.model.blocking == Blocking::MessageGroup;
        match *problem {
            Problem::SeveralProducers { series } => text.several_producers(self.series(series)),
            Problem::SeveralThreads { series, producer: by } => {
                text.several_threads(&producer(by), self.series(series))
            }
            Problem::AsyncSends { producer: by } => text.async_sends(&producer(by)),
            Problem::CommittedLate { msg: m } => text.committed_late(&msg(m)),
            Problem::SentLate { msg: m } => text.sent_late(&msg(m)),
            Problem::Delays { series } => text.delays(self.series(series)),
            Problem::Broken { ref guilt, series } => {
                text.broken(self.series(series), &self.guilt(guilt))
            }
            Problem::TwoOwners { from, by } => text.two_owners(self.client(by), self.client(from)),
            Problem::AnswersEarly { client, work_ms } => {
                text.answers_early(self.client(client), &left(work_ms))
            }
            Problem::GivenUp { msg: m, group: g, attempts, with: 0 } => {
                text.given_up(&msg(m), &group(g), attempts)
            }
            Problem::GivenUp { msg: m, group: g, attempts, with } => {
                text.given_up_with(&msg(m), with, &group(g), attempts)
            }
            Problem::OneQueue { topic, .. } => text.one_queue(self.topic(topic)),
            Problem::FewQueues { topic, used, queues } => {
                text.few_queues(self.topic(topic), used, queues)
            }
            Problem::HotGroup { series, percent } => text.hot_group(self.series(series), percent),
            Problem::Poison { msg: m, group: g, failures, limit: None } if by_group => {
                text.poison_of_group(&msg(m), &group(g), failures)
            }
            Problem::Poison { msg: m, group: g, failures, limit: Some(limit) } if by_group => {
                text.poison_of_group_to_limit(&msg(m), &group(g), failures, limit)
            }
            Problem::Poison { msg: m, group: g, failures, limit: None } => {
                text.poison(&msg(m), &group(g), failures)
            }
            Problem::Poison { msg: m, group: g, failures, limit: Some(limit) } => {
                text.poison_to_limit(&msg(m), &group(g), failures, limit)
            }
            Problem::DeadUnbegun { msg: m, group: g, deliveries } => {
                text.dead_unbegun(&msg(m), &group(g), deliveries)
            }
            Problem::Subscriptions { group: g, pop: false } => text.subscriptions(&group(g)),
            Problem::Subscriptions { group: g, pop: true } => text.filters(&group(g)),
            Problem::WriteAboveRead { topic, messages, removed: true } => {
                text.taken_away(self.topic(topic), messages)
            }
            Problem::WriteAboveRead { topic, messages, removed: false } => {
                text.write_above_read(self.topic(topic), messages)
            }
            Problem::TypeMismatch { topic, producer: by } => {
                text.type_mismatch(self.topic(topic), &producer(by))
            }
            Problem::NegativeKey { producer: by, msg: m } => {
                text.negative_key(&producer(by), &msg(m))
            }
            Problem::DeadOwner { client, waited_ms, member: true } => {
                text.dead_member(self.client(client), &left(waited_ms))
            }
            Problem::DeadOwner { client, waited_ms, member: false } => {
                text.dead_owner(self.client(client), &left(waited_ms))
            }
            Problem::SendsFailed { producer: by, failure, messages, full: Some(broker) }
                if failure != SendFailure::DiskFull =>
            {
                let (why, broker) = (self.send_failure(failure), self.party(Party::Broker(broker)));
                text.sends_refused(&producer(by), messages, &why, broker)
            }
            Problem::SendsFailed { producer: by, failure, messages, .. } => {
                text.sends_failed(&producer(by), messages, &self.send_failure(failure))
            }
            Problem::CommandsRefused { index, commands } => {
                let why = self.world.refusal(index).map(|refusal| self.refusal(refusal));
                text.commands_refused(commands, &why.unwrap_or_default())
            }
            Problem::RollsBack { msg: m, group: g, times } => {
                text.rolls_back(&msg(m), &group(g), times)
            }
            Problem::Hung { client, msg: m, waited_ms } => {
                text.hung(self.client(client), &msg(m), &left(waited_ms))
            }
            Problem::Slow { client, msg: m, took_ms, runs, waited, waited_ms } => {
                let (took, long) = (left(took_ms), left(waited_ms));
                let client = self.client(client);
                match runs {
                    true => text.slow_still(client, &msg(m), &took, &msg(waited), &long),
                    false => text.slow(client, &msg(m), &took, &msg(waited), &long),
                }
            }
            Problem::Held { msg: m, group: g, by, waited_ms } => {
                text.held(&msg(m), &group(g), &left(waited_ms), &self.held_by(by))
            }
            Problem::AcksFail { client, msg: m, failures, code, again } => {
                let (client, code) = (self.client(client), self.code(code));
                match again {
                    true => text.acks_fail_again(client, failures, &code, &msg(m)),
                    false => text.acks_fail(client, failures, &code, &msg(m)),
                }
            }
            Problem::NeverAcknowledged { client, msg: m, times, dead: false, .. } => {
                text.never_acked(self.client(client), &msg(m), times)
            }
            Problem::NeverAcknowledged { client, msg: m, times, dead: true, .. } => {
                text.never_acked_dead(self.client(client), &msg(m), times)
            }
            Problem::HalfLost { msg: m, messages: 1 } => text.half_lost(&msg(m)),
            Problem::HalfLost { msg: m, messages } => text.halves_lost(&msg(m), messages),
            Problem::FallsBehind { group: g, topic, came, handled, waiting, waited_ms } => {
                let [came, handled, waiting] =
                    [came, handled, waiting].map(|count| number(i64::from(count)));
                let topic = self.topic(topic);
                text.falls_behind(&group(g), topic, &came, &handled, &waiting, &left(waited_ms))
            }
            Problem::GoesRound { msg: m, group: g, times } => {
                let release = self.world.shared.model.version.to_string();
                text.goes_round(&msg(m), &group(g), times, &release)
            }
            Problem::MixedStacks { group: g, classic, grpc } => {
                text.mixed_stacks(&group(g), self.client(classic), self.client(grpc))
            }
            Problem::Undecided { msg: m, checks, undone } => self.undecided(m, checks, undone),
            Problem::NotTakenBack { broker, group: g, msg: m, times } => {
                text.not_taken_back(&msg(m), &group(g), self.party(Party::Broker(broker)), times)
            }
            Problem::NotPutBack { broker, msg: m, waited_ms } => {
                text.not_put_back(&msg(m), self.party(Party::Broker(broker)), &left(waited_ms))
            }
            Problem::PassedAfterLoss { broker, group: g, messages } => {
                text.after_loss(&group(g), self.party(Party::Broker(broker)), messages)
            }
            Problem::InvisibleTooShort { group: g, msg: m } => text.invisible(&group(g), &msg(m)),
            Problem::BatchFails { group: g, messages } => text.batch(&group(g), messages),
            Problem::BeginsBehind { group: g, messages } => text.begins_behind(&group(g), messages),
            Problem::ResetLost { group: g, client, in_pause: true } => {
                text.reset_in_pause(&group(g), self.client(client))
            }
            Problem::ResetLost { group: g, client, in_pause: false } => {
                text.reset_unheard(&group(g), self.client(client))
            }
            Problem::Lost { group: g, messages } => text.lost(&group(g), messages),
            Problem::Stands {
                msg: m,
                group: g,
                reason: ref reason @ Reason::Stranded { .. },
                ..
            } => text.stands_stranded(&msg(m), &group(g), &self.reason(Some(m), reason)),
            Problem::Stands { msg: m, group: g, ref reason, waited_ms } => {
                text.stands(&msg(m), &group(g), &left(waited_ms), &self.reason(Some(m), reason))
            }
        }
    }

    /// Why no decision about a transaction reached the broker.
    fn undecided(&self, msg: MsgId, checks: u8, undone: Option<Undone>) -> String {
        let text = ProblemText(self.locale);
        let (msg, checks) = (&self.msg(msg), u32::from(checks));
        match undone {
            None => text.undecided(msg, checks),
            Some(Undone::Lost { from, to }) => {
                text.undecided_lost(msg, checks, self.party(from), self.party(to))
            }
            Some(Undone::Forgotten { proxy }) => {
                let kept_ms = self.world.shared.model.proxy_transaction_data_expire_ms;
                let proxy = self.party(Party::Proxy(proxy));
                text.undecided_late(msg, checks, proxy, &left(kept_ms))
            }
            Some(Undone::NotWritten { broker } | Undone::Full { broker }) => {
                text.undecided_full(msg, checks, self.party(Party::Broker(broker)))
            }
        }
    }

    /// What held a queue.
    fn held_by(&self, by: Held) -> String {
        let text = ProblemText(self.locale);
        match by {
            Held::Dead { client } => {
                let process = self.world.clients.get(client.index()).and_then(Process::grpc);
                let renewed = process.is_none_or(|p| p.kind == GrpcKind::Push);
                match renewed {
                    true => text.held_dead_push(self.client(client)),
                    false => text.held_dead_simple(self.client(client)),
                }
            }
            Held::Cut { a, b } => text.held_cut(self.party(a), self.party(b)),
            Held::Down { party } => text.held_down(self.party(party)),
            Held::Lost { from, to } => text.held_lost(self.party(from), self.party(to)),
            Held::HandOver { client, delayed_ms: 0 } => text.held_hand_over(self.client(client)),
            Held::HandOver { client, delayed_ms } => {
                let client = self.client(client);
                let later = text.held_unlock_delay(client, &left(delayed_ms));
                self.two(text.held_hand_over(client), later)
            }
            Held::Returned { client } => text.held_returned(self.client(client)),
            Held::Threads { client, threads } => text.held_threads(self.client(client), threads),
            Held::Refused { code } => text.held_refused(&self.code(Some(code))),
        }
    }

    /// A finding in lines.
    pub fn finding(&self, session: &Session, finding: &Finding) -> Vec<String> {
        self.finding_of(session, finding, &|_| None)
    }

    fn finding_of(&self, session: &Session, finding: &Finding, quoted: Quoted<'_>) -> Vec<String> {
        let page = PageText(self.locale);
        let mut lines = vec![
            self.symptom(finding.symptom).to_owned(),
            format!("  {}", self.problem(&finding.problem)),
        ];
        let facts = finding.evidence.iter().filter_map(|i| session.facts().get(*i as usize));
        section(&mut lines, page.colon(page.evidence()), facts.map(|r| self.dated(session, r)));
        let needs = finding.needs.iter().map(|missing| self.missing(missing));
        let changes = finding.repair.iter().map(|c| self.change_of(c, session.journal(), quoted));
        let leaves = finding.leaves.iter();
        let leaves =
            leaves.map(|[earlier, later]| page.leaves(&self.msg(*earlier), &self.msg(*later)));
        section(&mut lines, page.colon(page.repair()), needs.chain(changes).chain(leaves));
        lines
    }

    /// A whole diagnosis in lines; one line when nothing is wrong. `quoted` gives the
    /// lines of the text that tells the run.
    pub fn diagnosis(
        &self,
        session: &Session,
        findings: &[Finding],
        quoted: Quoted<'_>,
    ) -> Vec<String> {
        if findings.is_empty() {
            return vec![PageText(self.locale).healthy().to_owned()];
        }
        let mut lines = Vec::new();
        for finding in findings {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            lines.extend(self.finding_of(session, finding, quoted));
        }
        lines
    }
}
