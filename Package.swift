// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "tactus",
  products: [
    .executable(name: "tactus", targets: ["tactus"]),
    .library(name: "callback-probe", type: .dynamic, targets: ["CallbackProbe"]),
  ],
  traits: [
    .trait(
      name: "Link",
      description:
        "Plays with Ableton Link sessions, where the header is found that Debian's ableton-link-dev has."),
    .default(enabledTraits: ["Link"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    .systemLibrary(name: "CJack", pkgConfig: "jack", providers: [.apt(["libjack-jackd2-dev"])]),
    .systemLibrary(name: "CLiblo", pkgConfig: "liblo", providers: [.apt(["liblo-dev"])]),
    .systemLibrary(name: "CSndfile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
    .systemLibrary(
      name: "CSamplerate", pkgConfig: "samplerate", providers: [.apt(["libsamplerate0-dev"])]),
    // Without pkg-config: it tells flags of the C compiler that SwiftPM refuses.
    .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),

    .target(
      name: "CLink",
      cxxSettings: [
        .define("TACTUS_LINK", .when(traits: ["Link"])), .define("LINK_PLATFORM_LINUX", to: "1"),
      ]),

    .target(name: "MusicTime"),
    .target(name: "Realtime"),
    .target(name: "Files"),
    .target(name: "MIDI"),
    .target(name: "Engine", dependencies: ["MIDI", "MusicTime", "Realtime"]),
    .target(
      name: "Sound", dependencies: ["Engine", "Files", "MusicTime", "Realtime", "CSndfile", "CSamplerate"]),
    .target(name: "Control", dependencies: ["Engine", "MIDI", "MusicTime", "Realtime"]),
    .target(
      name: "Sessions",
      dependencies: [
        "Control", "Engine", "Files", "MIDI", "MusicTime", .product(name: "Yams", package: "Yams"),
      ]),
    .target(name: "Link", dependencies: ["CLink", "Engine", "Realtime"]),
    .target(
      name: "JACKClient", dependencies: ["CJack", "CLink", "Engine", "Link", "MIDI", "MusicTime", "Realtime"]),
    .target(name: "OSCControl", dependencies: ["CLiblo", "Control", "MIDI", "MusicTime", "Realtime"]),
    .target(name: "Panel", dependencies: ["CNcurses", "Control", "Engine", "MusicTime", "Realtime"]),
    .executableTarget(
      name: "tactus",
      dependencies: [
        "Control", "Engine", "Files", "JACKClient", "Link", "MusicTime", "OSCControl", "Panel", "Realtime",
        "Sessions",
        "Sound",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    .target(name: "TestBench", dependencies: ["CJack"], path: "Tests/Support/TestBench"),
    .target(name: "TestInTime", dependencies: ["TestBench"], path: "Tests/Support/TestInTime"),
    .target(name: "TestNumbers", path: "Tests/Support/TestNumbers"),
    .target(
      name: "ControlBench",
      dependencies: ["Control", "Engine", "MIDI", "MusicTime", "Realtime", "TestNumbers"],
      path: "Tests/ControlBench"),
    // The whole program in simulated time; tests import it.
    .executableTarget(
      name: "Simulator",
      dependencies: [
        "Control", "Engine", "MIDI", "MusicTime", "OSCControl", "Realtime", "Sessions", "TestNumbers",
      ],
      path: "Tests/Simulator"),
    .testTarget(name: "SimulatorTests", dependencies: ["Simulator", "OSCControl"]),
    .testTarget(name: "TestBenchTests", dependencies: ["TestBench", "TestInTime", "CJack"]),
    .testTarget(name: "MusicTimeTests", dependencies: ["MusicTime", "TestNumbers"]),
    .testTarget(name: "RealtimeTests", dependencies: ["Realtime"]),
    .testTarget(name: "MIDITests", dependencies: ["MIDI", "TestNumbers"]),
    .testTarget(
      name: "EngineTests", dependencies: ["Engine", "MIDI", "MusicTime", "Realtime", "TestNumbers"]),
    .testTarget(name: "SoundTests", dependencies: ["Sound", "CSndfile"]),
    .testTarget(
      name: "ControlTests",
      dependencies: ["ControlBench", "Control", "Engine", "MIDI", "MusicTime", "TestNumbers"]),
    .testTarget(
      name: "SessionsTests",
      dependencies: [
        "ControlBench", "Sessions", "Control", "Engine", "Files", "MIDI", "MusicTime", "TestNumbers",
      ]),
    .testTarget(
      name: "JACKClientTests",
      dependencies: [
        "JACKClient", "Control", "Engine", "MIDI", "MusicTime", "TestBench", "TestInTime", "TestNumbers",
        "CJack",
      ]),
    .testTarget(name: "PanelTests", dependencies: ["Panel", "Control", "Engine", "MIDI", "MusicTime"]),
    .testTarget(
      name: "TactusTests",
      dependencies: [
        "Control", "MusicTime", "Panel", "Sessions", "TestBench", "TestInTime", "CJack", "CLink", "CSndfile",
        "OSCControl", "tactus",
      ]),
    .testTarget(
      name: "OSCControlTests",
      dependencies: [
        "OSCControl", "CLiblo", "ControlBench", "Control", "Engine", "MIDI", "MusicTime", "TestNumbers",
      ]),

    .target(name: "CBench", path: "Benchmarks/CBench", cSettings: [.unsafeFlags(["-O3"])]),
    .target(name: "CallbackProbe", dependencies: ["CBench"], path: "Benchmarks/CallbackProbe"),
    .executableTarget(
      name: "bench",
      dependencies: [
        "CBench", "CJack", "Engine", "MIDI", "MusicTime", "TestBench",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks/Bench",
      // Debian's valgrind can't read the debugging information of newer compilers.
      linkerSettings: [.unsafeFlags(["-Xlinker", "--strip-debug"])]),
  ],
  cxxLanguageStandard: .cxx17
)

// `make fuzz` alone builds it: its main program is libFuzzer's.
if Context.environment["TACTUS_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "Control", "ControlBench", "Engine", "MIDI", "MusicTime", "OSCControl", "Sessions", "Sound",
      ],
      path: "Tests/Fuzz", exclude: ["Seeds"], swiftSettings: [.unsafeFlags(["-parse-as-library"])]))
}
