import Control
import Engine
import Files
import Glibc
import MusicTime
import Validation

/// Reads the keys that define how a section sounds.
struct StyleReader {
  private(set) var log: FaultLog
  /// Names of sound sets that need no folder. If empty, sound names are not checked.
  let sounds: [String]
  /// Whether a voice exists; nil if that is not checked.
  let voices: (@Sendable (String) -> Bool)?
  /// The folder of the document, to which sound folders are relative.
  let folder: String
  /// The parameters that sections set in their text form.
  private let parameters: [Parameter]
  private let keys: [String]
  /// The keys of a section.
  let sectionKeys: [String]

  /// - Parameters:
  ///   - sounds: names of sound sets that need no folder. If empty, sound names are not checked.
  ///   - voices: whether a voice exists; nil if that is not checked.
  ///   - folder: the folder of the document.
  ///   - table: the known parameters.
  init(
    log: FaultLog, sounds: [String], voices: (@Sendable (String) -> Bool)?, folder: String,
    table: ParameterTable
  ) {
    self.log = log
    self.sounds = sounds
    self.voices = voices
    self.folder = folder
    parameters = table.ofSections
    keys = DocumentKeys.styleKeys(table)
    sectionKeys = DocumentKeys.sectionKeys(table)
  }

  /// The same, with another log.
  func reporting(to log: FaultLog) -> StyleReader {
    var reader = self
    reader.log = log
    return reader
  }

  /// The style for sections that set no values of their own.
  func defaults(_ node: Node?) -> SectionStyle {
    guard let node, let fields = Fields(node, of: "defaults", known: keys, log) else {
      return SectionStyle()
    }
    return style(fields)
  }

  func style(_ fields: Fields) -> SectionStyle {
    var style = SectionStyle()
    style.tempo = value("tempo", of: fields) { node in TempoReader(log: log).tempo(node) }
    style.meter = plain("meter", of: fields, Meter.allowedText) { text throws(InvalidValue) in
      try Meter(text: text)
    }
    style.beatUnit = plain("beat-unit", of: fields, BeatUnit.allowed) { text throws(InvalidValue) in
      try BeatUnit(text: text)
    }
    style.groups = plain("groups", of: fields, Groups.allowed) { text throws(InvalidValue) in
      try Groups(text: text)
    }
    style.accents = plain("accents", of: fields, AccentPattern.allowed) { text throws(InvalidValue) in
      try AccentPattern(text: text)
    }
    for parameter in parameters {
      guard let key = parameter.sectionKey, let node = fields[named: key] else { continue }
      style[parameter] = log.read(at: node.mark) { () throws(InvalidValue) in
        try parameter.value(text: readPlain(node, key, allowed: parameter.allowed))
      }
    }
    style.subdivisions = value("subdivisions", of: fields, subdivisions)
    style.volumes = value("volumes", of: fields, volumes)
    style.sound = value("sound", of: fields, sound)
    style.colour = value("colour", of: fields) { node in
      log.read(at: node.mark) { () throws(InvalidValue) in try StyleReader.colour(node) }
    }
    if fields["layers"] != nil || fields["polyrhythm"] != nil {
      style.layers = LayerReader(log: log, sound: sound).layers(fields)
    }
    style.silence = SilenceReader(log: log).silence(fields)
    return style
  }

  private func value<T>(_ key: StaticString, of fields: Fields, _ body: (Node) -> T?) -> T? {
    fields[key].flatMap(body)
  }

  private func plain<T>(
    _ key: StaticString, of fields: Fields, _ allowed: @autoclosure () -> String,
    _ body: (String) throws(InvalidValue) -> T
  ) -> T? {
    guard let node = fields[key] else { return nil }
    return log.read(at: node.mark) { () throws(InvalidValue) in
      try body(readPlain(node, "\(key)", allowed: allowed()))
    }
  }

  private func subdivisions(_ node: Node) -> [Subdivision: Volume]? {
    var volumes: [Subdivision: Volume] = [:]
    func add(_ key: Node, _ volume: Volume?) {
      let subdivision = log.read(at: key.mark) { () throws(InvalidValue) in
        try Subdivision(readInteger(key, "subdivision", Subdivision.range, "parts of a beat"))
      }
      if let subdivision { volumes[subdivision] = volume }
    }
    switch node {
    case .mapping(let mapping):
      for (key, value) in zip(mapping.keys, mapping.values) {
        add(
          .scalar(key),
          log.read(at: value.mark) { () throws(InvalidValue) in try readVolume(value, "volume") })
      }
    case .sequence(let list): for key in list.items { add(key, .full) }
    default: add(node, .full)
    }
    return volumes
  }

  private func volumes(_ node: Node) -> [Fader: Volume]? {
    guard let fields = Fields(node, of: "volumes", known: DocumentKeys.volumes, log) else { return nil }
    var volumes: [Fader: Volume] = [:]
    for fader in Fader.allCases {
      guard let node = fields[named: fader.rawValue] else { continue }
      volumes[fader] = log.read(at: node.mark) { () throws(InvalidValue) in try readVolume(node, "volume") }
    }
    return volumes
  }

  private func sound(_ node: Node) -> String? {
    log.read(at: node.mark) { () throws(InvalidValue) in
      let name = try readText(node, "sound", limit: 4_096)
      if sounds.isEmpty || sounds.contains(name) { return name }
      let path = name.hasPrefix("/") || folder.isEmpty ? name : folder + "/" + name
      guard isFolder(path) else {
        throw InvalidValue("sound", quoted(name), allowed: "\(sounds.joined(separator: ", ")), or a folder")
      }
      // Use one name for each folder, however the document writes it, so that it is read once.
      guard let real = realpath(path, nil) else { return path }
      defer { free(real) }
      return String(cString: real)
    }
  }

  private static func colour(_ node: Node) throws(InvalidValue) -> String {
    let allowed = "a name, or '#rrggbb' in quotes"
    let text = try readPlain(node, "colour", allowed: allowed)
    let hex = text.hasPrefix("#") ? text.dropFirst() : ""
    let isHex = [3, 6].contains(hex.count) && hex.allSatisfy { $0.isASCII && $0.isHexDigit }
    let isName =
      text.utf8.count <= 32 && text.allSatisfy { $0.isASCII && $0.isLetter || $0 == "-" || $0 == " " }
    guard isHex || isName else { throw InvalidValue("colour", quoted(text), allowed: allowed) }
    return text
  }
}
