import Control

/// Writes a layout of TouchOSC: XML in a zlib stream.
enum TouchOSCLayout {
  /// The bytes of the file.
  static func bytes(of pages: [Surface.Page]) -> [UInt8] { ZlibStream.storing(Array(xml(of: pages).utf8)) }

  static func xml(of pages: [Surface.Page]) -> String {
    let groups = pages.map { page in
      node(
        "GROUP", page.name, Surface.Frame(x: 0, y: 40, width: Surface.width, height: Surface.height),
        properties: [property("s", "tabLabel", page.name)],
        children: page.widgets.map { widget($0, on: page) })
    }
    let all = Surface.Frame(x: 0, y: 0, width: Surface.width, height: Surface.height + 40)
    let pager = node("PAGER", "pager", all, children: groups)
    return "<?xml version='1.0' encoding='UTF-8'?><lexml version='3'>"
      + node("GROUP", "tactus", all, children: [pager]) + "</lexml>"
  }

  private static func widget(_ widget: Surface.Widget, on page: Surface.Page) -> String {
    let address = widget.endpoint.address
    let name = "\(page.name) \(widget.id)"
    switch widget.kind {
    case .button(let number):
      let argument = partial("CONSTANT", "FLOAT", "\(number)")
      return titled(
        widget, "BUTTON", name, [property("i", "buttonType", "0")], value: "x",
        message: message(address, argument, trigger: ("x", "RISE"), receives: false))
    case .toggle:
      return titled(
        widget, "BUTTON", name, [property("i", "buttonType", "1")], value: "x",
        message: message(address, partial("VALUE", "FLOAT", "x"), trigger: ("x", "ANY")))
    case .fader:
      let argument = partial("VALUE", "FLOAT", "x", widget.range)
      return titled(
        widget, "FADER", name, [], value: "x", message: message(address, argument, trigger: ("x", "ANY")))
    case .lamp:
      return titled(
        widget, "BUTTON", name, [property("b", "interactive", "0")], value: "x",
        message: message(address, partial("VALUE", "FLOAT", "x"), trigger: ("x", "ANY"), sends: false))
    case .label:
      return node(
        "LABEL", name, widget.frame, values: value("text", widget.label),
        messages: message(
          address, partial("VALUE", "STRING", "text"), trigger: ("text", "ANY"), sends: false))
    }
  }

  /// A control with a label above it.
  private static func titled(
    _ widget: Surface.Widget, _ type: String, _ name: String, _ properties: [String], value key: String,
    message: String
  ) -> String {
    let (frame, title) = (widget.frame, 18)
    let control = Surface.Frame(x: 0, y: title, width: frame.width, height: frame.height - title)
    let label = Surface.Frame(x: 0, y: 0, width: frame.width, height: title)
    return node(
      "GROUP", name + " group", frame,
      children: [
        node(
          "LABEL", name + " title", label, properties: [property("i", "textSize", "12")],
          values: value("text", widget.label)),
        node(type, name, control, properties: properties, values: value(key, "0"), messages: message),
      ])
  }

  // MARK: Elements

  private static func node(
    _ type: String, _ name: String, _ frame: Surface.Frame, properties: [String] = [], values: String = "",
    messages: String = "", children: [String] = []
  ) -> String {
    let place = "<x>\(frame.x)</x><y>\(frame.y)</y><w>\(frame.width)</w><h>\(frame.height)</h>"
    let all =
      [
        property("s", "name", name),
        "<property type='r'><key><![CDATA[frame]]></key><value>\(place)</value></property>",
      ] + properties
    return "<node ID='\(identifier(type + name))' type='\(type)'>"
      + "<properties>\(all.joined())</properties><values>\(values)</values>"
      + "<messages>\(messages)</messages><children>\(children.joined())</children></node>"
  }

  private static func property(_ type: String, _ key: String, _ value: String) -> String {
    let text = type == "s" ? "<![CDATA[\(value)]]>" : value
    return "<property type='\(type)'><key><![CDATA[\(key)]]></key><value>\(text)</value></property>"
  }

  private static func value(_ key: String, _ standard: String) -> String {
    "<value><key><![CDATA[\(key)]]></key><locked>0</locked><lockedDefaultCurrent>0</lockedDefaultCurrent>"
      + "<default><![CDATA[\(standard)]]></default><defaultPull>0</defaultPull></value>"
  }

  private static func partial(
    _ type: String, _ conversion: String, _ value: String, _ range: ClosedRange<Double> = 0...1
  ) -> String {
    "<partial><type>\(type)</type><conversion>\(conversion)</conversion><value><![CDATA[\(value)]]></value>"
      + "<scaleMin>\(plain(range.lowerBound))</scaleMin><scaleMax>\(plain(range.upperBound))</scaleMax></partial>"
  }

  private static func message(
    _ address: String, _ argument: String, trigger: (value: String, condition: String), sends: Bool = true,
    receives: Bool = true
  ) -> String {
    "<osc><enabled>1</enabled><send>\(sends ? 1 : 0)</send><receive>\(receives ? 1 : 0)</receive>"
      + "<feedback>0</feedback><connections>00001</connections><triggers><trigger>"
      + "<var><![CDATA[\(trigger.value)]]></var><condition>\(trigger.condition)</condition></trigger></triggers>"
      + "<path>\(partial("CONSTANT", "STRING", address))</path><arguments>\(argument)</arguments></osc>"
  }

  /// A UUID derived from a name, so that the same pages always give the same file.
  private static func identifier(_ name: String) -> String {
    var digits = ""
    for seed: UInt64 in [0xcbf2_9ce4_8422_2325, 0x8422_2325_cbf2_9ce4] {
      let hash = name.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
      let text = String(hash, radix: 16)
      digits += String(repeating: "0", count: 16 - text.count) + text
    }
    var parts: [Substring] = []
    var rest = digits[...]
    for length in [8, 4, 4, 4, 12] {
      parts.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    return parts.joined(separator: "-")
  }
}

/// A zlib stream (RFC 1950) of uncompressed blocks: every reader accepts it, and the same text always gives the same stream.
enum ZlibStream {
  static func storing(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(0xffff)
      rest = rest.dropFirst(block.count)
      let length = UInt16(block.count)
      stream.append(rest.isEmpty ? 1 : 0)
      for word in [length, ~length] { stream += [UInt8(truncatingIfNeeded: word), UInt8(word >> 8)] }
      stream += block
    } while !rest.isEmpty
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    let sum = b << 16 | a
    return stream + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }
  }
}
