import CSndfile
import Glibc

/// The recorded drums of Debian's package `hydrogen-data`.
package enum DrumKit {
  package static let folder = "/usr/share/hydrogen/data/drumkits/GMRockKit"
  package static var isInstalled: Bool { access(folder, R_OK) == 0 }

  /// The mono samples of a file from the first that is above 5 % of the peak; the peak is 1.
  package static func samples(_ name: String) -> [Float]? {
    var info = SF_INFO()
    guard let file = sf_open("\(folder)/\(name)", Int32(SFM_READ), &info) else { return nil }
    defer { sf_close(file) }
    let channels = Int(info.channels)
    var frames = [Float](repeating: 0, count: Int(info.frames) * channels)
    guard sf_readf_float(file, &frames, info.frames) == info.frames else { return nil }
    var mono = stride(from: 0, to: frames.count, by: channels).map { frames[$0] }
    // The kit is recorded at 44.1 kHz. Linear interpolation is good enough for a test.
    let ratio = Double(info.samplerate) / Double(RenderedTake.sampleRate)
    mono = (0..<Int(Double(mono.count) / ratio)).map { index in
      let place = Double(index) * ratio
      let (low, part) = (Int(place), Float(place - place.rounded(.down)))
      return low + 1 < mono.count ? mono[low] * (1 - part) + mono[low + 1] * part : 0
    }
    let peak = mono.reduce(0) { max($0, abs($1)) }
    guard peak > 0, let first = mono.firstIndex(where: { abs($0) > 0.05 * peak }) else { return nil }
    return mono[first...].map { $0 / peak }
  }

  /// The samples of a drum's velocities, softest first.
  package static func drum(_ prefix: String) -> [[Float]] {
    guard let folder = opendir(folder) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasPrefix(prefix) { names.append(name) }
    }
    return names.sorted().compactMap(samples)
  }
}
