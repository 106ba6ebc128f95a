import Foundation
import OpshSecrets
import OpshSupport

/// Identifies a request in the cache without containing any secret.
///
/// Credentials are classified by the names of headers and query fields:
///
/// * Those of a **person** (`Authorization`, `Cookie`, `access_token`, passwords, session tokens):
///   the response is personal, so it is not stored at all.
/// * Those of a **program** (`key`, `X-Parse-REST-API-Key`, an application id): the response is
///   stored. The address is stored with `***` in place of the secret, and requests with different
///   secrets are distinguished by a message code under a random key of the store.
public struct RequestIdentity: Sendable, Equatable {
  /// The method.
  public let method: String
  /// The address with every secret replaced by `***`.
  public let url: String
  /// The message code of the secrets; empty without secrets.
  public let fingerprint: [UInt8]

  /// Creates the identity of a request.
  public init(_ request: HTTPRequest, salt: [UInt8]) {
    method = request.method
    url = request.maskedURL
    let secrets = RequestSecrets(request).fields
    fingerprint = secrets.isEmpty ? [] : Self.code(over: secrets, salt: salt)
  }

  /// Returns the message code over the headers that a response depends on by its `Vary`; empty
  /// without names.
  public static func variant(
    of request: HTTPRequest, varyingBy names: [String], salt: [UInt8]
  ) -> [UInt8] {
    guard !names.isEmpty else { return [] }
    let fields = names.flatMap { name in
      // A header that is absent and one that is empty are not the same.
      let values = request.headers.values(of: name)
      return [(name, String(values.count))] + values.map { (name, $0) }
    }
    return code(over: fields, salt: salt)
  }

  /// Each part is preceded by its length, so that different lists have different bytes.
  private static func code(over fields: [(String, String)], salt: [UInt8]) -> [UInt8] {
    var message: [UInt8] = []
    for part in fields.flatMap({ [$0.0, $0.1] }) {
      withUnsafeBytes(of: UInt64(part.utf8.count).littleEndian) { message += $0 }
      message += part.utf8
    }
    return SHA256.authenticationCode(of: message, key: salt)
  }
}

/// Finds the credentials in a request.
struct RequestSecrets {
  /// Names and values of program credentials, in the order of the request.
  private(set) var fields: [(String, String)] = []
  /// The values that are secret.
  private var secrets: [String] = []
  /// Whether there are credentials of a person.
  private(set) var namesPerson = false

  init(_ request: HTTPRequest) {
    // Credentials that no header holds yet: the answer to a challenge, and cookies. And secrets in the
    // address that its masked form does not distinguish: they may be those of a person.
    namesPerson =
      request.transfer.authentication != nil || request.transfer.cookies != nil
      || request.address.hasOtherSecret
    for field in request.headers.fields {
      let name = field.name.lowercased()
      switch SecretName.kind(of: field.name, in: .header) {
      case .person?: namesPerson = true
      case .program?:
        fields.append(("header " + name, field.value))
        secrets.append(field.value)
      case nil where field.isSecret: namesPerson = true
      // Not secret, but the same address returns different data for each application.
      case nil:
        if name.contains("application-id") { fields.append(("header " + name, field.value)) }
      }
    }
    for (name, value) in request.address.queryFields {
      switch SecretName.kind(of: name, in: .address) {
      case .person?: namesPerson = true
      case .program?:
        let name = name.lowercased()
        fields.append(("field " + name, value))
        // Too short and too common to be searched for in a body.
        if name != "code" { secrets.append(value) }
      case nil: break
      }
    }
  }

  /// The values as they may appear in a response, plain or percent-encoded.
  var values: [String] {
    secrets.flatMap { value in [value, value.removingPercentEncoding ?? value] }
      .filter { !$0.isEmpty }
  }
}
