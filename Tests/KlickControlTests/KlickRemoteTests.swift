import Control
import ControlBench
import Dispatch
import Engine
import MusicTime
import OSC
import OSCBench
import Synchronization
import TestNumbers
import Testing
import Validation

@testable import KlickControl

/// klick's namespace over loopback, with a simulated host. The conversation in `KlickOSCTests` contains klick's answer to every
/// message.
@Suite struct KlickRemoteTests {
  /// A host that does nothing.
  static let host = KlickHost(
    readMap: { throw InvalidValue("map", quoted($0.file), allowed: "another") },
    inputs: { ["a:in", "b:in"] },
    connect: { $0 == "a:in" }, autoconnect: {}, disconnectAll: {}, quit: {})

  /// A front end that has registered.
  private func rig() throws -> RemoteRig {
    let test = try RemoteRig(klick: KlickRemoteTests.host)
    #expect(test.answers(OSCMessage("/klick/register_client")) == [])
    return test
  }

  @Test func `Without the option klick's addresses are unknown`() throws {
    let test = try RemoteRig()
    #expect(test.answer("/klick/ping")?.address == "/tactus/error")
  }

  // MARK: What others change

  static let changes: [(message: OSCMessage, pushed: [String])] = [
    (OSCMessage("/tactus/tempo", .float(90)), ["/klick/simple/tempo ,f 90.0"]),
    (
      OSCMessage("/tactus/meter", .int32(7), .int32(8)),
      [
        "/klick/simple/tempo ,f 60.0", "/klick/simple/meter ,ii 7 8",
      ]
    ),
    (OSCMessage("/tactus/accents", .string("Xox.")), ["/klick/simple/pattern ,s Xxx."]),
    (OSCMessage("/tactus/volume", .float(0.5)), ["/klick/config/volume ,f 0.5"]),
    (OSCMessage("/tactus/volume/beat", .float(0.5)), ["/klick/config/sound_volume ,ff 1.0 0.5"]),
    (OSCMessage("/tactus/sound", .string("cowbell")), ["/klick/config/sound ,i 3"]),
    (OSCMessage("/tactus/mute", .int32(1)), ["/klick/config/sound ,i -1"]),
    (OSCMessage("/tactus/sound", .string("clave")), ["/klick/config/sound ,ss clave clave"]),
    (OSCMessage("/tactus/start"), ["/klick/metro/active ,i 1", "/klick/simple/current_tempo ,f 120.0"]),
    (
      OSCMessage("/tactus/role", .string("follow")),
      ["/klick/metro/type ,s jack", "/klick/metro/active ,i 1"]
    ),
  ]

  @Test(arguments: changes.indices) func `Changes by other sources are pushed as klick's messages`(index: Int)
    throws
  {
    let test = try rig()
    let change = KlickRemoteTests.changes[index]
    test.send(change.message)
    let heard = change.pushed.map { _ in test.app.receive()?.first?.description ?? "" }
    #expect(heard == change.pushed)
    #expect(test.answers() == [])
  }

  @Test func `Changes by klick's front end are pushed to subscribers`() throws {
    let test = try rig()
    _ = test.answers(OSCMessage("/klick/simple/set_meter", .int32(6), .int32(8)))
    _ = test.answers(OSCMessage("/klick/simple/set_tempo", .float(61.5)))
    _ = test.answers(OSCMessage("/klick/simple/set_pattern", .string("X..x..")))
    let settings = test.settings
    // Eighths, where klick counts quarters.
    #expect(try settings.tempo == Tempo(123) && settings.meter == Meter(6, 8))
    #expect(settings.accents?.description == "X..x..")
  }

  // MARK: Who may speak

  @Test(arguments: [
    "osc.udp://192.0.2.1:9000/", "osc.tcp://127.0.0.1:9000/", "osc.udp://elsewhere:9000/", "70000",
  ])
  func `An address that may not be spoken to is not, and somebody is told`(address: String) throws {
    let test = try RemoteRig(klick: KlickRemoteTests.host)
    for name in ["ping", "register_client", "query"] {
      #expect(test.answers(OSCMessage("/klick/" + name, .string(address))) == [])
    }
    #expect(
      test.rig.reports.wait { if case .warning(let text) = $0 { text.contains(address) } else { false } })
  }

  @Test func `Over UDP no socket is named, over the socket one is`() throws {
    let path = freshPath()
    let test = try RemoteRig(klick: KlickRemoteTests.host) { $0.path = path }
    let client = Peer(unix: freshPath())
    let url = "osc.unix://" + (client.path ?? "")
    for name in ["ping", "register_client", "query", "config/get_available_ports"] {
      #expect(test.answers(OSCMessage("/klick/" + name, .string(url))) == [])
    }
    #expect(
      test.rig.reports.wait {
        if case .warning(let text) = $0 { text.contains(url.prefix(40)) } else { false }
      })
    #expect(!client.isAddressed)
    for datagram in Datagrams.of([OSCMessage("/klick/ping", .string(url))], at: nil) {
      Peer(unix: nil).send(datagram, to: path)
    }
    #expect(client.receive() == [OSCMessage("/klick/pong")])
  }

  @Test func `A hanging JACK server delays nothing except its connections`() throws {
    let gate = DispatchSemaphore(value: 0)
    var host = KlickRemoteTests.host
    host.connect = { _ in gate.wait(timeout: .now() + 60) == .success }
    let test = try RemoteRig(klick: host)
    for message in ["connect", "get_available_ports"] {
      test.send(
        OSCMessage("/klick/config/" + message, arguments: message == "connect" ? [.string("a:in")] : []))
    }
    #expect(test.answer("/klick/ping") == OSCMessage("/klick/pong"))
    gate.signal()
    let ports = test.app.receive()?.first
    #expect(ports == OSCMessage("/klick/config/available_ports", .string("a:in"), .string("b:in")))
  }

  @Test func `While JACK hangs only few requested connections wait, and Tactus can end`() throws {
    let gate = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    var host = KlickRemoteTests.host
    host.autoconnect = {
      gate.wait()
      gate.signal()
    }
    host.quit = { ended.signal() }
    let test = try RemoteRig(klick: host)
    for _ in 1...20 {
      for _ in 1...50 { test.send(OSCMessage("/klick/config/autoconnect")) }
      _ = test.answers()
    }
    #expect(
      test.rig.reports.wait {
        if case .warning(let text) = $0 { text.contains("while 32 others wait") } else { false }
      })
    test.send(OSCMessage("/klick/quit"))
    #expect(ended.wait(timeout: .now() + 60) == .success)
    gate.signal()
  }

  // MARK: Maps

  @Test
  func `While a map is read only klick's messages wait, and of many maps the last is read`()
    throws
  {
    let gate = DispatchSemaphore(value: 0)
    let read = Box(Mutex<[String]>([]))
    var host = KlickRemoteTests.host
    host.readMap = { request in
      read.value.withLock { $0.append(request.file) }
      gate.wait()
      throw InvalidValue("map", request.file, allowed: "another")
    }
    let test = try RemoteRig(klick: host)
    test.send(OSCMessage("/klick/metro/set_type", .string("map")))
    for number in 1...200 {
      test.send(OSCMessage("/klick/map/load_file", .string("\(number)")))
      // The socket holds no two hundred.
      if number % 20 == 0 { _ = test.answers() }
    }
    // Nothing else waits for it.
    #expect(test.answers(OSCMessage("/tactus/tempo")).map(\.address) == ["/tactus/tempo"])
    for _ in 1...4 {
      for _ in 1...25 { test.send(OSCMessage("/klick/ping")) }
      _ = test.answers()
    }
    for _ in 1...2 { gate.signal() }
    // 63 pings have waited with the map; the others were told that there are too many.
    let pongs = (1...63).map { _ in test.app.receive()?.first?.address }
    #expect(pongs.allSatisfy { $0 == "/klick/pong" })
    let all = read.value.withLock { $0 }
    #expect(all == ["1", "200"])
    #expect(test.answers().isEmpty)
    #expect(
      test.rig.reports.wait {
        if case .warning(let text) = $0 { text.contains("64 messages already wait") } else { false }
      })
  }

  // MARK: Sounds

  @Test func `Silence lasts until files can be heard, and where they can't be read it lasts on`() throws {
    let test = try rig()
    let set = "/klick/config/set_sound"
    let sound = "/klick/config/sound"
    #expect(test.answer(set, .int32(-1)) == OSCMessage(sound, .int32(-1)))
    // What the rig's disk can't read begins with "bad".
    #expect(test.answer(set, .string("bad"), .string("/b.wav")) == OSCMessage(sound, .int32(-1)))
    for file in ["bad", "/b.wav"] {
      #expect(test.app.receive() == [OSCMessage("/klick/config/sound_loading_failed", .string(file))])
    }
    #expect(test.settings.isMuted)
    #expect(test.answers() == [])
    #expect(
      test.answer(set, .string("/a.wav"), .string("/b.wav"))
        == OSCMessage(sound, .string("/a.wav"), .string("/b.wav")))
    _ = test.answers()
    #expect(!test.settings.isMuted && test.settings.sound == "/a.wav,/b.wav")
  }

  @Test func `The number of klick's clients is limited`() throws {
    let test = try RemoteRig(klick: KlickRemoteTests.host)
    for port in 1...KlickRemote.capacity + 1 {
      test.send(OSCMessage("/klick/register_client", .string("\(20_000 + port)")))
    }
    #expect(test.answers() == [])
    #expect(
      test.rig.reports.wait { if case .warning(let text) = $0 { text.contains("at most 64") } else { false } }
    )
  }

  @Test func `No arguments crash the namespace or disturb its state`() throws {
    let test = try rig()
    var random = Generator(seed: 4)
    let texts = [
      "", "simple", "map", "Xxxx", "/a.wav", ",/", "@", "ü\u{301}", String(repeating: "x", count: 300),
    ]
    func argument() -> OSCArgument {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: .int32(Int32.random(in: -3...130, using: &random))
      case 1: .int32([.min, .max, 0].randomElement(using: &random)!)
      case 2: .float([-1e38, 1e38, 1e-38, 0, 0.3, 119.99, 700].randomElement(using: &random)!)
      case 3: .double([-1e300, 1e300, 0, 1.25].randomElement(using: &random)!)
      case 4: .int64([.min, .max, 4].randomElement(using: &random)!)
      case 5: [.true, .nil, .blob([1]), .char(65)].randomElement(using: &random)!
      default: .string(texts.randomElement(using: &random)!)
      }
    }
    let endpoints = KlickNamespace.endpoints.filter { $0.name != "metro/set_type" }
    for _ in 1...40 {
      for _ in 1...50 {
        let endpoint = endpoints.randomElement(using: &random)!
        let arguments = (0..<Int.random(in: 0...3, using: &random)).map { _ in argument() }
        test.send(OSCMessage(endpoint.address, arguments: arguments))
      }
      test.rig.settle()
      while test.app.isAddressed { _ = test.app.receive() }
    }
    test.send(OSCMessage("/klick/register_client"))
    for name in ["increment", "start", "limit"] {
      test.send(OSCMessage("/klick/simple/set_tempo_" + name, .float(0)))
    }
    test.send(OSCMessage("/klick/metro/stop"))
    test.send(OSCMessage("/klick/simple/set_meter", .int32(5), .int32(4)))
    _ = test.answers(OSCMessage("/klick/simple/set_tempo", .float(77)))
    _ = test.answers()
    let answers = test.answers(OSCMessage("/klick/simple/query"))
    #expect(answers.first == OSCMessage("/klick/simple/tempo", .float(77)))
    #expect(try test.settings.tempo == Tempo(77) && test.settings.meter == Meter(5, 4))
  }
}
