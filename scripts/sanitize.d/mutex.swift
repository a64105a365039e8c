// Two threads count, behind a Mutex; with an argument, also beside it, which is a race.
import Glibc
import Synchronization

final class Counts: Sendable {
    let guarded = Mutex(0)
    nonisolated(unsafe) var bare = 0
}

let counts = Counts()

func count(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    for _ in 0..<100_000 {
        counts.guarded.withLock { $0 += 1 }
        if CommandLine.argc > 1 { counts.bare += 1 }
    }
    return nil
}

var threads = [pthread_t(), pthread_t()]
for place in threads.indices { pthread_create(&threads[place], nil, count, nil) }
for thread in threads { pthread_join(thread, nil) }
