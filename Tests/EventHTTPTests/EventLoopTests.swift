import Glibc
import Synchronization
import Testing

@testable import EventHTTP

@Suite struct EventLoopTests {
    @Test func timersFireInOrderAndNeverEarly() throws {
        let loop = try EventLoop()
        var fired: [Int] = []
        var late: [LoopTimer] = []
        for delay in [30, 10, 20] {
            let due = loop.now + UInt64(delay) * 1_000_000
            let timer = loop.timer {
                #expect(loop.now >= due)
                fired.append(delay)
                if fired.count == 3 { loop.stop() }
            }
            timer.schedule(afterNanoseconds: UInt64(delay) * 1_000_000)
            late.append(timer)
        }
        loop.run()
        #expect(fired == [10, 20, 30])
    }

    @Test func aTimerFiresOncePerScheduleAndNotWhenCancelledOrFreed() throws {
        let loop = try EventLoop()
        var counts = [0, 0, 0, 0]
        let (first, cancelled, moved) = (
            loop.timer { counts[0] += 1 }, loop.timer { counts[1] += 1 }, loop.timer { counts[2] += 1 }
        )
        var freed: LoopTimer? = loop.timer { counts[3] += 1 }
        first.schedule(afterNanoseconds: 0)
        cancelled.schedule(afterNanoseconds: 0)
        cancelled.cancel()
        cancelled.schedule(afterNanoseconds: 1)
        cancelled.cancel()
        moved.schedule(afterNanoseconds: 0)
        moved.schedule(afterNanoseconds: 3_600_000_000_000)
        freed?.schedule(afterNanoseconds: 0)
        freed = nil
        let end = loop.timer { loop.stop() }
        end.schedule(afterNanoseconds: 20_000_000)
        loop.run()
        #expect(counts == [1, 0, 0, 0])
        #expect(freed == nil)
    }

    @Test func aTimerWithoutDelayDoesNotMakeTheLoopWait() throws {
        let loop = try EventLoop()
        var rounds = 0
        var timer: LoopTimer?
        timer = loop.timer {
            rounds += 1
            if rounds < 100 { timer?.schedule(afterNanoseconds: 0) } else { loop.stop() }
        }
        timer?.schedule(afterNanoseconds: 0)
        loop.run()
        #expect(loop.turns <= 100)
        timer = nil
    }

    @Test func aTimerMayDropItselfWhileItFires() throws {
        let loop = try EventLoop()
        var timer: LoopTimer?
        timer = loop.timer {
            timer = nil
            loop.stop()
        }
        timer?.schedule(afterNanoseconds: 0)
        loop.run()
        #expect(timer == nil)
    }

    @Test func postponedWorkRunsAfterTheCallbacksOfItsTurnAndMayPostponeMore() throws {
        let loop = try EventLoop()
        var order: [String] = []
        loop.postpone {
            order.append("first")
            loop.postpone {
                order.append("second")
                loop.stop()
            }
        }
        let timer = loop.timer {
            loop.postpone { order.append("after") }
            order.append("timer")
        }
        timer.schedule(afterNanoseconds: 0)
        while order.count < 4 { loop.turn() }
        let (fired, after) = (order.firstIndex(of: "timer") ?? 9, order.firstIndex(of: "after") ?? 0)
        #expect(fired < after)
        #expect((order.firstIndex(of: "first") ?? 9) < (order.firstIndex(of: "second") ?? 0))
    }

    /// The changelist of libevent merges "delete" and "add" of one number, although it is another file by then.
    @Test func watchesADescriptorWhoseNumberIsUsedAgainInTheSameTurn() throws {
        let loop = try EventLoop()
        let fired = Counter()
        var watches: [ReadWatch] = []
        let old = pipe()
        let number = old.reading.number
        watches.append(ReadWatch(loop: loop, old.reading) { fired.value += 100 })
        loop.postpone {}
        loop.turn()
        watches.removeAll()
        let new = pipe()
        // As when a connection is closed and another accepted in its place.
        dup2(new.reading.number, number)
        watches.append(
            ReadWatch(loop: loop, old.reading) {
                fired.value += 1; loop.stop()
            })
        write(new.writing.number, "x", 1)
        loop.run()
        #expect(fired.value == 1)
        watches.removeAll()
    }

    @Test func deliversSignalsAsEvents() throws {
        let received = try Mailbox<Int32>()
        // A thread of its own: it blocks the signal for itself only, and sends it to itself.
        let thread = try LoopThread(name: "signals") {
            guard let loop = try? EventLoop() else { return }
            SignalWatch.block([SIGUSR2])
            let watch = try? SignalWatch(loop: loop, signals: [SIGUSR2]) {
                received.send($0)
                loop.stop()
            }
            pthread_kill(pthread_self(), SIGUSR2)
            withExtendedLifetime(watch) { loop.run() }
        }
        thread.join()
        #expect(received.takeAll() == [SIGUSR2])
    }
}

private final class Counter {
    var value = 0
}

private func pipe() -> (reading: Descriptor, writing: Descriptor) {
    var ends: [Int32] = [-1, -1]
    _ = Glibc.pipe(&ends)
    return (Descriptor(ends[0]), Descriptor(ends[1]))
}

@Suite struct MailboxTests {
    @Test func deliversTheMessagesOfSeveralThreadsOnceEachAndInOrder() throws {
        let mailbox = try Mailbox<(sender: Int, number: Int)>()
        let loop = try EventLoop()
        let (senders, each) = (4, 20_000)
        var next = [Int](repeating: 0, count: senders)
        var count = 0
        loop.receive(from: mailbox) { messages in
            for message in messages {
                #expect(message.number == next[message.sender])
                next[message.sender] += 1
            }
            count += messages.count
            if count == senders * each { loop.stop() }
        }
        let threads = try (0..<senders).map { sender in
            try LoopThread(name: "sender") {
                for number in 0..<each / 2 { mailbox.send((sender, number)) }
                for start in stride(from: each / 2, to: each, by: 100) {
                    mailbox.send(contentsOf: (start..<start + 100).map { (sender, $0) })
                }
            }
        }
        loop.run()
        for thread in threads { thread.join() }
        #expect(next == [Int](repeating: each, count: senders))
        #expect(mailbox.takeAll().isEmpty)
    }

    @Test func signalsOnceForMessagesThatNobodyHasTaken() throws {
        let mailbox = try Mailbox<Int>()
        for number in 0..<3 { mailbox.send(number) }
        var count: UInt64 = 0
        #expect(read(mailbox.descriptor.number, &count, 8) == 8)
        #expect(count == 1)
        #expect(mailbox.takeAll() == [0, 1, 2])
        mailbox.send(contentsOf: [])
        #expect(read(mailbox.descriptor.number, &count, 8) == -1)
        mailbox.send(3)
        #expect(read(mailbox.descriptor.number, &count, 8) == 8)
    }

    @Test func aMessageMaySendAnother() throws {
        let mailbox = try Mailbox<Int>()
        let loop = try EventLoop()
        var received: [Int] = []
        loop.receive(from: mailbox) { messages in
            received += messages
            if let last = messages.last, last < 5 { mailbox.send(last + 1) } else { loop.stop() }
        }
        mailbox.send(0)
        loop.run()
        #expect(received == [0, 1, 2, 3, 4, 5])
    }
}
