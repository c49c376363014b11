import ArgumentParser
import OSC
import Validation
import Web

struct WebOptions: ParsableArguments {
  @Flag(help: "Serve no web page, no OSCQuery and no WebSocket.") var noWeb = false
  @Option(
    help:
      "Address on which the web page is served, on the TCP port with the number of the OSC port. A non-loopback address needs --web-allow."
  )
  var webBind = "127.0.0.1"
  @Option(
    help:
      "Network whose devices may open the web page, in addition to this machine, such as 192.168.1.0/24. They need a key: see 'tactus remote'. Devices in a network of --osc-allow can read with OSCQuery without a key. Repeatable.",
    transform: { try OSCNetwork($0) })
  var webAllow: [OSCNetwork] = []

  @Option(
    help:
      "PEM file with your own certificate, to serve the web page over https. Needs --web-key.",
    completion: .file(extensions: ["pem", "crt"]))
  var webCertificate: String?
  @Option(
    help: "PEM file with the private key of --web-certificate.",
    completion: .file(extensions: ["pem", "key"]))
  var webKey: String?

  /// The networks whose devices can open the page; none if only this machine can.
  var networks: [OSCNetwork] { (IPAddress(webBind)?.isLoopback ?? true) ? [] : webAllow }

  /// nil if the page is served only over plain http.
  var certificate: WebCertificate? {
    guard let webCertificate, let webKey else { return nil }
    return WebCertificate(chain: webCertificate, key: webKey)
  }

  func validate() throws {
    guard (webCertificate == nil) == (webKey == nil) else {
      throw ValidationError(
        webKey == nil
          ? "--web-certificate needs its private key: add --web-key FILE"
          : "--web-key needs the certificate that it belongs to: add --web-certificate FILE")
    }
    guard let address = IPAddress(webBind) else {
      throw ValidationError(
        "--web-bind \(quoted(webBind)): must be a numeric address, such as 127.0.0.1, or 0.0.0.0 for all")
    }
    guard webAllow.isEmpty, !address.isLoopback else { return }
    throw ValidationError(
      "--web-bind \(webBind) needs the networks whose devices may connect: add --web-allow, such as --web-allow 192.168.1.0/24"
    )
  }
}
