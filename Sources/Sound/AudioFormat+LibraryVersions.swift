import CSamplerate
import CSndfile

extension AudioFormat {
  /// The names and versions of the loaded libraries.
  package static var libraryVersions: [String] {
    // Both texts begin with the name and the version, joined by a hyphen.
    [sf_version_string(), src_get_version()].map { text in
      String(String(cString: text!).prefix { $0 != " " }.map { $0 == "-" ? " " : $0 })
    }
  }
}
