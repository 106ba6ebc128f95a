import OpshJSON
package import Operations
package import ShellOutput

/// An operation as data: the common source of the keys in `--json`, `--where` and `$name.property`.
package struct OperationDescription {
  package let operation: ObservableOperation
  package let clock: SessionClock

  package init(operation: ObservableOperation, clock: SessionClock) {
    self.operation = operation
    self.clock = clock
  }

  package var fields: JSONFields {
    JSONFields(
      OperationProperty.keys.compactMap { property in
        let value = property.json(of: operation) { .seconds(clock.elapsed($0)) }
        guard value != .null || !OperationProperty.optionalKeys.contains(property.name) else {
          return nil
        }
        return .init(name: property.name, value: value)
      })
  }

  /// `{id, name}`, the reference to an operation in other objects.
  package static func reference(to operation: ObservableOperation) -> JSONFields {
    reference(to: operation.identity)
  }

  /// `{id, name}` of an operation that may have been dropped.
  package static func reference(to identity: OperationIdentity) -> JSONFields {
    ["id": .number(identity.id), "name": .string(identity.name)]
  }
}

extension JSONValue {
  /// `{code, message}` of a failure; null for none.
  static func failure(_ failure: OperationFailure?) -> JSONValue {
    guard let failure else { return .null }
    return .members(["code": .string(failure.code), "message": .string(failure.message)])
  }
}
