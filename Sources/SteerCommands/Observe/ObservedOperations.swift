import Operations
import ShellLanguage
import ShellSession
import OpshTerminal

/// The operations that `on` and `observe` are about: some that exist, and some still to come.
struct ObservedOperations {
  /// The rule, as help states it.
  static let rule = """
    A name that no unfinished operation has means the next one that takes it; a pattern means all \
    that match, also those built later, and 'any' all that are unfinished or built later.
    """

  private(set) var operations: [ObservableOperation] = []
  /// The names and patterns of operations that may still be built.
  private var coming: [(pattern: String, isOnce: Bool)] = []
  /// The operations in words.
  var text: String {
    let names = coming.map { $0.pattern == Self.everyName ? Self.any : $0.pattern }
    return mayCome ? names.joined(separator: " ") : OperationList.names(operations)
  }

  /// Whether operations may still come.
  var mayCome: Bool { !coming.isEmpty }

  private static let any = "any"
  private static let everyName = "*"

  /// Reads what the arguments stand for.
  ///
  /// - Parameters:
  ///   - values: The arguments.
  ///   - invocation: The call.
  ///   - parameter: What they are arguments of.
  ///   - awaitsNext: Whether another operation may take the name of a finished one.
  /// - Throws: A diagnostic where an argument stands for nothing.
  init(
    _ values: [Value], _ invocation: Invocation, at parameter: some Parameter,
    awaitsNext: (ObservableOperation) -> Bool
  ) throws {
    let registry = invocation.jobs.operations
    for (index, value) in values.enumerated() {
      guard case .string(let text) = value else {
        operations += try invocation.operations(for: value, at: parameter, index: index)
        continue
      }
      let isName = registry.operation(named: text) != nil
      let parts = isName ? [text] : text.split(separator: ",").map(String.init)
      for part in parts.isEmpty ? [text] : parts {
        if part == Self.any {
          operations += registry.unfinished
          coming.append((Self.everyName, false))
        } else if GlobPattern.isPattern(part) {
          let pattern = GlobPattern(part)
          operations += registry.all.filter { pattern.matches($0.displayName) }
          coming.append((part, false))
        } else if let named = Self.name(part, in: registry) {
          operations += [named.finished].compactMap { $0 }
          guard named.finished.map(awaitsNext) ?? true else { continue }
          if named.finished == nil { Self.remark(on: part, invocation) }
          coming.append((part, true))
        } else {
          operations += try invocation.operations(for: .string(part), at: parameter, index: index)
        }
      }
    }
    var seen: Set<Int> = []
    operations = operations.filter { seen.insert($0.id).inserted }
  }

  /// A name that no unfinished operation has, with the finished one that has it; nil for other words.
  private static func name(
    _ text: String, in registry: OperationRegistry
  ) -> (finished: ObservableOperation?, Void)? {
    let isName =
      (try? UnplacedError.check(name: text, reserved: OperationRegistry.reservedNames)) != nil
    let named = registry.operation(named: text)
    return isName && named?.state ?? .finished == .finished ? (named, ()) : nil
  }

  /// Says at the prompt that a name may be misspelt, because an unknown name is no error.
  private static func remark(on name: String, _ invocation: Invocation) {
    guard invocation.screen.isInteractive,
      let help = Spelling.help(for: name, among: invocation.jobs.operations.names)
    else { return }
    invocation.screen.remark("no operation is called '\(name)' yet; \(help)")
  }

  /// Calls a handler for each operation that is built from now on, until an observation ends.
  ///
  /// - Parameters:
  ///   - number: The number of the handler or observer.
  ///   - observation: The observation.
  ///   - jobs: Where operations are built.
  ///   - handle: What to call, on the thread that builds the operation.
  func await(
    number: Int, _ observation: Observation, in jobs: Jobs,
    _ handle: @escaping @Sendable (ObservableOperation) -> Void
  ) {
    guard mayCome else { return }
    let arrivals = jobs.operations.arrivals
    observation.onEnd { [weak arrivals] in arrivals?.forget(number) }
    for (pattern, isOnce) in coming {
      arrivals.await(pattern, once: isOnce, number: number, handle)
    }
  }
}
