import Networking
import ShellLanguage

/// The cache as an option of every command that fetches.
extension Invocation {
  static let cacheOptions: [CommandSignature.Option] = [
    .init(
      "cached",
      help: "use what is kept: at once if it is fresh, and until the server has answered if not")
  ]

  /// Gives an operation the cache to use, if that was asked for.
  func cached<Value, Operation: NetworkOperation<Value>>(_ operation: Operation) -> Operation {
    if call.flag("cached") { operation.responseCache = session.responseCache }
    return operation
  }
}
