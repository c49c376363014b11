/// A file of the page, compiled into the program.
struct PageFile {
  /// The MIME type.
  let type: String
  let bytes: [UInt8]

  /// The file at a path; nil if there is none.
  static func at(_ path: String) -> PageFile? {
    switch path {
    case "/index.html": PageFile(type: "text/html; charset=utf-8", bytes: PackageResources.index_html)
    case "/page.js": PageFile(type: "text/javascript; charset=utf-8", bytes: PackageResources.page_js)
    case "/page.css": PageFile(type: "text/css; charset=utf-8", bytes: PackageResources.page_css)
    case "/icon.svg": PageFile(type: "image/svg+xml", bytes: PackageResources.icon_svg)
    case "/page.webmanifest":
      PageFile(type: "application/manifest+json", bytes: PackageResources.page_webmanifest)
    default: nil
    }
  }
}
