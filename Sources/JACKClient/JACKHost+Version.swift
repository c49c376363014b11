import CJack

extension JACKHost {
  /// The name and version of the loaded libjack.
  package static var libraryVersion: String { "JACK " + String(cString: jack_get_version_string()) }
}
