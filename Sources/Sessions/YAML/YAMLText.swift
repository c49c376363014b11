import Realtime
import Synchronization
import Validation

/// Parses YAML into a tree of nodes with bounded time and memory for any text.
enum YAMLText {
  /// The deepest nesting of lists and mappings in a document.
  static let depthLimit = 16
  /// The maximum number of values, lists and mappings in a document, of some 50 bytes each.
  static let nodeLimit = 3_000_000

  /// The maximum number of directive lines. libyaml compares each `%TAG` with all previous ones.
  static let directiveLimit = 16

  /// The size in bytes from which a text is parsed on a separate thread, if its list is consumed.
  static let parallelSize = 100_000

  /// The line of the first directive above the limit; nil if there is none.
  static func excessDirective(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    var (count, index) = (0, 0)
    let bytes = UnsafeRawBufferPointer(text)
    while let next = UnsafeRawBufferPointer(rebasing: bytes[index...]).place(of: UInt8(ascii: "%")) {
      index += next
      if startsLine(text, index) { count += 1 }
      if count > directiveLimit { return index }
      index += 1
    }
    return nil
  }

  /// Whether a byte is the first of a line in YAML 1.1: after CR, LF, U+0085, U+2028, U+2029 or a byte order mark.
  private static func startsLine(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    let before = text[max(0, index - 3)..<index]
    guard let last = before.last else { return true }
    return last == 0x0A || last == 0x0D || before.suffix(2).elementsEqual([0xC2, 0x85])
      || [[0xE2, 0x80, 0xA8], [0xE2, 0x80, 0xA9], [0xEF, 0xBB, 0xBF]].contains { before.elementsEqual($0) }
  }

  /// The tree of a text's only document; nil, and a fault in the log, if there is none.
  /// - Parameters:
  ///   - expected: what an empty document must contain, for the message.
  ///   - consumer: takes the items of a list as they are read, so that they don't fill memory.
  static func compose(
    _ text: String, _ log: FaultLog, expecting expected: String = "a session: at least `sections` or `songs`",
    consumer: ItemConsumer? = nil
  ) -> Node? {
    var text = text
    return text.withUTF8 { bytes in
      if let excess = excessDirective(bytes) {
        let line = bytes[..<excess].count { $0 == 0x0A } + 1
        log.report(
          line: line, column: 1, "more than \(directiveLimit) lines that begin with %",
          allowed: "at most \(directiveLimit)")
        return nil
      }
      switch YAMLText.root(of: bytes, consumer) {
      case .success(let root?): return root
      case .success(nil): log.report(line: 1, column: 1, "empty document", allowed: expected)
      case .failure(let refusal): log.report(refusal.mark, refusal.what, allowed: refusal.allowed)
      }
      return nil
    }
  }

  private typealias Root = Result<Node?, YAMLComposer.ComposeError>

  /// Parses a long text on another thread than the consumer's. Each of them takes about half of the time.
  private static func root(of text: UnsafeBufferPointer<UInt8>, _ consumer: ItemConsumer?) -> Root {
    guard let consumer, text.count >= parallelSize else { return YAMLComposer.root(of: text, consumer) }
    let relay = ItemRelay<Root>()
    // The text outlives the thread's use of it: the root is its last message.
    nonisolated(unsafe) let bytes = text
    let key = consumer.key
    guard
      (try? NamedThread("document") {
        relay.send(key) { YAMLComposer.root(of: bytes, $0) }
      }) != nil
    else { return YAMLComposer.root(of: text, consumer) }
    return relay.receive(consumer)
  }
}

/// Receives the items of a list in the document's top mapping, in order. The tree then contains the list without its items.
struct ItemConsumer {
  /// The list's key.
  let key: String
  /// Receives the keys that precede the list, before its first item.
  let begin: (Node.Mapping) -> Void
  /// Receives an item.
  let take: (Node) -> Void
}

/// Passes the items of a list from the thread that parses a document to the thread that reads them.
private final class ItemRelay<Root: Sendable>: Sendable {
  private enum Message: Sendable {
    case begin(Node.Mapping)
    case items([Node])
    case root(Root)
  }

  /// How many items a message contains: waking a thread takes longer than reading a few items.
  private static var batch: Int { 512 }
  /// How many messages may wait, so that they don't fill memory.
  private static var capacity: Int { 32 }

  /// Messages that were not received yet, in order.
  private let messages = Mutex<[Message]>([])
  private let sent = MonotonicSemaphore()
  private let room = MonotonicSemaphore()

  init() { for _ in 0..<Self.capacity { room.signal() } }

  // MARK: The thread that parses

  /// Sends all items that `parse` passes to its consumer, and then its result. Blocks while too many messages wait.
  func send(_ key: String, _ parse: (ItemConsumer) -> Root) {
    var items: [Node] = []
    items.reserveCapacity(Self.batch)
    let root = parse(
      ItemConsumer(
        key: key, begin: { self.send(.begin($0)) },
        take: { item in
          items.append(item)
          guard items.count == Self.batch else { return }
          self.send(.items(items))
          items = []
          items.reserveCapacity(Self.batch)
        }))
    send(.items(items))
    send(.root(root))
  }

  private func send(_ message: Message) {
    room.wait()
    messages.withLock { $0.append(message) }
    sent.signal()
  }

  // MARK: The thread that reads

  /// Passes all items to the consumer, and returns the result. Blocks until the result arrives.
  func receive(_ consumer: ItemConsumer) -> Root {
    while true {
      sent.wait()
      let message = messages.withLock { $0.removeFirst() }
      room.signal()
      switch message {
      case .begin(let head): consumer.begin(head)
      case .items(let items): items.forEach(consumer.take)
      case .root(let root): return root
      }
    }
  }
}

/// Builds the tree from a text's events.
private struct YAMLComposer: ~Copyable {
  struct ComposeError: Error {
    let mark: Mark
    let what: String
    let allowed: String
  }

  private var events: YAMLEvents
  private let text: UnsafeBufferPointer<UInt8>
  private var nodesLeft = YAMLText.nodeLimit
  /// The number of keys of the last mapping.
  private var usualCount = 0
  private let consumer: ItemConsumer?

  /// The tree of a text; nil if the text has no document.
  static func root(
    of text: UnsafeBufferPointer<UInt8>, _ consumer: ItemConsumer?
  ) -> Result<Node?, ComposeError> {
    var composer = YAMLComposer(text, consumer)
    do throws(ComposeError) { return .success(try composer.document()) } catch { return .failure(error) }
  }

  private init(_ text: UnsafeBufferPointer<UInt8>, _ consumer: ItemConsumer?) {
    self.text = text
    events = YAMLEvents(text)
    self.consumer = consumer
  }

  /// - Returns: nil if the text has no document.
  private mutating func document() throws(ComposeError) -> Node? {
    guard case (.documentStart, _) = try next() else { return nil }
    let root = try node(try next(), depth: 1)
    _ = try next()
    let (event, mark) = try next()
    guard case .streamEnd = event else {
      throw ComposeError(mark: mark, what: "another document", allowed: "left out: one document a file")
    }
    return root
  }

  private mutating func next() throws(ComposeError) -> (event: YAMLEvents.Event, mark: Mark) {
    do throws(YAMLEvents.ParseError) { return try events.next() } catch {
      throw refusal(of: error)
    }
  }

  /// Translates errors of libyaml that follow from common mistakes into messages that say what would be right.
  private func refusal(of problem: YAMLEvents.ParseError) -> ComposeError {
    let line = line(problem.mark.line)
    let before = line.prefix(problem.mark.column - 1)
    if line.prefix(while: { $0 == " " || $0 == "\t" }).contains("\t") {
      return ComposeError(
        mark: problem.mark, what: "tab before the text", allowed: "spaces: YAML allows no tabs there")
    }
    if let key = keyWithoutSpace(in: line) ?? keyWithoutSpace(in: self.line(problem.mark.line - 1)) {
      return ComposeError(
        mark: problem.mark, what: "no space after the colon of \(quoted(key)), in this line or the one above",
        allowed: "one, as \(key): text")
    }
    if problem.text.hasPrefix("mapping values are not allowed") {
      return before.contains(": ")
        ? ComposeError(
          mark: problem.mark, what: "colon in a text", allowed: "in quotes, as name: \"Song: the reprise\"")
        : ComposeError(
          mark: problem.mark, what: "key that is indented more than the one above",
          allowed: "indented like the others")
    }
    if problem.text.hasPrefix("did not find expected ',' or") {
      return ComposeError(
        mark: problem.mark, what: "{ or [ that is not closed, here or in a line above",
        allowed: "closed by } or ]")
    }
    if problem.text.hasPrefix("did not find expected '-'")
      || problem.text.hasPrefix("did not find expected <block")
    {
      return ComposeError(
        mark: problem.mark, what: "line that is indented differently from its list or keys",
        allowed: "indented like them")
    }
    return ComposeError(mark: problem.mark, what: "YAML: \(problem.text)", allowed: "valid YAML")
  }

  /// The `name` of a line such as `- name:Ladder`, if it is a key of documents.
  private func keyWithoutSpace(in line: String) -> String? {
    let content = line.drop { $0 == " " || $0 == "-" }
    guard let colon = content.firstIndex(of: ":"), let next = content[colon...].dropFirst().first,
      next != " "
    else { return nil }
    let key = String(content[..<colon])
    return DocumentKeys.all.contains(key) ? key : nil
  }

  /// The beginning of a line of the text.
  /// - Parameter number: from 1.
  private func line(_ number: Int) -> String {
    var start = text.startIndex
    for _ in 1..<max(number, 1) {
      guard let end = text[start...].firstIndex(of: 0x0A) else { return "" }
      start = end + 1
    }
    let line = text[start...].prefix(1_000)
    return String(decoding: line.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
  }

  private static func nesting(_ mark: Mark) -> ComposeError {
    ComposeError(mark: mark, what: "nesting", allowed: "at most \(YAMLText.depthLimit) levels deep")
  }

  /// - Parameter take: takes the items, if it is a list.
  private mutating func node(
    _ next: (event: YAMLEvents.Event, mark: Mark), depth: Int, take: ((Node) -> Void)? = nil
  ) throws(ComposeError) -> Node {
    let mark = next.mark
    nodesLeft -= 1
    guard nodesLeft >= 0 else {
      let limit = YAMLText.nodeLimit
      throw ComposeError(mark: mark, what: "more than \(limit) values", allowed: "at most \(limit) values")
    }
    switch next.event {
    case .scalar(let string, let isPlain):
      return .scalar(Node.Scalar(string: string, isPlain: isPlain, mark: mark))
    case .alias(let name):
      // Nested aliases could expand a few values to a billion.
      throw ComposeError(mark: mark, what: "alias *\(name)", allowed: "written out: no aliases")
    default: break
    }
    guard depth <= YAMLText.depthLimit else { throw YAMLComposer.nesting(mark) }
    if case .mappingStart = next.event { return try mapping(mark, depth: depth) }
    var items: [Node] = []
    while true {
      let item = try self.next()
      if case .end = item.event { return .sequence(Node.List(items: items, mark: mark)) }
      let node = try node(item, depth: depth + 1)
      if let take { take(node) } else { items.append(node) }
    }
  }

  private mutating func mapping(_ mark: Mark, depth: Int) throws(ComposeError) -> Node {
    var keys: [Node.Scalar] = []
    var values: [Node] = []
    var filter = KeyFilter()
    // Neighbouring mappings mostly have the same number of keys.
    keys.reserveCapacity(usualCount)
    values.reserveCapacity(usualCount)
    // Only mappings that are larger than people write need a set.
    var names: Set<String> = []
    while true {
      let next = try self.next()
      if case .end = next.event {
        usualCount = min(keys.count, 32)
        return .mapping(Node.Mapping(keys: keys, values: values, filter: filter, mark: mark))
      }
      let node = try node(next, depth: depth + 1)
      // A key that is not a scalar is reported as unknown.
      let key =
        if case .scalar(let scalar) = node { scalar } else {
          Node.Scalar(string: node.shown, isPlain: false, mark: next.mark)
        }
      let isNew =
        !filter.add(key.string)
        || (keys.count < 32 ? !keys.contains { $0.string == key.string } : !names.contains(key.string))
      guard isNew else {
        throw ComposeError(
          mark: next.mark, what: "key \(quoted(key.string)) twice",
          allowed: Fields.fractionAdvice(for: key.string) ?? "given once")
      }
      if keys.count == 31 { names = Set(keys.map(\.string)) }
      if keys.count >= 31 { names.insert(key.string) }
      keys.append(key)
      let consumer = depth == 1 && consumer?.key == key.string ? consumer : nil
      consumer?.begin(Node.Mapping(keys: Array(keys.dropLast()), values: values, filter: filter, mark: mark))
      values.append(try self.node(try self.next(), depth: depth + 1, take: consumer?.take))
    }
  }
}
