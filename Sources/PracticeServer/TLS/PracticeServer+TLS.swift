extension PracticeServer {
  /// The certificate, in PEM, of the issuer of the certificates that the server shows for faults.
  ///
  /// A client that trusts it at the server's own ports, and only there, can report what is wrong
  /// with each. Other clients get it from the path `/issuer.pem`.
  public static let issuerCertificate: String = CertificateMistake.issuer

  /// Returns what is wrong with the certificate at an origin, if it is one of this server's.
  ///
  /// - Parameter origin: Scheme, host and port, such as `https://localhost:49153`.
  /// - Returns: The mistake; nil for all origins at which the server does not show one.
  public func certificateMistake(at origin: String) -> CertificateMistake? {
    CertificateMistake.allCases.first { mistake in
      secureOrigin(of: mistake).map { $0 == origin } ?? false
    }
  }

  private func secureOrigin(of mistake: CertificateMistake) -> String? {
    guard let port else { return nil }
    let own = inProcess == nil ? state.securePort(of: mistake) : port &+ mistake.inProcessOffset
    return own.map { "https://localhost:\($0)" }
  }
}
