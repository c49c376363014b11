import ArgumentParser
import Foundation

/// Ends the program with a message on standard error and a code of sysexits.h.
struct Failure: Error, CustomStringConvertible {
  enum Code: Int32 {
    case noInput = 66
    case unavailable = 69
    case cannotCreate = 73
    case inputOutput = 74
  }

  let description: String
  let code: Code

  init(_ description: String, code: Code) {
    self.description = description
    self.code = code
  }

  /// Prints the message and ends.
  func exit() -> Never {
    FileHandle.standardError.write(Data("Error: \(description)\n".utf8))
    Foundation.exit(code.rawValue)
  }
}
