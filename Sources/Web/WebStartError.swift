/// Why the web server did not start, and what to do.
package struct WebStartError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
}
