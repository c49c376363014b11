import Control
import Foundation
import Testing

@testable import OSCControl

/// The files in `remotes/` against the table of addresses.
@Suite struct LayoutTests {
  private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("remotes")

  @Test func theFilesAreWhatTheTableMakes() throws {
    for (name, bytes) in ReadyMadeLayouts.files {
      let file = try Data(contentsOf: folder.appendingPathComponent(name))
      #expect([UInt8](file) == bytes, "\(name): run 'make docs'")
    }
  }

  @Test func eachFaderAndSwitchOfTheTableIsOnAPageOnce() {
    let addresses = Surface.pages.prefix(4).flatMap(\.widgets).map(\.endpoint.address)
    for parameter in Parameters.all where parameter.control != nil || parameter.isFlag {
      let own = ["/tactus/\(parameter.name)", "/tactus/\(parameter.name)/norm"]
      #expect(addresses.count { own.contains($0) } == 1, "\(parameter.name)")
    }
  }

  @Test func noControlIsLostOrDoubledOrOutsideOfItsPage() {
    #expect(Surface.pages.map(\.widgets.count) == [16, 13, 14, 16, 15])
    for page in Surface.pages {
      #expect(Set(page.widgets.map(\.id)).count == page.widgets.count)
      for widget in page.widgets {
        #expect(widget.frame.x + widget.frame.width <= Surface.width)
        #expect(widget.frame.y + widget.frame.height <= Surface.height, "\(page.name) \(widget.id)")
      }
    }
  }

  @Test func aFaderSendsWhatItsAddressTakes() {
    for widget in Surface.pages.flatMap(\.widgets) {
      guard case .fader = widget.kind else { continue }
      #expect(!widget.endpoint.clips([.float(Float(widget.range.lowerBound))]))
      #expect(!widget.endpoint.clips([.float(Float(widget.range.upperBound))]))
    }
  }

  /// The programs and notes are written by hand: each address in them exists.
  @Test func allAddressesInTheExamplesExist() throws {
    let known = Set(AddressSpace.endpoints.map(\.address)).union(AddressSpace.pushed)
    for name in ["README.md", "tactus_osc.py", "tactus.pd", "tactus.scd"] {
      let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      let found = text.matches(of: /\/tactus\/[a-z0-9\/-]*[a-z0-9]/).map { String($0.output) }
      #expect(found.count > 3, "\(name)")
      for address in Set(found) { #expect(known.contains(address), "\(name): \(address)") }
    }
  }

  @Test func theTouchOSCLayoutIsAZlibStreamOfXML() throws {
    let bytes = TouchOSCLayout.bytes(of: Surface.pages)
    #expect(bytes.prefix(2) == [0x78, 0x01] && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0)
    #expect(ZlibStream.storing(Array("a".utf8)) == [0x78, 1, 1, 1, 0, 0xfe, 0xff, 0x61, 0, 0x62, 0, 0x62])
    let messages = TouchOSCLayout.xml(of: Surface.pages).components(separatedBy: "<osc>").count - 1
    #expect(messages == Surface.pages.flatMap(\.widgets).count)
  }
}
