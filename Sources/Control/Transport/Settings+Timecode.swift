import Engine
import Timecode
import Validation

extension TimecodeRate: ChoiceRepresentable {}

extension Timecode: TextRepresentable {
  package init(text: String, of parameter: Parameter) throws(InvalidValue) { try self.init(text: text) }

  var text: String { description }
}

extension Settings {
  /// The settings of the timecode ports.
  /// - Parameter start: the song's start; nil: the settings' start.
  func timecode(startingAt start: Timecode?) -> TimecodeOutput {
    var timecode = TimecodeOutput()
    timecode.rate = self[Parameters.timecodeRate]
    timecode.start = (start ?? self[Parameters.timecodeStart]).count(timecode.rate)
    timecode.level = Float(self[Parameters.timecodeLevel])
    timecode.offset = self[Parameters.timecodeOffset].milliseconds
    return timecode
  }
}
