/// Runs tasks on the library's own threads, for work that the library begins itself and no task of the host waits for.
///
/// The executor of the language takes its threads from libdispatch: see `Threads`.
package final class ThreadExecutor: TaskExecutor {
  package static let shared = ThreadExecutor()

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Threads.post { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
