import COpshCurl
import Foundation

/// Describes TLS connections by the library that libcurl uses for them.
struct TLSLibrary: @unchecked Sendable {
  // @unchecked because the table is filled before it is shared and never changes after that.
  private let table: opsh_tls_table

  /// OpenSSL; nil if libcurl uses another library, or a version with other functions.
  static let shared: TLSLibrary? = {
    guard let handle = opsh_tls_library() else { return nil }
    var table = opsh_tls_table()
    guard opsh_tls_resolve(&table, handle) == nil else { return nil }
    return TLSLibrary(table: table)
  }()

  /// Describes the connection of a handle, while the handle has it; nil without TLS.
  func session(of easy: UnsafeMutableRawPointer, _ curl: UnsafePointer<opsh_curl_table>)
    -> TLSSession?
  {
    var pointer: UnsafeMutableRawPointer?
    guard opsh_curl_get_pointer(curl, easy, CURLINFO_TLS_SSL_PTR, &pointer) == CURLE_OK,
      let info = pointer?.assumingMemoryBound(to: curl_tlssessioninfo.self)
    else { return nil }
    var facts = opsh_tls_facts()
    let isDescribed = withUnsafePointer(to: table) { opsh_tls_describe($0, info, &facts) }
    guard isDescribed != 0, let version = facts.version, let cipher = facts.cipher else {
      return nil
    }
    var certificate: TLSSession.Certificate?
    if facts.has_certificate != 0 {
      let issuer = [Self.text(facts.issuer), Self.text(facts.organization)].filter { !$0.isEmpty }
      certificate = TLSSession.Certificate(
        subject: Self.text(facts.subject), issuer: issuer.joined(separator: ", "),
        validFrom: Date(timeIntervalSince1970: Double(facts.not_before)),
        validUntil: Date(timeIntervalSince1970: Double(facts.not_after)))
    }
    return TLSSession(
      version: String(cString: version), cipher: String(cString: cipher), certificate: certificate)
  }

  /// A text in an array of C, which comes from the server.
  private static func text<Bytes>(_ bytes: Bytes) -> String {
    withUnsafeBytes(of: bytes) { buffer in
      printable(String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self))
    }
  }
}
