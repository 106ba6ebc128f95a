import OpshWebAPIs

/// Reads the parameters of a request, and refuses what the real service refuses.
struct Parameters {
  private let values: [String: String]

  init(_ values: [String: String]) {
    self.values = values
  }

  func text(_ name: String) -> String? {
    values[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A value of a type, or nil when the parameter is not given.
  func value<Word: APIWord>(_ name: String) throws(APIError) -> Word? {
    try self[APIParameter<Word?>(name, default: nil, help: "")]
  }

  /// A list whose parts are separated by semicolons, in lower case, or nil when not given.
  func list(_ name: String) -> Set<String>? {
    text(name).map { Set($0.lowercased().split(separator: ";").map(String.init)) }
  }

  /// Whether the request names an application's key or a user's token.
  var hasKey: Bool { text("key") != nil || text("access_token") != nil }

  /// The value of a parameter; its default where the request does not give it.
  subscript<Value>(parameter: APIParameter<Value>) -> Value {
    get throws(APIError) {
      guard let text = text(parameter.name) else { return parameter.standard }
      guard let value = parameter.value(of: text) else { throw .badParameter(parameter.name) }
      return value
    }
  }

  /// Checks every value that the request gives, also of parameters that its method does not read.
  func check(_ declarations: [any APIParameterDeclaration]) throws(APIError) {
    for parameter in declarations {
      let name = parameter.declaration.name
      guard let text = text(name) else { continue }
      guard parameter.allows(text) else { throw .badParameter(name) }
    }
  }

  /// Which part of a list is asked for.
  func part(size: APIParameter<Int> = StackExchange.pagesize) throws(APIError) -> Part {
    let page = try self[StackExchange.page]
    let size = try self[size]
    guard page <= 25 || hasKey else { throw .pageNeedsKey }
    return Part(page: page, size: size)
  }

  var isDescending: Bool {
    get throws(APIError) { try self[StackExchange.order] == .descending }
  }

  /// The smallest and the greatest number that two parameters allow.
  func range(
    _ lower: APIParameter<Int?>, _ upper: APIParameter<Int?>
  ) throws(APIError) -> ClosedRange<Int>? {
    let from = try self[lower]
    let to = try self[upper]
    guard from != nil || to != nil else { return nil }
    let least = from ?? .min
    let greatest = to ?? .max
    // A range that holds nothing is not an error, it only finds nothing.
    return least <= greatest ? least...greatest : Int.min...Int.min
  }

  /// The filter that shapes the answer.
  func filter() throws(APIError) -> ResponseFilter {
    let name = text(StackExchange.filter.name) ?? ResponseFilter.standard.rawValue
    // What is in a filter that a client has made for itself only the real service knows.
    if name.hasPrefix("!") { return .standard }
    guard let filter = ResponseFilter(rawValue: name) else { throw .unknownFilter }
    return filter
  }

  /// The function that wraps the answer as a script, if one is asked for.
  func callback() throws(APIError) -> String? {
    guard let name = text("callback") else { return nil }
    let isName = name.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0))
        || "_$.".unicodeScalars.contains($0)
    }
    guard isName, name.utf8.count <= 100 else { throw .badParameter("callback") }
    return name
  }

  /// Up to a hundred ids from a path.
  static func identifiers(_ text: String) throws(APIError) -> [Int] {
    let parts = text.split(separator: ";", omittingEmptySubsequences: true)
    var identifiers: Set<Int> = []
    for part in parts {
      guard let identifier = Int(part), identifier >= 0 else { throw .unknownMethod }
      identifiers.insert(identifier)
    }
    guard !parts.isEmpty else { throw .unknownMethod }
    guard parts.count <= 100 else { throw .badParameter("ids") }
    return identifiers.sorted()
  }
}

/// Which fields an answer has.
enum ResponseFilter: String {
  case standard = "default"
  /// The standard fields and the text of posts.
  case withBody = "withbody"
  /// No fields at all.
  case none
  /// Nothing but the number of items.
  case total
}
