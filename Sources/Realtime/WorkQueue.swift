import Dispatch

/// A serial queue for long work.
package protocol WorkQueue: Sendable {
  /// Runs work after all earlier work, and returns immediately.
  /// - Thread: any but audio
  func run(_ work: @escaping @Sendable () -> Void)
  /// Waits until all earlier work is done.
  /// - Thread: any but audio, and not the queue's own
  func finish()
}

extension DispatchQueue: WorkQueue {
  package func run(_ work: @escaping @Sendable () -> Void) { async(execute: work) }
  package func finish() { sync {} }
}
