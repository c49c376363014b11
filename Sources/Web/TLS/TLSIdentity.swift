#if Web
  import Glibc
  import NIOCore
  import OSC
  import Validation
  #if TLS
    import NIOSSL
  #endif

  /// A certificate with its private key, with which connections are encrypted.
  struct TLSIdentity: Sendable {
    /// The first byte of an encrypted connection, from a handshake record (RFC 8446, 5.1). HTTP and OSC never begin with it.
    static let firstByte: UInt8 = 22

    private(set) var names = CertificateNames()
    #if TLS
      private let context: NIOSSLContext
    #endif

    /// Reads the files.
    /// - Throws: `WebStartError` if one of them can't be read, the certificate has expired, the key is not its key, or the
    ///   program was built without TLS.
    init(_ certificate: WebCertificate) throws(WebStartError) {
      #if TLS
        let chain = try TLSIdentity.chain(certificate.chain)
        let key = try TLSIdentity.key(certificate.key)
        var configuration = TLSConfiguration.makeServerConfiguration(
          certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        do {
          context = try NIOSSLContext(configuration: configuration)
        } catch {
          throw WebStartError(
            description:
              "no web remote: certificate \(quoted(certificate.chain)): \(quoted(certificate.key)) must be its private key"
          )
        }
        for name in chain[0]._subjectAlternativeNames() {
          let bytes = Array(name.contents)
          switch name.nameType {
          case .dnsName:
            let text = String(decoding: bytes, as: UTF8.self).lowercased()
            if !text.contains("*") { names.names.append(text) }
          case .ipAddress:
            if let address = IPAddress(bytes: bytes) { names.addresses.append(address) }
          default: break
          }
        }
      #else
        throw WebStartError(
          description:
            "no web remote: this Tactus was built without TLS, and can't use the certificate \(quoted(certificate.chain))"
        )
      #endif
    }

    /// Adds the handler that decrypts a new connection.
    /// - Thread: web
    func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
      #if TLS
        try pipeline.addHandler(NIOSSLServerHandler(context: context))
      #endif
    }

    #if TLS
      private static func chain(_ path: String) throws(WebStartError) -> [NIOSSLCertificate] {
        do {
          let chain = try NIOSSLCertificate.fromPEMFile(path)
          guard let first = chain.first else { throw NIOSSLError.failedToLoadCertificate }
          guard first.notValidAfter > time(nil) else {
            throw WebStartError(
              description:
                "no web remote: certificate \(quoted(path)): has expired; renew it, and start again")
          }
          return chain
        } catch let error as WebStartError {
          throw error
        } catch {
          throw WebStartError(
            description:
              "no web remote: certificate \(quoted(path)): must be a readable PEM file with a certificate")
        }
      }

      private static func key(_ path: String) throws(WebStartError) -> NIOSSLPrivateKey {
        do {
          return try NIOSSLPrivateKey(file: path, format: .pem)
        } catch {
          throw WebStartError(
            description:
              "no web remote: key \(quoted(path)): must be a readable PEM file with a private key and no passphrase"
          )
        }
      }
    #endif
  }
#endif
