import ArgumentParser
import Foundation

/// Ends the program with a message on standard error and a code of sysexits.h.
struct Failure: Error, CustomStringConvertible {
  enum Code: Int32 {
    case usage = 64
    case data = 65
    case noInput = 66
    case unavailable = 69
    case cannotCreate = 73
  }

  let description: String
  let code: Code

  init(_ description: String, code: Code) {
    self.description = description
    self.code = code
  }

  /// Runs a command, and has a failure of it end the program with its message and code.
  static func reported(_ body: () throws -> Void) throws {
    do { try body() } catch let failure as Failure {
      try? FileHandle.standardError.write(contentsOf: Data("Error: \(failure)\n".utf8))
      throw ExitCode(failure.code.rawValue)
    }
  }
}
