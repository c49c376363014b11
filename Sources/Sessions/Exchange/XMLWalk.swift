import CExpat

/// Reads XML with expat, element by element. Documents with a type declaration are refused, so that no entity is expanded and
/// no other file is read.
final class XMLWalk {
  /// Why the text is not XML, or is refused.
  struct Fault: Error {
    let line: Int
    let what: String
    let allowed: String
  }

  /// The name and version of the loaded expat.
  static var libraryVersion: String { String(cString: XML_ExpatVersion()).replacing("_", with: " ") }

  /// The maximum depth of elements.
  private static let depthLimit = 256

  /// Called for each element, with the names of the enclosing elements.
  private let begin: (_ name: String, _ attributes: [String: String], _ around: [String]) -> Fault.Content?
  private var around: [String] = []
  private var fault: Fault?
  private let parser: XML_Parser

  private init?(
    _ begin: @escaping (_ name: String, _ attributes: [String: String], _ around: [String]) -> Fault.Content?
  ) {
    guard let parser = XML_ParserCreate(nil) else { return nil }
    self.parser = parser
    self.begin = begin
  }

  deinit { XML_ParserFree(parser) }

  /// Reads a document.
  /// - Parameter begin: called for each element with its name, its attributes and the enclosing elements. Returns the fault of
  ///   the element, which ends the reading; nil to continue.
  /// - Throws: `Fault`.
  static func read(
    _ bytes: [UInt8],
    _ begin: @escaping (_ name: String, _ attributes: [String: String], _ around: [String]) -> Fault.Content?
  ) throws(Fault) {
    guard let walk = XMLWalk(begin) else {
      throw Fault(line: 1, what: "memory", allowed: "enough for a parser")
    }
    let parser = walk.parser
    XML_SetUserData(parser, Unmanaged.passUnretained(walk).toOpaque())
    XML_SetElementHandler(
      parser,
      { data, name, attributes in
        guard let data, let name, let attributes else { return }
        Unmanaged<XMLWalk>.fromOpaque(data).takeUnretainedValue().enter(name, attributes)
      },
      { data, _ in
        guard let data else { return }
        Unmanaged<XMLWalk>.fromOpaque(data).takeUnretainedValue().leave()
      })
    XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in
      guard let data else { return }
      Unmanaged<XMLWalk>.fromOpaque(data).takeUnretainedValue()
        .stop("document type declaration", allowed: "left out: no session has one")
    }
    var rest = bytes[...]
    var status = XML_STATUS_OK
    repeat {
      let block = rest.prefix(1 << 20)
      rest = rest.dropFirst(block.count)
      status = block.withContiguousStorageIfAvailable { buffer in
        buffer.withMemoryRebound(to: CChar.self) {
          XML_Parse(parser, $0.baseAddress, Int32($0.count), rest.isEmpty ? 1 : 0)
        }
      }!
    } while status == XML_STATUS_OK && !rest.isEmpty
    try withExtendedLifetime(walk) { () throws(Fault) in
      if let fault = walk.fault { throw fault }
      guard status == XML_STATUS_OK else {
        let reason = String(cString: XML_ErrorString(XML_GetErrorCode(parser)))
        throw Fault(
          line: walk.line, what: "XML: \(reason)", allowed: "well-formed, as the program has written it")
      }
    }
  }

  private var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

  private func stop(_ what: String, allowed: String) {
    guard fault == nil else { return }
    fault = Fault(line: line, what: what, allowed: allowed)
    XML_StopParser(parser, 0)
  }

  private func enter(_ name: UnsafePointer<CChar>, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>) {
    guard fault == nil else { return }
    guard around.count < XMLWalk.depthLimit else {
      return stop("element", allowed: "nested at most \(XMLWalk.depthLimit) deep")
    }
    var attributes: [String: String] = [:]
    var next = list
    while let key = next[0], let value = next[1] {
      attributes[String(cString: key)] = String(cString: value)
      next += 2
    }
    let name = String(cString: name)
    if let (what, allowed) = begin(name, attributes, around) { stop(what, allowed: allowed) }
    around.append(name)
  }

  private func leave() { if !around.isEmpty { around.removeLast() } }
}

extension XMLWalk.Fault {
  typealias Content = (what: String, allowed: String)
}
