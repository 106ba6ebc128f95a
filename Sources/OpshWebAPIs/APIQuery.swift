import OpshSupport

/// A request to an endpoint: the values of its parameters.
///
/// ```swift
/// var query = QuestionsQuery()
/// query[Questions.tagged] = ["swift", "c++"]
/// query[StackExchange.pagesize] = 5
/// ```
public struct APIQuery<Endpoint: APIEndpoint>: Sendable, Equatable {
  private var texts: [String: String] = [:]

  /// Creates a query with the values that clients send by default.
  public init() {
    for parameter in Endpoint.parameters {
      texts[parameter.declaration.key] = parameter.declaration.initial
    }
  }

  /// The value of a parameter; the service's default if it is not set.
  public subscript<Value>(parameter: APIParameter<Value>) -> Value {
    get { texts[parameter.declaration.key].flatMap(parameter.value(of:)) ?? parameter.standard }
    set { texts[parameter.declaration.key] = parameter.text(of: newValue) }
  }

  /// Sets a parameter to the texts of its values.
  ///
  /// - Parameters:
  ///   - parameter: The parameter.
  ///   - words: The texts of its values, which must be valid; an empty list changes nothing.
  public mutating func set(_ parameter: any APIParameterDeclaration, to words: [String]) {
    guard !words.isEmpty else { return }
    let separator = parameter.declaration.separator.map(String.init) ?? ""
    texts[parameter.declaration.key] = words.joined(separator: separator)
  }

  /// The path after the root, with `{name}` for a parameter in it.
  public var pattern: String {
    for parameter in Endpoint.parameters {
      if let path = parameter.declaration.path, texts[path] != nil { return path }
    }
    return Endpoint.path
  }

  /// The path with the values of the parameters in it.
  public var path: String {
    let pattern = pattern
    return Endpoint.parameters.map(\.declaration).reduce(Endpoint.root + pattern) {
      path, parameter in
      guard let text = texts[parameter.key], (parameter.path ?? pattern) == pattern else {
        return path
      }
      return path.replacing("{\(parameter.name)}", with: text)
    }
  }

  /// The query of an address, encoded; nil without any.
  public var encoded: String? {
    let fields = Endpoint.parameters.map(\.declaration).compactMap { parameter -> String? in
      guard parameter.path == nil, !Endpoint.root.contains("{\(parameter.name)}") else {
        return nil
      }
      return texts[parameter.key].map { "\(parameter.name)=\(PercentEncoding.encode($0))" }
    }
    return fields.isEmpty ? nil : fields.joined(separator: "&")
  }

  /// The path and the encoded query, to be appended to an endpoint's base address.
  public var pathAndQuery: String { path + (encoded.map { "?" + $0 } ?? "") }
}
