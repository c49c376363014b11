import Glibc

// Questions about paths. All functions: any thread but audio.

/// Whether there is a file or folder at a path. Resolves symbolic links.
package func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// Whether a path leads to a folder. Resolves symbolic links.
package func isFolder(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// The names of all entries of a folder, unsorted, without `.` and `..`; empty if it can't be read.
package func names(inFolder path: String) -> [String] {
  guard let folder = opendir(path) else { return [] }
  defer { closedir(folder) }
  var names: [String] = []
  while let entry = readdir(folder) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

/// The folder part of a path, without a slash at its end except for `/`; "" if the path has no slash.
package func folder(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "" }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// The absolute path, without `.` and `..`. Symbolic links are not resolved.
package func absolutePath(_ path: String) -> String {
  var parts: [Substring] = []
  for part in (path.hasPrefix("/") ? path : currentFolder + "/" + path).split(separator: "/") {
    switch part {
    case ".": break
    case "..": _ = parts.popLast()
    default: parts.append(part)
    }
  }
  return "/" + parts.joined(separator: "/")
}

private var currentFolder: String {
  guard let path = getcwd(nil, 0) else { return "" }
  defer { free(path) }
  return String(cString: path)
}
