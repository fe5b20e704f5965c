// Checks that the thread sanitizer distinguishes a race from none: without arguments it must be silent, with one it
// must report a race.
import Dispatch
import Synchronization

final class Counters: @unchecked Sendable {
  // Safety: guarded by `lock`.
  var guarded = 0
  // Safety: accessed by one thread only, unless a race is requested.
  var bare = 0
  let lock = Mutex(())
}

let counters = Counters()
let races = CommandLine.arguments.count > 1
DispatchQueue.concurrentPerform(iterations: 4) { index in
  for _ in 0..<100_000 {
    counters.lock.withLock { _ in counters.guarded += 1 }
    if races || index == 0 { counters.bare += 1 }
  }
}
print(counters.guarded, counters.bare)
