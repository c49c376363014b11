// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "tactus",
  products: [
    .executable(name: "tactus", targets: ["tactus"]),
    // For the package in Benchmarks.
    .library(name: "EngineBench", targets: ["EngineBench"]),
    .library(name: "CJack", targets: ["CJack"]),
    .library(name: "TestBench", targets: ["TestBench"]),
    .library(name: "HearingBench", targets: ["HearingBench"]),
  ],
  traits: [
    .trait(
      name: "Link",
      description:
        "Plays with Ableton Link sessions, where the header is found that Debian's ableton-link-dev has."),
    .trait(
      name: "Web",
      description: "Serves remote control over HTTP and WebSocket, with swift-nio."),
    .trait(
      name: "TLS",
      description:
        "Serves the web page over https with the user's own certificate, with swift-nio-ssl, which takes minutes to compile.",
      enabledTraits: ["Web"]),
    .trait(
      name: "Listening",
      description:
        "Hears drums through microphones, with Debian's libaubio-dev. Triggers and e-drums need no library."),
    .trait(name: "Log", description: "Keeps a log of what was practised, with Debian's libsqlite3-dev."),
    .default(enabledTraits: ["Link", "Listening", "Log", "Web"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
  ],
  targets: [
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CMalloc"),
    .systemLibrary(name: "CJack", pkgConfig: "jack", providers: [.apt(["libjack-jackd2-dev"])]),
    .systemLibrary(name: "CLiblo", pkgConfig: "liblo", providers: [.apt(["liblo-dev"])]),
    .systemLibrary(name: "CSndfile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
    .systemLibrary(
      name: "CSamplerate", pkgConfig: "samplerate", providers: [.apt(["libsamplerate0-dev"])]),
    .systemLibrary(name: "CYaml", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(
      name: "CQrencode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    // Without pkg-config: it asks for the development packages of all that aubio is linked with.
    .systemLibrary(name: "CAubio", providers: [.apt(["libaubio-dev"])]),
    // Without pkg-config: nobody needs it without the trait `Log`.
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    // Without pkg-config: it tells flags of the C compiler that SwiftPM refuses.
    .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),

    .target(
      name: "CBuild",
      // Given by the Makefile. Only this module is compiled again for another commit.
      cSettings: Context.environment["TACTUS_COMMIT"].map { [.define("TACTUS_COMMIT", to: $0)] }),
    .target(
      name: "CLink",
      cxxSettings: [
        .define("TACTUS_LINK", .when(traits: ["Link"])), .define("LINK_PLATFORM_LINUX", to: "1"),
      ]),

    .target(name: "Validation"),
    .target(name: "MusicTime", dependencies: ["Validation"]),
    .target(name: "Realtime", dependencies: ["CLinux"]),
    .target(name: "Files"),
    .target(name: "MIDI", dependencies: ["MusicTime"]),
    .target(name: "Timecode", dependencies: ["Validation"]),
    .target(name: "Engine", dependencies: ["MIDI", "MusicTime", "Realtime", "Timecode"]),
    .target(name: "TimeCheck", dependencies: ["MusicTime", "Validation"]),
    .target(
      name: "Listening",
      dependencies: [
        "Engine", "MIDI", "MusicTime", "Realtime", "TimeCheck",
        .target(name: "CAubio", condition: .when(traits: ["Listening"])),
      ]),
    .target(
      name: "Sound",
      dependencies: ["Engine", "Files", "MusicTime", "Realtime", "Validation", "CSndfile", "CSamplerate"]),
    .target(
      name: "Control",
      dependencies: ["Engine", "MIDI", "MusicTime", "Realtime", "TimeCheck", "Timecode", "Validation"]),
    .target(
      name: "Sessions",
      dependencies: [
        "Control", "Engine", "Files", "MIDI", "MusicTime", "Realtime", "TimeCheck", "Timecode",
        "Validation", "CExpat", "CYaml",
      ]),
    .target(
      name: "Recording",
      dependencies: ["Engine", "Files", "MusicTime", "Realtime", "Sound", "Validation"]),
    .target(name: "Link", dependencies: ["CLink", "Engine", "Realtime"]),
    .target(
      name: "JACKClient",
      dependencies: [
        "CJack", "Engine", "Files", "Link", "MIDI", "MusicTime", "Realtime", "Timecode",
      ]),
    .target(name: "Doctor", dependencies: ["Files", "JACKClient", "Sessions"]),
    .target(name: "OSC", dependencies: ["CLiblo", "Realtime", "Validation"]),
    .target(name: "NSM", dependencies: ["OSC", "Realtime"]),
    .target(
      name: "OSCControl",
      dependencies: ["Control", "Engine", "MIDI", "MusicTime", "OSC", "Realtime", "TimeCheck", "Validation"]),
    .target(
      name: "KlickControl",
      dependencies: ["Control", "Engine", "MusicTime", "OSC", "OSCControl", "Realtime", "Validation"]),
    .target(
      name: "Web",
      dependencies: [
        "Files", "OSC", "OSCControl", "Realtime", "Validation",
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Web"])),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Web"])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Web"])),
        .product(name: "NIOWebSocket", package: "swift-nio", condition: .when(traits: ["Web"])),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["TLS"])),
      ],
      resources: [.embedInCode("Page")]),
    .target(
      name: "PracticeLog",
      dependencies: [
        "Files", "MusicTime", "Realtime", "TimeCheck", "Validation",
        .target(name: "CSQLite", condition: .when(traits: ["Log"])),
      ]),
    .target(
      name: "Panel",
      dependencies: [
        "CNcurses", "Control", "Engine", "MusicTime", "Realtime", "TimeCheck", "Validation",
      ]),
    .executableTarget(
      name: "tactus",
      dependencies: [
        "CBuild", "CMalloc", "CQrencode", "Control", "Doctor", "Engine", "Files", "JACKClient",
        "KlickControl", "Link", "Listening", "MusicTime", "NSM", "OSC", "OSCControl", "Panel",
        "PracticeLog", "Realtime", "Recording", "Sessions", "Sound", "TimeCheck", "Validation", "Web",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // libltc's decoder, which reads in tests what the engine sends.
    .systemLibrary(
      name: "CLTC", path: "Tests/Support/CLTC", pkgConfig: "ltc", providers: [.apt(["libltc-dev"])]),
    .target(name: "TestBench", dependencies: ["CJack"], path: "Tests/Support/TestBench"),
    .target(name: "TestInTime", dependencies: ["TestBench"], path: "Tests/Support/TestInTime"),
    .target(name: "TestNumbers", path: "Tests/Support/TestNumbers"),
    .target(
      name: "HearingBench", dependencies: ["Listening", "MusicTime", "TestNumbers", "TimeCheck", "CSndfile"],
      path: "Tests/Support/HearingBench"),
    .target(
      name: "EngineBench", dependencies: ["Engine", "MIDI", "MusicTime"], path: "Tests/Support/EngineBench"),
    .target(
      name: "ControlBench",
      dependencies: ["Control", "Engine", "MIDI", "MusicTime", "Realtime", "TestNumbers"],
      path: "Tests/Support/ControlBench"),
    // Not that it imports `Engine`: but what `ControlBench` has of it is part of its layout, so both are compiled again together.
    .target(
      name: "OSCBench",
      dependencies: ["Control", "ControlBench", "Engine", "OSC", "OSCControl", "Realtime", "Validation"],
      path: "Tests/Support/OSCBench"),
    // The whole program in simulated time; tests import it.
    .executableTarget(
      name: "Simulator",
      dependencies: [
        "CJack", "CLink", "CMalloc", "Control", "Engine", "JACKClient", "Link", "MIDI", "MusicTime", "OSC",
        "OSCControl", "Realtime", "Sessions", "TestNumbers", "Validation",
      ],
      path: "Tests/Simulator"),
    .testTarget(name: "SimulatorTests", dependencies: ["Simulator", "OSC", "OSCControl", "Realtime"]),
    .testTarget(name: "TestBenchTests", dependencies: ["TestBench", "TestInTime", "CJack"]),
    .testTarget(name: "ValidationTests", dependencies: ["Validation"]),
    .testTarget(name: "MusicTimeTests", dependencies: ["MusicTime", "TestNumbers"]),
    .testTarget(name: "TimecodeTests", dependencies: ["Timecode", "Validation"]),
    .testTarget(name: "RealtimeTests", dependencies: ["Realtime"]),
    .testTarget(name: "NSMTests", dependencies: ["NSM", "OSC"]),
    .testTarget(name: "FilesTests", dependencies: ["Files"]),
    .testTarget(name: "MIDITests", dependencies: ["MIDI", "MusicTime", "TestNumbers"]),
    .testTarget(
      name: "EngineTests",
      dependencies: ["CLTC", "Engine", "MIDI", "MusicTime", "Realtime", "TestNumbers", "Timecode"]),
    .testTarget(
      name: "TimeCheckTests", dependencies: ["TimeCheck", "MusicTime", "TestNumbers", "Validation"]),
    .testTarget(
      name: "ListeningTests",
      dependencies: ["HearingBench", "Listening", "Engine", "MIDI", "MusicTime", "TestNumbers", "TimeCheck"]),
    .testTarget(
      name: "PracticeLogTests",
      dependencies: ["PracticeLog", "Files", "TestBench", "TestNumbers", "TimeCheck", "Validation"]),
    .testTarget(name: "SoundTests", dependencies: ["Sound", "Control", "Validation", "CSndfile"]),
    .testTarget(
      name: "RecordingTests", dependencies: ["Recording", "Engine", "MusicTime", "TimeCheck", "CSndfile"]),
    .testTarget(
      name: "ControlTests",
      dependencies: [
        "ControlBench", "Control", "Engine", "MIDI", "MusicTime", "Realtime", "TestNumbers", "TimeCheck",
        "Validation",
      ]),
    .testTarget(
      name: "SessionsTests",
      dependencies: [
        "ControlBench", "Sessions", "Control", "Engine", "Files", "MIDI", "MusicTime", "TestNumbers",
        "TimeCheck",
        "Validation",
      ]),
    .testTarget(
      name: "JACKClientTests",
      dependencies: [
        "JACKClient", "Control", "Engine", "MIDI", "MusicTime", "Realtime", "TestBench", "TestInTime",
        "TestNumbers",
        "CJack",
      ]),
    .testTarget(name: "DoctorTests", dependencies: ["Doctor", "JACKClient"]),
    .testTarget(
      name: "PanelTests",
      dependencies: ["Panel", "Control", "Engine", "MIDI", "MusicTime", "TimeCheck", "Validation"]),
    .testTarget(
      name: "TactusTests",
      dependencies: [
        "Control", "HearingBench", "MusicTime", "Panel", "Sessions", "TestBench", "TestInTime", "CJack",
        "CLink",
        "CSndfile", "KlickControl", "OSC", "OSCControl", "Validation", "tactus",
      ]),
    .testTarget(
      name: "OSCTests",
      dependencies: ["OSC", "OSCBench", "Realtime", "TestBench", "TestNumbers", "Validation"]),
    .testTarget(
      name: "OSCControlTests",
      dependencies: [
        "OSCControl", "OSC", "OSCBench", "ControlBench", "Control", "Engine", "MIDI", "MusicTime",
        "Realtime", "TestNumbers", "Validation",
      ]),
    .testTarget(
      name: "WebTests",
      dependencies: [
        "Web", "Control", "ControlBench", "Engine", "Files", "MusicTime", "OSC", "OSCBench", "OSCControl",
        "Validation",
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Web"])),
        .product(name: "NIOEmbedded", package: "swift-nio", condition: .when(traits: ["Web"])),
        .product(name: "NIOWebSocket", package: "swift-nio", condition: .when(traits: ["Web"])),
      ]),
    .testTarget(
      name: "KlickControlTests",
      dependencies: [
        "KlickControl", "OSC", "OSCBench", "OSCControl", "ControlBench", "Control", "Engine", "MusicTime",
        "Realtime", "TestNumbers", "Validation",
      ]),
  ],
  cxxLanguageStandard: .cxx17
)

// `make fuzz` alone builds it: its main program is libFuzzer's.
if Context.environment["TACTUS_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "Control", "ControlBench", "Engine", "Listening", "MIDI", "MusicTime", "OSC", "OSCControl",
        "PracticeLog", "Realtime", "Sessions", "Sound", "TimeCheck", "Web",
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Web"])),
        .product(name: "NIOEmbedded", package: "swift-nio", condition: .when(traits: ["Web"])),
      ],
      path: "Tests/Fuzz", exclude: ["Seeds"], swiftSettings: [.unsafeFlags(["-parse-as-library"])]))
}

// What is not called for every period is compiled to be small. Not so `Sessions`: a long document is read a tenth faster for 0.12 MB.
let small: Set = [
  "Control", "Doctor", "Files", "KlickControl", "Link", "Listening", "NSM", "OSC", "OSCControl", "Panel",
  "PracticeLog", "Recording", "Sound", "TimeCheck", "Timecode", "Validation", "Web", "tactus",
]
for target in package.targets where small.contains(target.name) {
  target.swiftSettings = [.unsafeFlags(["-Osize"], .when(configuration: .release))]
}
