import CBuild
import JACKClient
import Link
import OSC
import Panel
import PracticeLog
import Sessions
import Sound
import Web

/// The output of `tactus --version`: the version, the commit, and the built-in features and libraries.
enum ProgramVersion {
  static let number = "0.1.0"

  static var text: String {
    let commit = String(cString: tactus_commit())
    var libraries =
      [JACKHost.libraryVersion, OSCServer.libraryVersion]
      + AudioFormat.libraryVersions + [
        SessionLoader.libraryVersion, SessionLoader.xmlLibraryVersion, InstrumentPanel.libraryVersion,
      ]
    if LogDatabase.isIncluded { libraries.append(LogDatabase.version) }
    return """
      tactus \(number)\(commit.isEmpty ? "" : " (commit \(commit))")
      \(LinkPeer.isBuiltIn ? "with" : "without") Ableton Link
      \(LogDatabase.isIncluded ? "with" : "without") the practice log
      \(WebCertificate.isIncluded ? "with" : "without") TLS for the web page
      \(libraries.joined(separator: ", "))
      """
  }
}
