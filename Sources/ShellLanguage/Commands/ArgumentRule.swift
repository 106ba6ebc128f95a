/// A rule for the arguments of a call beyond their kinds, such as two options that exclude each
/// other.
///
/// It stands in the declaration of a command, or of the parameter that it is about. The check asks
/// it when variables have no values yet, and the run asks it again when all is known: a rule says
/// nothing where it would need a value that is not known yet.
///
/// ```swift
/// static let error = Option<String?>("error", help: "…").refused { call, error in
///   guard call.has(value) else { return nil }
///   return call.failure(.conflictingOptions, "…", at: error)
/// }
/// ```
public struct ArgumentRule: Sendable {
  /// The parameter that it is about, without which it has nothing to say; nil for the whole call.
  private let parameter: String?
  private let find: @Sendable (CommandCall, _ isDefined: (String) -> Bool) -> [Diagnostic]

  fileprivate init(
    about parameter: String,
    _ find: @escaping @Sendable (CommandCall, _ isDefined: (String) -> Bool) -> [Diagnostic]
  ) {
    self.parameter = parameter
    self.find = find
  }

  /// Creates a rule for a whole call.
  ///
  /// - Parameter refusal: Returns the error of a call; nil for one that is allowed, as far as it is
  ///   known.
  public init(_ refusal: @escaping @Sendable (CommandCall) -> Diagnostic?) {
    self.parameter = nil
    self.find = { call, _ in refusal(call).map { [$0] } ?? [] }
  }

  func refusals(of call: CommandCall, isDefined: (String) -> Bool) -> [Diagnostic] {
    if let parameter, call.given(parameter) == nil { return [] }
    return find(call, isDefined)
  }
}

/// A parameter that can have rules: an argument or an option.
public protocol RuledParameter<Value>: Parameter {
  /// The rules.
  var rules: [ArgumentRule] { get set }
}

extension RuledParameter {
  /// Returns the parameter with a rule for the calls that give it.
  ///
  /// - Parameters:
  ///   - allowsDefined: Whether the name of a command or an alias that a script defines is always
  ///     allowed.
  ///   - refusal: Returns the error of a call; nil for one that is allowed, as far as it is known.
  /// - Returns: The parameter.
  public func refused(
    allowsDefined: Bool = false,
    _ refusal: @escaping @Sendable (_ call: CommandCall, _ parameter: Self) -> Diagnostic?
  ) -> Self {
    adding { call, isDefined in
      guard let found = refusal(call, self) else { return [] }
      let words = call.texts(of: self)
      return allowsDefined && words.count == 1 && isDefined(words[0].text) ? [] : [found]
    }
  }

  /// Returns the parameter with a rule for each of its values.
  ///
  /// - Parameter refusal: Returns the error of a value; nil for one that is allowed.
  /// - Returns: The parameter.
  public func refusedEach(
    _ refusal: @escaping @Sendable (_ text: String) -> UnplacedError?
  ) -> Self {
    adding { call, _ in
      call.texts(of: self).compactMap { text, index in
        refusal(text).map {
          call.failure($0.page, $0.message, at: self, index: index, help: $0.help)
        }
      }
    }
  }

  private func adding(
    _ find: @escaping @Sendable (CommandCall, _ isDefined: (String) -> Bool) -> [Diagnostic]
  ) -> Self {
    var ruled = self
    ruled.rules.append(ArgumentRule(about: name, find))
    return ruled
  }
}
