/// Which certificates a request trusts, and which one it presents.
///
/// All files are in PEM format, and are read when the connection is set up.
public struct TLSOptions: Sendable, Hashable {
  /// The file of the certificates to trust, instead of those of the environment or the system.
  public var trustedCertificatesFile: String?
  /// Whether the certificate of the server has to be valid, for its host and trusted.
  public var verifiesServer = true
  /// The file of the certificate for servers of the request's origin that ask for one.
  public var clientCertificateFile: String?
  /// The file of the private key of that certificate; nil if it is in the same file.
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

  /// The options after a redirect to another origin, without the client's certificate.
  var forOtherOrigin: TLSOptions {
    var copy = self
    (copy.clientCertificateFile, copy.clientKeyFile) = (nil, nil)
    return copy
  }
}
