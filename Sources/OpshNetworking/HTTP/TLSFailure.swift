/// Why a TLS connection could not be set up.
public enum TLSFailure: Sendable, Equatable {
  /// The certificate has expired.
  case expired
  /// The certificate is valid from a later time on.
  case notYetValid
  /// The certificate is for other names than that of the host.
  case wrongHost(String)
  /// The certificate is signed by itself, and not among the trusted ones.
  case selfSigned
  /// No trusted certificate vouches for the certificate.
  case unknownIssuer
  /// There are no trusted certificates to verify with.
  case noTrustedCertificates
  /// A file that names the trusted certificates can't be read, or holds none.
  case unusableCertificates(file: String)
  /// The issuer has revoked the certificate.
  case revoked
  /// The server has no TLS version or cipher that this side accepts.
  case protocolMismatch
  /// The server refused the handshake, without saying why.
  ///
  /// That is all a server says that has no version or cipher in common with this side, and also, by
  /// TLS 1.2, one that requires a certificate of the client.
  case handshakeRefused
  /// What answers at the port does not speak TLS.
  case notTLS
  /// The server ended the connection during the handshake.
  case connectionClosed
  /// The server wants a certificate of the client.
  case clientCertificateRequired
  /// The server does not accept the certificate of the client.
  case clientCertificateRejected(file: String)
  /// The client's own certificate can't be used, or its key.
  case unusableClientCertificate(file: String)
  /// The key of the client's own certificate is encrypted.
  case encryptedClientKey(file: String)
  /// Another failure; the text is the library's.
  case other(String)

  /// One sentence about it, without a full stop.
  var message: String {
    switch self {
    case .expired: "the server's certificate has expired"
    case .notYetValid:
      "the server's certificate is not valid yet, or the clock of this machine is wrong"
    case .wrongHost(let host): "the server's certificate is not for '\(host)'"
    case .selfSigned: "the server's certificate is self-signed, and not trusted here"
    case .unknownIssuer: "the issuer of the server's certificate is not trusted here"
    case .noTrustedCertificates:
      "there are no trusted certificates to verify the server's certificate with: install the "
        + "package ca-certificates"
    case .unusableCertificates(let file):
      "the file of trusted certificates '\(printable(file))' can't be read, or holds none"
    case .revoked: "the server's certificate was revoked"
    case .protocolMismatch: "the server offers no TLS version or cipher that is accepted here"
    case .handshakeRefused:
      "the server refused the TLS handshake: it shares no version or cipher with this side, or it "
        + "requires a client certificate"
    case .notTLS:
      "the server does not speak TLS at this port; should the address begin with http://?"
    case .connectionClosed: "the server closed the connection during the TLS handshake"
    case .clientCertificateRequired: "the server requires a client certificate"
    case .clientCertificateRejected(let file):
      "the server rejected the client certificate '\(printable(file))'"
    case .unusableClientCertificate(let file):
      "the client certificate '\(printable(file))' can't be used, or its key does not belong to it"
    case .encryptedClientKey(let file):
      "the key '\(printable(file))' is encrypted, and opsh asks for no pass phrase"
    case .other(let text): "the TLS connection could not be set up: \(text)"
    }
  }

  /// The name of the page that explains it.
  var topic: String {
    switch self {
    case .expired: "tls-expired"
    case .notYetValid: "tls-not-yet-valid"
    case .wrongHost: "tls-wrong-host"
    case .selfSigned: "tls-self-signed"
    case .unknownIssuer: "tls-unknown-issuer"
    case .noTrustedCertificates: "tls-nothing-trusted"
    case .unusableCertificates: "tls-trusted-file"
    case .revoked: "tls-revoked"
    case .protocolMismatch: "tls-protocol"
    case .handshakeRefused: "tls-refused"
    case .notTLS: "tls-not-spoken"
    case .connectionClosed: "tls-closed"
    case .clientCertificateRequired: "tls-client-certificate"
    case .clientCertificateRejected: "tls-client-rejected"
    case .unusableClientCertificate: "tls-client-file"
    case .encryptedClientKey: "tls-encrypted-key"
    case .other: "tls"
    }
  }

  /// Whether it is about the certificate of the client, which a server of TLS 1.3 reports only after
  /// the handshake.
  var isAboutClient: Bool {
    switch self {
    case .clientCertificateRequired, .clientCertificateRejected: true
    default: false
    }
  }
}

// MARK: Numbers of OpenSSL

extension TLSFailure {
  /// Reads the result of verifying a certificate, an `X509_V_ERR_…` of OpenSSL's `x509_vfy.h`.
  ///
  /// libcurl compares the name of the host itself, and then leaves the result at 0 or 1.
  ///
  /// - Parameters:
  ///   - verifyResult: libcurl's `CURLINFO_SSL_VERIFYRESULT`.
  ///   - host: The host that the certificate had to be for.
  init?(verifyResult: Int, host: String) {
    switch verifyResult {
    case 9: self = .notYetValid
    case 10: self = .expired
    case 18: self = .selfSigned
    case 2, 19, 20, 21, 27: self = .unknownIssuer
    case 23: self = .revoked
    case 0, 1, 62, 64: self = .wrongHost(host)
    default: return nil
    }
  }

  /// Reads the number in a text of OpenSSL, such as `error:0A00010B:SSL routines::wrong version
  /// number`: its last bits are a reason of `sslerr.h`, which no release changes.
  ///
  /// From 1,000 on a reason is an alert that the server sent (RFC 8446, 6).
  ///
  /// - Parameters:
  ///   - text: libcurl's text of the error, in which the number stands.
  ///   - clientCertificate: The file of the certificate that the client presented, if it did.
  init?(errorText text: String, clientCertificate: String? = nil) {
    guard let found = text.firstMatch(of: #/error:([0-9A-Fa-f]{8}):/#),
      let number = Int(found.1, radix: 16)
    else { return nil }
    // 23 bits; 12 bits before OpenSSL 3, where the first byte is the number of the library.
    switch number >> 24 == 0x14 ? number & 0xFFF : number & 0x7F_FFFF {
    case 155, 156, 267: self = .notTLS  // HTTPS proxy request, HTTP request, wrong version number
    // No protocols, no shared cipher, unsupported or wrong versions, legacy signatures (of TLS 1.0
    // and 1.1) or renegotiation, keys that are too short; protocol_version, insufficient_security.
    case 191, 193, 258, 259, 266, 333, 338, 394, 1_070, 1_071: self = .protocolMismatch
    case 1_040: self = .handshakeRefused
    case 1_041, 1_116: self = .clientCertificateRequired
    // Alerts about a certificate. Some servers send them if there is none at all.
    case 1_042...1_046, 1_048, 1_049:
      self =
        clientCertificate.map(TLSFailure.clientCertificateRejected(file:))
        ?? .clientCertificateRequired
    case 294: self = .connectionClosed  // unexpected end of file while reading
    default: return nil
    }
  }
}
