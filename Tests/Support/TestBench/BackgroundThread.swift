import Glibc

/// Runs `body` on a thread of its own, outside Swift's pool, so that it may block.
func startThread(_ body: @escaping @Sendable () -> Void) {
  let work = Unmanaged.passRetained(Work(body))
  var thread = pthread_t()
  let failure = pthread_create(
    &thread, nil,
    { argument in
      Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue().body()
      return nil
    }, work.toOpaque())
  precondition(failure == 0, "no thread could be started")
  pthread_detach(thread)
}

private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}
