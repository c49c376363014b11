import CYaml

/// The events of a YAML text, in order. Only this type and `YAMLEmitter` call libyaml.
struct YAMLEvents: ~Copyable {
  enum Event {
    case scalar(String, isPlain: Bool)
    case sequenceStart, mappingStart
    /// The end of a sequence or a mapping.
    case end
    case alias(String)
    case documentStart, documentEnd, streamEnd
  }

  /// A syntax error reported by libyaml.
  struct ParseError: Error {
    let text: String
    let mark: Mark
  }

  /// The name and version of the loaded libyaml.
  static var libraryVersion: String { "libyaml " + String(cString: yaml_get_version_string()) }

  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let text: UnsafeBufferPointer<UInt8>

  /// - Parameter text: UTF-8; it must outlive the events.
  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    yaml_parser_initialize(parser)
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, text.baseAddress, text.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  /// The next event, and its start in the text.
  /// - Throws: `ParseError`.
  mutating func next() throws(ParseError) -> (event: Event, mark: Mark) {
    while true {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser, &event) == 1 else { throw problem }
      defer { yaml_event_delete(&event) }
      let mark = Mark(event.start_mark)
      switch event.type {
      case YAML_SCALAR_EVENT:
        let scalar = event.data.scalar
        let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
        let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
        return (.scalar(String(decoding: bytes, as: UTF8.self), isPlain: isPlain), mark)
      case YAML_SEQUENCE_START_EVENT: return (.sequenceStart, mark)
      case YAML_MAPPING_START_EVENT: return (.mappingStart, mark)
      case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return (.end, mark)
      case YAML_ALIAS_EVENT: return (.alias(String(cString: event.data.alias.anchor)), mark)
      case YAML_DOCUMENT_START_EVENT: return (.documentStart, mark)
      case YAML_DOCUMENT_END_EVENT: return (.documentEnd, mark)
      case YAML_STREAM_END_EVENT: return (.streamEnd, mark)
      default: continue
      }
    }
  }

  private var problem: ParseError {
    let parser = parser.pointee
    let problem = parser.problem.map { String(cString: $0) } ?? "out of memory"
    guard parser.error == YAML_READER_ERROR else {
      return ParseError(text: problem, mark: Mark(parser.problem_mark))
    }
    // libyaml's reader reports only a byte offset.
    let before = text.prefix(parser.problem_offset)
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let column = String(decoding: before[start...], as: UTF8.self).unicodeScalars.count + 1
    return ParseError(text: problem, mark: Mark(line: before.count { $0 == 0x0A } + 1, column: column))
  }
}

extension Mark {
  fileprivate init(_ mark: yaml_mark_t) { self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1) }
}
