/// Which certificates a request trusts, and which one it presents.
///
/// All files are in PEM format, and are read when the connection is set up.
public struct TLSOptions: Sendable, Hashable {
  /// The certificates to trust, instead of those of the environment or the system.
  public var trustedCertificatesFile: String?
  /// Whether the certificate of the server has to be valid, for its host and trusted.
  public var verifiesServer = true
  /// The certificate that servers get if they ask for one; only those of the request's own origin.
  public var clientCertificateFile: String?
  /// The private key of the client's certificate; nil if it is in the same file.
  public var clientKeyFile: String?

  /// Creates the default options.
  public init() {}

  /// The options of an operation for a request, whose own ones count first.
  func merged(with own: TLSOptions) -> TLSOptions {
    var options = self
    options.trustedCertificatesFile = own.trustedCertificatesFile ?? trustedCertificatesFile
    options.verifiesServer = verifiesServer && own.verifiesServer
    if own.clientCertificateFile != nil {
      options.clientCertificateFile = own.clientCertificateFile
      options.clientKeyFile = own.clientKeyFile
    }
    return options
  }

  /// The same for a server that the request was redirected to, which does not get to know the client.
  var forOtherOrigin: TLSOptions {
    var copy = self
    (copy.clientCertificateFile, copy.clientKeyFile) = (nil, nil)
    return copy
  }
}
