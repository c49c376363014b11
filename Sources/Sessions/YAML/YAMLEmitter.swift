import CYaml

/// Writes a tree as YAML, with the keys of each mapping sorted.
struct YAMLEmitter: ~Copyable {
  /// An error of libyaml. Its only cause is a lack of memory.
  struct EmitError: Error, CustomStringConvertible {
    let description: String
  }

  private final class Output {
    var bytes: [UInt8] = []
  }

  private let emitter: UnsafeMutablePointer<yaml_emitter_t>
  private let output = Output()

  /// - Throws: `EmitError`.
  static func text(_ tree: SettingsTree) throws(EmitError) -> String {
    let emitter = YAMLEmitter()
    try emitter.emit { yaml_stream_start_event_initialize(&$0, YAML_UTF8_ENCODING) }
    try emitter.emit { yaml_document_start_event_initialize(&$0, nil, nil, nil, 1) }
    try emitter.write(tree)
    try emitter.emit { yaml_document_end_event_initialize(&$0, 1) }
    try emitter.emit { yaml_stream_end_event_initialize(&$0) }
    return String(decoding: emitter.output.bytes, as: UTF8.self)
  }

  private init() {
    emitter = .allocate(capacity: 1)
    emitter.initialize(to: yaml_emitter_t())
    yaml_emitter_initialize(emitter)
    yaml_emitter_set_output(
      emitter,
      { output, bytes, count in
        let output = Unmanaged<Output>.fromOpaque(output!).takeUnretainedValue()
        output.bytes += UnsafeBufferPointer(start: bytes, count: count)
        return 1
      }, Unmanaged.passUnretained(output).toOpaque())
    yaml_emitter_set_encoding(emitter, YAML_UTF8_ENCODING)
  }

  deinit {
    yaml_emitter_delete(emitter)
    emitter.deallocate()
  }

  private func write(_ tree: SettingsTree) throws(EmitError) {
    switch tree {
    case .scalar(let text, let isQuoted): try write(text, isQuoted: isQuoted)
    case .list(let items):
      try emit { yaml_sequence_start_event_initialize(&$0, nil, nil, 1, YAML_ANY_SEQUENCE_STYLE) }
      for item in items { try write(item) }
      try emit { yaml_sequence_end_event_initialize(&$0) }
    case .keys(let keys):
      try emit { yaml_mapping_start_event_initialize(&$0, nil, nil, 1, YAML_ANY_MAPPING_STYLE) }
      for (key, value) in keys.sorted(by: { $0.key < $1.key }) {
        try write(SettingsTree.text(key))
        try write(value)
      }
      try emit { yaml_mapping_end_event_initialize(&$0) }
    }
  }

  /// libyaml adds quotes if characters of the text require them. `isQuoted` adds them to a text that would be read as a number,
  /// date or flag without them.
  private func write(_ text: String, isQuoted: Bool) throws(EmitError) {
    let style = isQuoted ? YAML_SINGLE_QUOTED_SCALAR_STYLE : YAML_ANY_SCALAR_STYLE
    let bytes = Array(text.utf8)
    try emit { yaml_scalar_event_initialize(&$0, nil, nil, bytes, Int32(bytes.count), 1, 1, style) }
  }

  private func emit(_ make: (inout yaml_event_t) -> Int32) throws(EmitError) {
    var event = yaml_event_t()
    guard make(&event) == 1, yaml_emitter_emit(emitter, &event) == 1 else {
      throw EmitError(description: emitter.pointee.problem.map { String(cString: $0) } ?? "out of memory")
    }
  }
}
