/// One argument of an OSC message, with its OSC type.
package enum OSCArgument: Hashable, Sendable {
  case int32(Int32)
  case int64(Int64)
  case float(Float)
  case double(Double)
  case string(String)
  case symbol(String)
  case blob([UInt8])
  case timetag(OSCTime)
  /// An ASCII character.
  case char(UInt8)
  /// A MIDI message: port, status and two data bytes, the first one in the top byte.
  case midi(UInt32)
  case `true`, `false`, `nil`, impulse

  /// The type's letter in the type tags of a message.
  package var tag: Character {
    switch self {
    case .int32: "i"
    case .int64: "h"
    case .float: "f"
    case .double: "d"
    case .string: "s"
    case .symbol: "S"
    case .blob: "b"
    case .timetag: "t"
    case .char: "c"
    case .midi: "m"
    case .true: "T"
    case .false: "F"
    case .nil: "N"
    case .impulse: "I"
    }
  }

  /// The value of a finite number (`i`, `h`, `f`, `d`), 1 for true and 0 for false; nil for everything else.
  ///
  /// A 64-bit integer is rounded to the nearest double.
  package var number: Double? {
    let value: Double
    switch self {
    case .int32(let integer): value = Double(integer)
    case .int64(let integer): value = Double(integer)
    case .float(let float): value = Double(float)
    case .double(let double): value = double
    case .true: value = 1
    case .false: value = 0
    default: return nil
    }
    return value.isFinite ? value : nil
  }

  /// The value of a whole number of any numeric type (a fader may send 3 as 3.0), 1 for true and 0 for false; nil for
  /// everything else, a number with a fraction included.
  package var integer: Int? {
    switch self {
    case .int32(let integer): Int(integer)
    case .int64(let integer): Int(integer)
    default: number.flatMap { Int(exactly: $0) }
    }
  }

  /// The text of a string or a symbol; nil for everything else.
  package var text: String? {
    switch self {
    case .string(let text), .symbol(let text): text
    default: nil
    }
  }

  /// Whether it is `T` or `F`.
  package var isTruth: Bool { self == .true || self == .false }

  /// Whether a finite number is not zero; true for `T` and false for `F`; nil for everything else.
  package var truth: Bool? { number.map { $0 != 0 } }
}

extension OSCArgument: CustomStringConvertible {
  /// The value for people, without its type.
  package var description: String {
    switch self {
    case .int32(let value): "\(value)"
    case .int64(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let text), .symbol(let text): text
    case .blob(let bytes): "blob of \(bytes.count) bytes"
    case .timetag(let time): time.isImmediate ? "at once" : "\(time.seconds).\(time.fraction)"
    case .char(let code): String(UnicodeScalar(code))
    case .midi(let message): "MIDI 0x" + String(message, radix: 16)
    case .true: "true"
    case .false: "false"
    case .nil: "nil"
    case .impulse: "impulse"
    }
  }
}
