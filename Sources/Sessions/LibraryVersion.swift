import CYaml

extension SessionLoader {
  /// The name and version of the loaded libyaml.
  package static var libraryVersion: String { "libyaml " + String(cString: yaml_get_version_string()) }
}
