import ArgumentParser
import Sessions
import Validation

/// Ends the program with a message on standard error and an exit code of sysexits.h.
struct CommandError: Error, CustomStringConvertible {
  /// Exit codes of sysexits.h.
  enum Code: Int32 {
    case usage = 64
    case data = 65
    case noInput = 66
    case unavailable = 69
    case cannotCreate = 73
  }

  let description: String
  let code: Code

  /// - Parameter description: one line; made printable.
  init(_ description: String, code: Code) {
    self.description = printable(description, limit: 8_192)
    self.code = code
  }

  /// - Parameter faults: the message contains a line for each.
  init(_ faults: Faults, code: Code) {
    description = "\(faults)"
    self.code = code
  }

  /// Runs a command. If it throws a `CommandError`, prints the message and throws an `ExitCode` with its code.
  static func reported(_ body: () throws -> Void) throws {
    do { try body() } catch let failure as CommandError {
      StandardError.write("Error: \(failure)")
      throw ExitCode(failure.code.rawValue)
    }
  }
}
