package import Operations
package import ShellLanguage

extension RuledParameter {
  /// Returns the parameter with a rule for each of its values.
  ///
  /// - Parameters:
  ///   - help: What to do about the error of a value; that of the error by default.
  ///   - check: Throws the error of a value.
  /// - Returns: The parameter.
  package func checkedEach<Failure: CodedError>(
    help: String? = nil, _ check: @escaping @Sendable (_ text: String) throws(Failure) -> Void
  ) -> Self {
    refusedEach { text in
      do throws(Failure) {
        try check(text)
        return nil
      } catch {
        var refusal = UnplacedError(error)
        if let help { refusal.help = help }
        return refusal
      }
    }
  }

  /// Returns the parameter with the rule that it needs another one.
  package func needing(_ other: some Parameter) -> Self {
    refused { call, parameter in
      guard call.has(parameter), call.lacks(other) else { return nil }
      return call.failure(
        .missingOption, "'--\(parameter.name)' means nothing without '--\(other.name)'",
        at: parameter)
    }
  }

  /// Returns the parameter with the rule that it excludes another one.
  package func excluding(_ other: some Parameter, because reason: String) -> Self {
    refused { call, parameter in
      guard call.has(parameter), call.has(other) else { return nil }
      return call.failure(.conflictingOptions, reason, at: parameter)
    }
  }
}

extension ArgumentRule {
  /// A rule that at most one of several options is given.
  ///
  /// - Parameters:
  ///   - options: The options.
  ///   - what: The end of the message about two of them.
  /// - Returns: The rule, whose error marks the second option.
  package static func oneOf(_ options: [any Parameter], _ what: String) -> ArgumentRule {
    ArgumentRule { call in
      let given = options.filter { call.has($0) }
      guard given.count > 1 else { return nil }
      return call.failure(
        .conflictingOptions, "'--\(given[0].name)' and '--\(given[1].name)' \(what)", at: given[1])
    }
  }
}
