import Control
import Files
import Glibc
import Synchronization

/// The state file as a run of Tactus uses it.
///
/// Only one program at a time replaces a state file: it holds a lock on the file `<path>.lock`. Another Tactus with the same file saves
/// nothing until the first one has ended. What another program, or an editor, has written since this run's last look is copied before it
/// is replaced.
package final class OwnedStateFile: Sendable {
  package let file: StateFile
  private let state = Mutex(State())

  /// The locks of this process, by the paths of the state files. Runs of one process share them.
  private static let locks = Mutex<[String: Weak]>([:])

  private struct Weak {
    weak var lock: FileLock?
  }

  private struct State {
    /// nil while another program holds it, and where there can be none.
    var lock: FileLock?
    /// The file's content at the start of this run, or after its last save; nil if there was no file.
    var known: [UInt8]?
    /// Its settings, as this version writes them.
    var settings: String?
  }

  private let locks: Bool

  /// - Parameter locks: false if no other program can have the file.
  /// - Thread: any but audio
  package init(_ file: StateFile, locks: Bool = true) {
    (self.file, self.locks) = (file, locks)
    state.withLock { $0.known = file.content }
    if let settings = try? file.settings {
      state.withLock { $0.settings = try? SettingsDocument(settings).yaml() }
    }
    guard (try? own()) != nil else { return }
    file.removeRemains()
  }

  /// Whether another program replaces the file.
  /// - Thread: any but audio
  package var isOwnedByAnother: Bool {
    do throws(WriteError) {
      try own()
      return false
    } catch {
      return true
    }
  }

  /// Writes the settings, as `StateFile.write`.
  /// - Returns: the copy of what another program has written since this run's last look; nil if none has.
  /// - Throws: `WriteError` if another program replaces the file, and as `StateFile.write`.
  /// - Thread: any but audio
  @discardableResult
  package func write(_ settings: Settings, keepingAs backup: String? = nil) throws -> String? {
    try own()
    let (known, old) = state.withLock { ($0.known, $0.settings) }
    let new = try? SettingsDocument(settings).yaml()
    let isKnown = known == file.content
    // An edit of the file stays until a setting changes here.
    if !isKnown, new != nil, new == old { return nil }
    let copy = isKnown ? nil : try file.copy(as: "changed")
    do {
      try file.write(settings, keepingAs: backup)
    } catch {
      copy?.removeIfNew()
      throw error
    }
    state.withLock { ($0.known, $0.settings) = (file.content, new) }
    return copy?.path
  }

  /// Lets other programs replace the file. Call it at the end of the run.
  package func release() { state.withLock { $0.lock = nil } }

  private static func lock(_ path: String) throws(FileLock.Failure) -> FileLock {
    try locks.withLock { locks throws(FileLock.Failure) in
      if let lock = locks[path]?.lock { return lock }
      let lock = try FileLock(on: path)
      locks[path] = Weak(lock: lock)
      return lock
    }
  }

  /// Takes the lock, unless this run has it.
  private func own() throws(WriteError) {
    try state.withLock { state throws(WriteError) in
      guard locks, state.lock == nil else { return }
      PrivateFolder.make(folder(of: file.path))
      do throws(FileLock.Failure) {
        state.lock = try OwnedStateFile.lock(file.path)
      } catch {
        // Without a lock, saving is as safe as it can be there.
        guard case .held = error else { return }
        throw WriteError(
          path: file.path,
          reason: "another Tactus saves its settings there, so this one saves none: give it another --name")
      }
    }
  }
}
