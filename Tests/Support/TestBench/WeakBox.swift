import Synchronization

/// A weak reference. Breaks the reference cycle between a server's handler and its owner.
public final class WeakBox<Object: AnyObject & Sendable>: Sendable {
  private struct Reference {
    weak var object: Object?
  }

  private let reference = Mutex(Reference())

  public init() {}

  public var object: Object? {
    get { reference.withLock { $0.object } }
    set { reference.withLock { $0.object = newValue } }
  }
}
