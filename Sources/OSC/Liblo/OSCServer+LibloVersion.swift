import CLiblo

extension OSCServer {
  /// The name and version of the loaded liblo, such as `liblo 0.31`.
  /// - Thread: any
  package static var libraryVersion: String {
    var text = [CChar](repeating: 0, count: 32)
    lo_version(&text, Int32(text.count), nil, nil, nil, 0, nil, nil, nil)
    return "liblo " + text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }
}
