import Synchronization

/// Makes the enclosing value noncopyable, so that it stays at its address. Without this, the compiler copies a large value
/// for each call that only reads it.
package struct Pin: ~Copyable {
  private let anchor = Atomic<Bool>(false)

  @_noLocks
  package init() {}
}
