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
    /// The file's content at the start of this run, or after its last save; nil if there was none that can be read.
    var known: [UInt8]?
    /// The settings in it, as this version writes them; nil if this run has not used them.
    var settings: String?
    /// An edit by another program that was left alone.
    var left: [UInt8]?
  }

  private let locks: Bool

  /// - Parameter locks: false if no other program can have the file.
  /// - Thread: any but audio
  package init(_ file: StateFile, locks: Bool = true) {
    (self.file, self.locks) = (file, locks)
    state.withLock { $0.known = file.content }
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

  /// What has become of an edit that another program made since this run's last look.
  package enum Edit: Equatable, Sendable {
    case none
    /// It was replaced, and is kept as a copy.
    case replaced(copy: String)
    /// It was left alone, because no setting has changed here. Reported once.
    case left
  }

  /// Notes that this run begins with the file's settings.
  /// - Thread: any but audio
  package func noteUse(of settings: Settings) {
    state.withLock { $0.settings = try? SettingsDocument(settings).yaml() }
  }

  /// Writes the settings, as `StateFile.write`. An edit by another program stays until a setting changes here, unless the next
  /// run could not read it.
  /// - Throws: `WriteError` if another program replaces the file, and as `StateFile.write`.
  /// - Thread: any but audio
  @discardableResult
  package func write(_ settings: Settings, keepingAs backup: String? = nil) throws -> Edit {
    try own()
    for _ in 1...4 {
      do {
        return try writeNow(settings, keepingAs: backup, unlessOvertaken: true)
      } catch let error as WriteError where error.isOvertaken {
        continue
      }
    }
    // A file system whose times change by themselves must not keep settings from being saved.
    return try writeNow(settings, keepingAs: backup, unlessOvertaken: false)
  }

  /// - Parameter unlessOvertaken: whether it throws if another program writes the file at the same moment.
  private func writeNow(
    _ settings: Settings, keepingAs backup: String?, unlessOvertaken: Bool
  ) throws -> Edit {
    let (known, old) = state.withLock { ($0.known, $0.settings) }
    let new = try? SettingsDocument(settings).yaml()
    let version = unlessOvertaken ? FileVersion(of: file.path) : nil
    let content = file.content
    let isKnown = known == content
    if !isKnown, new != nil, new == old, content != nil, file.isUsable {
      return state.withLock { state in
        defer { state.left = content }
        return state.left == content ? .none : .left
      }
    }
    let copy = isKnown ? nil : try file.copy(as: "changed")
    let written: [UInt8]
    do {
      written = try file.write(settings, keepingAs: backup, replacing: version)
    } catch {
      copy?.removeIfNew()
      throw error
    }
    state.withLock { ($0.known, $0.settings) = (written, new) }
    return copy.map { .replaced(copy: $0.path) } ?? .none
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
