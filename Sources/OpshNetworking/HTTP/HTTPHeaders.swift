import OpshSecrets

/// Header fields in order, with duplicates; look-up by name ignores case.
///
/// ```swift
/// var headers = HTTPHeaders()
/// try headers.append("Accept", "application/json")
/// headers["accept"]  // "application/json"
/// ```
public struct HTTPHeaders: Sendable, Equatable {
  /// One header field.
  public struct Field: Sendable, Equatable {
    /// The name as it was given or received.
    public let name: String
    /// The value, without white space around it.
    public let value: String

    /// The value for scripts: `***` if it is secret.
    public var maskedValue: String { isSecret ? "***" : value }

    /// The value for a person to read: also without the secrets in an address, as in `Location`.
    public var shownValue: String { isSecret ? "***" : SecretText.mask(value) }

    /// Whether the value is a credential.
    public var isSecret: Bool {
      SecretName.isSecret(name, in: .header) || Credentials.hasScheme(value)
    }
  }

  /// All fields in their order.
  public var fields: [Field] { block?.fields ?? list }

  /// The fields, unless there is a block.
  private var list: [Field] = []
  /// The received fields, which are mostly not read; then the list is empty.
  private var block: ReceivedHeaderBlock?
  /// Whether a field came from a server, so that all must be validated before sending.
  private var holdsReceived = false

  /// How many bytes the fields take.
  var size: Int {
    (block?.size ?? 0) + list.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
  }

  /// Creates an empty list.
  public init() {}

  /// Creates a list from pairs of name and value.
  ///
  /// - Parameter pairs: Names and values in their order.
  /// - Throws: `NetworkError.badRequest` for a name or value that must not be sent.
  public init(_ pairs: [(String, String)]) throws(NetworkError) {
    for (name, value) in pairs { try append(name, value) }
  }

  /// Creates a list of received fields, which may be invalid.
  ///
  /// For other transports, and for stores. Sending such a list fails if a field is invalid.
  ///
  /// - Parameter fields: Names and values in order.
  public init(received fields: [(String, String)]) {
    list = fields.map { Field(name: $0.0, value: $0.1) }
    holdsReceived = true
  }

  /// Creates a list of fields that a server sent.
  init(_ block: ReceivedHeaderBlock) {
    self.block = block
    holdsReceived = true
  }

  /// The value of the first field of that name.
  public subscript(name: String) -> String? {
    if let block { return block.firstValue(of: name) }
    for field in list where Self.isSame(field.name, name) { return field.value }
    return nil
  }

  /// The address in the field `Location`.
  var location: String? { block.map { $0.firstAddress(of: "Location") } ?? self["Location"] }

  /// Returns the values of all fields of that name.
  ///
  /// - Parameter name: The name in any case.
  /// - Returns: The values in their order.
  public func values(of name: String) -> [String] {
    if let block { return block.values(of: name) }
    var values: [String] = []
    for field in list where Self.isSame(field.name, name) { values.append(field.value) }
    return values
  }

  /// The number in the only field of that name; nil if there are several or the value is not a
  /// number that fits.
  func soleNumber(of name: String) -> Int? {
    if let block { return block.soleNumber(of: name) }
    let values = values(of: name)
    return values.count == 1 ? ReceivedHeaderBlock.number(in: values[0].utf8) : nil
  }

  /// Moves the fields to the list, so that they can be changed.
  private mutating func unpack() {
    guard let block else { return }
    list = block.fields
    self.block = nil
  }

  /// Appends a field that may be sent.
  ///
  /// - Parameters:
  ///   - name: A token in the sense of RFC 9110.
  ///   - value: Text without line breaks and zero bytes.
  /// - Throws: `NetworkError.badRequest` for a name or value that could change the meaning of
  ///   the request, or for a field that the transport sets itself.
  public mutating func append(_ name: String, _ value: String) throws(NetworkError) {
    let field = Field(name: name, value: Self.trimmed(value))
    try Self.validate(field)
    append(field)
  }

  /// Appends a field that is known to be valid.
  mutating func append(_ field: Field) {
    unpack()
    list.append(field)
  }

  /// Replaces all fields of that name by one.
  ///
  /// - Parameters:
  ///   - name: A token in the sense of RFC 9110.
  ///   - value: Text without line breaks and zero bytes.
  /// - Throws: `NetworkError.badRequest` as `append` does.
  public mutating func set(_ name: String, _ value: String) throws(NetworkError) {
    let field = Field(name: name, value: Self.trimmed(value))
    try Self.validate(field)
    if self[name] != nil { remove(name) }
    append(field)
  }

  /// Removes all fields of that name.
  ///
  /// - Parameter name: The name in any case.
  public mutating func remove(_ name: String) {
    unpack()
    list.removeAll { Self.isSame($0.name, name) }
  }

  /// Appends a received field, which may be invalid.
  mutating func appendReceived(_ name: String, _ value: String) {
    append(Field(name: name, value: value))
    holdsReceived = true
  }

  /// Reserves capacity for about as many fields.
  mutating func reserveCapacity(_ count: Int) {
    unpack()
    list.reserveCapacity(count)
  }

  /// Validates the fields of a received list; other lists were validated before.
  func validate() throws(NetworkError) {
    guard holdsReceived else { return }
    for field in fields { try Self.validate(field) }
  }

  /// Whether both have the same fields in the same order, whatever their origin.
  public static func == (first: HTTPHeaders, second: HTTPHeaders) -> Bool {
    if let block = first.block, block === second.block { return true }
    return first.fields == second.fields
  }

  /// Headers that the transport sets itself; a conflicting second one in a request is how requests
  /// are smuggled past proxies.
  private static let reserved = [
    "host", "content-length", "transfer-encoding", "connection", "expect", "te", "trailer",
    "upgrade", "proxy-connection", "keep-alive",
  ]

  /// Whether the transport sets the header of that name itself.
  package static func isReserved(_ name: String) -> Bool {
    reserved.contains { isSame($0, name) }
  }

  private static func validate(_ field: Field) throws(NetworkError) {
    guard isToken(field.name) else {
      throw .badRequest("'\(printable(field.name))' is not the name of a header")
    }
    guard !isReserved(field.name) else {
      let origin = isSame(field.name, "host") ? "comes from the address" : "is set by the transport"
      throw .badRequest("the header '\(field.name)' \(origin), and can't be given")
    }
    // The value is not shown: it may be a secret.
    guard !field.value.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else {
      throw .badRequest("the value of the header '\(field.name)' holds a control character")
    }
  }

  /// Whether text is a token of RFC 9110, 5.6.2, as names of headers and methods are.
  static func isToken(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
          UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
          UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
          UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
          true
        default: false
        }
      }
  }

  /// Compares names as HTTP does: ASCII letters without regard to case, all else exactly.
  private static func isSame(_ first: String, _ second: String) -> Bool {
    ReceivedHeaderBlock.isSame(first.utf8, second.utf8)
  }

  private static func trimmed(_ text: String) -> String {
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    guard let first = text.utf8.first, let last = text.utf8.last, isBlank(first) || isBlank(last)
    else { return text }
    var rest = text.utf8[...]
    while let first = rest.first, isBlank(first) { rest.removeFirst() }
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return String(Substring(rest))
  }
}

extension HTTPHeaders {
  /// Headers that are sent with every request that does not override them.
  static let ours: HTTPHeaders = {
    var headers = HTTPHeaders()
    headers.append(.ourAgent)
    headers.append(.ourEncodings)
    return headers
  }()

  /// Whether there is no field.
  var isEmpty: Bool { block == nil && list.isEmpty }
}

extension HTTPHeaders.Field {
  /// The default `User-Agent`.
  static let ourAgent = HTTPHeaders.Field(name: "User-Agent", value: "opsh")
  /// The accepted content encodings.
  static let ourEncodings = HTTPHeaders.Field(name: "Accept-Encoding", value: "gzip, deflate")
  /// The same for a body that must come as it is.
  static let noEncoding = HTTPHeaders.Field(name: "Accept-Encoding", value: "identity")
}

/// Text for an error message: control characters are replaced, long text is truncated.
package func printable(_ text: String) -> String {
  let scalars = text.unicodeScalars.prefix(200).map { scalar in
    scalar.properties.generalCategory == .control ? "\u{FFFD}" : String(scalar)
  }
  return scalars.joined() + (text.unicodeScalars.count > 200 ? "…" : "")
}
