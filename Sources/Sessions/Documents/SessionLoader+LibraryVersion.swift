import CExpat
import CYaml

extension SessionLoader {
  /// The name and version of the loaded libyaml.
  package static var libraryVersion: String { "libyaml " + String(cString: yaml_get_version_string()) }

  /// The name and version of the loaded expat.
  package static var xmlLibraryVersion: String {
    String(cString: XML_ExpatVersion()).replacing("_", with: " ")
  }
}
