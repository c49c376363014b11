import Glibc

/// The folders for a user's files, by the XDG specification.
package enum UserFolder: String, Sendable {
  case cache = "XDG_CACHE_HOME"
  case data = "XDG_DATA_HOME"
  case state = "XDG_STATE_HOME"

  /// The path of the folder. It need not exist.
  package var path: String {
    // The specification says to ignore relative paths.
    if let path = environmentValue(rawValue), path.hasPrefix("/") { return path }
    return UserFolder.home + "/" + fallback
  }

  private var fallback: String {
    switch self {
    case .cache: ".cache"
    case .data: ".local/share"
    case .state: ".local/state"
    }
  }

  private static var home: String {
    if let home = environmentValue("HOME"), home.hasPrefix("/") { return home }
    return getpwuid(geteuid()).map { String(cString: $0.pointee.pw_dir) } ?? "/"
  }
}

/// The value of an environment variable; nil if it is not set.
package func environmentValue(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
