import Control
import ControlBench
import Foundation
import OSC
import OSCBench
import Testing

@testable import OSCControl

/// Reads all addresses as a client that builds its controls from OSCQuery.
@Suite struct OSCQueryTests {
  private typealias Node = [String: Any]

  private func node(_ path: String, _ rig: EmbeddedRig, _ attribute: String? = nil) throws -> Node {
    let answer = OSCQueryTree.answer(path: path, attribute: attribute, rig.settle())
    #expect(answer.status == 200, "\(path)")
    return try #require(try JSONSerialization.jsonObject(with: Data(answer.json.utf8)) as? Node)
  }

  /// A node and all nodes below it.
  private func all(in node: Node) -> [Node] {
    let contents = node["CONTENTS"] as? [String: Node] ?? [:]
    return [node] + contents.values.flatMap { all(in: $0) }
  }

  @Test func theTreeHoldsEachAddressOnceWithItsPath() throws {
    let nodes = all(in: try node("/", try EmbeddedRig()))
    let paths = nodes.compactMap { $0["FULL_PATH"] as? String }
    #expect(paths.count == nodes.count && Set(paths).count == paths.count)
    for endpoint in AddressSpace.endpoints { #expect(paths.contains(endpoint.address)) }
    for node in nodes where node["TYPE"] != nil {
      #expect((node["DESCRIPTION"] as? String)?.isEmpty == false)
      #expect([1, 2, 3].contains(node["ACCESS"] as? Int))
    }
  }

  @Test func `VALUE equals OSC's answer, and TYPE its type tags`() throws {
    let rig = try EmbeddedRig()
    for endpoint in AddressSpace.endpoints where endpoint.value != nil {
      let snapshot = rig.settle()
      let answer = try #require(endpoint.value?(snapshot))
      let node = try node(endpoint.address, rig)
      let reported = try #require(node["VALUE"] as? [Any], "\(endpoint.address)")
      #expect(node["TYPE"] as? String == String(answer.map(\.tag)), "\(endpoint.address)")
      #expect(reported.count == answer.count)
      for (reported, argument) in zip(reported, answer) {
        if let text = argument.text { #expect(reported as? String == text) }
        if let number = argument.number {
          #expect(
            (reported as? NSNumber).map { Float($0.doubleValue) } == Float(number), "\(endpoint.address)")
        }
      }
      guard endpoint.isReadWithoutArguments else { continue }
      #expect(rig.answers(OSCMessage(endpoint.address)) == [endpoint.answer(answer)])
    }
  }

  /// The arguments to send: for each the value at one place of its range.
  private func arguments(_ ranges: [Any], _ tags: String, _ pick: (Double, Double) -> Double)
    -> [OSCArgument]?
  {
    var arguments: [OSCArgument] = []
    for (range, tag) in zip(ranges, tags) {
      guard let range = range as? [String: Any], let low = range["MIN"] as? Double,
        let high = range["MAX"] as? Double
      else { return nil }
      let number = pick(low, high)
      arguments.append(tag == "i" ? .int32(Int32(number)) : .float(Float(number)))
    }
    return arguments
  }

  /// Addresses whose acceptance depends on more than the value: a session, a network, another limit; a nudge reports its bound.
  private let excepted: Set = [
    "hold", "speed", "link", "tempo/nudge", "pace/shortest-stride", "pace/longest-stride", "pace/lowest",
    "pace/highest", "locate", "goto", "loop", "song", "song/number", "section/number",
  ]

  @Test func `Each fader from 0 to 1 has its RANGE, and CLIPMODE tells that it clamps`() throws {
    let rig = try EmbeddedRig()
    let norms = AddressSpace.endpoints.filter { $0.name.hasSuffix("/norm") }
    #expect(norms.count > 3)
    for endpoint in norms {
      let node = try node(endpoint.address, rig)
      #expect(node["RANGE"] as? [[String: Double]] == [["MIN": 0, "MAX": 1]], "\(endpoint.address)")
      #expect(node["CLIPMODE"] as? [String] == ["both"], "\(endpoint.address)")
    }
  }

  @Test func `Bars, beats and numbers of songs and sections have the RANGE that is accepted`() throws {
    let rig = try EmbeddedRig()
    func ranges(_ name: String, _ types: String) throws -> [[Double]]? {
      let node = try node("/tactus/" + name, rig)
      let all = [node] + (node["OVERLOADS"] as? [Node] ?? [])
      let ranges = all.first { $0["TYPE"] as? String == types }?["RANGE"] as? [[String: Double]]
      return ranges?.map { [$0["MIN"] ?? .nan, $0["MAX"] ?? .nan] }
    }
    let (number, barOrNone) = ([1, 1e6], [0, 1e6])
    for name in ["song/number", "section/number", "song", "goto"] {
      #expect(try ranges(name, "i") == [number], "\(name)")
    }
    #expect(try ranges("loop", "i") == [barOrNone])
    #expect(try ranges("loop", "iiii") == Array(repeating: barOrNone, count: 4))
    let places = try #require(try ranges("locate", "iif"))
    #expect(places[0] == number && places[1][0] == 1 && places[2][0] == 0)
    // The fraction is below 1, also as a float.
    #expect(Float(places[2][1]) == (1 as Float).nextDown)
  }

  @Test func `Both ends of RANGE are accepted, and values beyond are refused`() throws {
    var tried = 0
    for endpoint in AddressSpace.endpoints {
      let whole = try node(endpoint.address, try EmbeddedRig())
      if excepted.contains(endpoint.name) { continue }
      for signature in [whole] + (whole["OVERLOADS"] as? [Node] ?? []) {
        guard let access = signature["ACCESS"] as? Int, access >= 2,
          let ranges = signature["RANGE"] as? [Any], let tags = signature["TYPE"] as? String
        else { continue }
        let isClipped = (signature["CLIPMODE"] as? [String])?.first == "both"
        let picks: [(isFine: Bool, pick: (Double, Double) -> Double)] = [
          (true, { low, _ in low }), (true, { _, high in high }),
          (isClipped, { low, high in low - (tags.contains("i") ? 1 : (high - low) / 100) }),
          (isClipped, { low, high in high + (tags.contains("i") ? 1 : (high - low) / 100) }),
        ]
        for (isFine, pick) in picks {
          guard let arguments = arguments(ranges, tags, pick) else { continue }
          tried += 1
          let rig = try EmbeddedRig()
          let answers = rig.answers(OSCMessage(endpoint.address, arguments: arguments))
          #expect(
            answers.contains { $0.address == AddressSpace.error } == !isFine,
            "\(endpoint.address) \(arguments)")
        }
      }
    }
    #expect(tried > 150)
  }

  @Test func eachChoiceIsAccepted() throws {
    for endpoint in AddressSpace.endpoints {
      let whole = try node(endpoint.address, try EmbeddedRig())
      guard let range = (whole["RANGE"] as? [Any])?.first as? [String: Any],
        let choices = range["VALS"] as? [String]
      else { continue }
      // There is no network to meet on.
      for choice in choices where choice != "link" {
        let rig = try EmbeddedRig()
        #expect(
          !rig.answers(OSCMessage(endpoint.address, .string(choice))).contains {
            $0.address == AddressSpace.error
          },
          "\(endpoint.address) \(choice)")
      }
      let rig = try EmbeddedRig()
      #expect(
        rig.answers(OSCMessage(endpoint.address, .string("?"))).contains { $0.address == AddressSpace.error })
    }
  }

  @Test func theTypeOfEachCommandIsTaken() throws {
    for endpoint in AddressSpace.endpoints where !endpoint.isHarmless && endpoint.signatures.first?.count == 1
    {
      guard endpoint.signatures[0][0].tag == "I" else { continue }
      let rig = try EmbeddedRig()
      let faults = rig.answers(OSCMessage(endpoint.address, .impulse)).filter {
        $0.address == AddressSpace.error
      }
      // The request may be impossible now; this test checks only the type.
      for fault in faults { #expect(fault.arguments.last?.text?.contains("must be a number") == false) }
    }
  }

  @Test func oneAttributeIsAnsweredAloneAndOthersByTheirStatus() throws {
    let rig = try EmbeddedRig()
    #expect(try Set(node("/tactus/tempo", rig, "VALUE").keys) == ["VALUE"])
    #expect(try node("/tactus/tempo", rig, "TYPE")["TYPE"] as? String == "f")
    for endpoint in AddressSpace.endpoints where !endpoint.unit.isEmpty {
      let units = try #require(try node(endpoint.address, rig)["UNIT"] as? [String], "\(endpoint.address)")
      #expect(!units.isEmpty && units.allSatisfy { $0 == endpoint.unit })
    }
    #expect(try node("/tactus/tempo", rig)["UNIT"] as? [String] == ["beats a minute"])
    let snapshot = rig.settle()
    #expect(OSCQueryTree.answer(path: "/tactus", attribute: "VALUE", snapshot).status == 204)
    #expect(OSCQueryTree.answer(path: "/tactus/start", attribute: "VALUE", snapshot).status == 204)
    #expect(OSCQueryTree.answer(path: "/tactus/tempo", attribute: "FLAVOUR", snapshot).status == 400)
    #expect(OSCQueryTree.answer(path: "/tactus/tempi", attribute: nil, snapshot).status == 404)
    #expect(OSCQueryTree.answer(path: "/tactus/start/x", attribute: nil, snapshot).status == 404)
  }

  @Test func hostInfoTellsThePortOnce() throws {
    let answer = OSCQueryTree.hostInfo(name: "Tactus", address: nil, port: 9_700)
    let info = try #require(try JSONSerialization.jsonObject(with: Data(answer.json.utf8)) as? Node)
    #expect(info["OSC_PORT"] as? Int == 9_700 && info["WS_PORT"] as? Int == 9_700)
    #expect(info["OSC_IP"] == nil)
    #expect((info["EXTENSIONS"] as? [String: Bool])?["LISTEN"] == true)
  }

  @Test func textsOfStrangersAreValidJSON() throws {
    let hostile = "\"\\\u{0}\n\u{1b}[31m\u{2028}é"
    let json = JSONText.object([(hostile, .text(hostile))]).text
    let read = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: String]
    #expect(read == [hostile: hostile])
  }
}
