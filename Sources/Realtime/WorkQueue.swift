import Dispatch

/// A serial queue for work that takes long.
package protocol WorkQueue: Sendable {
  /// Runs a piece of work after all earlier ones, and returns at once.
  func run(_ work: @escaping @Sendable () -> Void)
  /// Waits until all earlier work is done.
  func finish()
}

extension DispatchQueue: WorkQueue {
  package func run(_ work: @escaping @Sendable () -> Void) { async(execute: work) }
  package func finish() { sync {} }
}
