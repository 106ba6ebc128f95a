/// The certificate and the private key of a TLS server.
///
/// ```swift
/// let server = PracticeServer(identity: TLSIdentity(certificate: pem, privateKey: keyPEM))
/// try server.start()
/// print(server.baseURL ?? "")  // https://localhost:49152
/// ```
public struct TLSIdentity: Sendable {
  /// The certificate in PEM, followed by the certificates of its issuers.
  public let certificate: String
  /// The key to it in PEM; never shown.
  let privateKey: String

  /// Creates an identity from two texts in PEM, which usually are two files.
  public init(certificate: String, privateKey: String) {
    self.certificate = certificate
    self.privateKey = privateKey
  }
}
