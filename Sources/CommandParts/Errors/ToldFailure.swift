package import Operations

extension OperationFailure {
  /// Code and message; where the code is the whole of it, as that of an error that a service
  /// answered with, it stands alone.
  package var told: String {
    code.hasPrefix("api(") || message.isEmpty ? code : "\(code): \(message)"
  }
}
