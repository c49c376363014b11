import ArgumentParser
import Control
import Engine
import Files
import Sessions
import Sound

/// The completions of the shell for values of options.
enum Completions {
  static let quantise = CompletionKind.list(Quantise.allCases.map(\.rawValue))
  /// The input ports of the default server.
  static let ports = CompletionKind.shellCommand("jack_lsp 2>/dev/null")
  /// Documents below the typed folder, and the names of those in the session folder.
  static let documents = CompletionKind.custom { _, _, typed in
    paths(typed, where: SessionFolder.isDocument) + SessionReading.library.names(beginning: typed)
  }
  static let presets = CompletionKind.custom { _, _, _ in
    ListCommand.presets(client: "tactus").map(\.name)
  }
  /// Built-in sound sets, and folders.
  static let sounds = CompletionKind.custom { _, _, typed in
    SoundSource.names + paths(typed) { _ in false }
  }
  static let parameters = CompletionKind.list(settings(of: .standard))

  /// The names of parameters as `--set` expects them, each with `=`.
  static func settings(of table: ParameterTable) -> [String] { table.parameters.map { "\($0.name)=" } }

  /// Folders and wanted files whose paths begin with the typed text, without hidden ones.
  private static func paths(_ typed: String, where isWanted: (String) -> Bool) -> [String] {
    let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    return names(inFolder: folder.isEmpty ? "." : folder).sorted().compactMap { name in
      guard !name.hasPrefix("."), (folder + name).hasPrefix(typed) else { return nil }
      guard fileExists(folder + name) else { return nil }
      if isFolder(folder + name) { return folder + name + "/" }
      return isWanted(name) ? folder + name : nil
    }
  }
}
