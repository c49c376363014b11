import Dispatch

/// Where work is done that takes long, away from the core: reading sounds and documents, speaking, saving.
public protocol WorkQueue: Sendable {
  /// Does a piece of work after all that came before, and returns at once.
  func run(_ work: @escaping @Sendable () -> Void)
  /// Waits until all work is done that came before.
  func finish()
}

extension DispatchQueue: WorkQueue {
  public func run(_ work: @escaping @Sendable () -> Void) { async(execute: work) }
  public func finish() { sync {} }
}
