// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the program's package builds without it. `make bench` builds and runs it.
let package = Package(
  name: "benchmarks",
  products: [.library(name: "callback-probe", type: .dynamic, targets: ["CallbackProbe"])],
  dependencies: [
    .package(name: "tactus", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .target(name: "CBench", path: "CBench", cSettings: [.unsafeFlags(["-O3"])]),
    .target(name: "CallbackProbe", dependencies: ["CBench"], path: "CallbackProbe"),
    .executableTarget(
      name: "bench",
      dependencies: [
        "CBench", .product(name: "CJack", package: "tactus"),
        .product(name: "EngineBench", package: "tactus"),
        .product(name: "HearingBench", package: "tactus"),
        .product(name: "TestBench", package: "tactus"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Bench",
      // Debian's valgrind can't read the debugging information of newer compilers.
      linkerSettings: [.unsafeFlags(["-Xlinker", "--strip-debug"])]),
  ]
)
