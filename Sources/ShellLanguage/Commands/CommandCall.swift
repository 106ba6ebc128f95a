/// A command with its arguments, checked and sorted as far as they are known.
///
/// Before the run an argument with a variable in it has its place, but no value yet. The run binds
/// such a call again, each time its variables have values; then all of it is known.
public struct CommandCall: Sendable {
  /// What was given for one argument or option.
  struct Element: Sendable {
    /// The name of the argument or the option.
    let name: String
    /// What was given, in order.
    var arguments: [BoundArgument]
  }

  /// The command.
  public let signature: CommandSignature
  /// The text that the call stands in.
  public let source: SourceText
  /// Where the call stands.
  public let range: SourceRange
  /// What is given, in order.
  ///
  /// A call has few arguments, and each is found by looking at one after another: a dictionary would
  /// cost more than all the rest of binding.
  private(set) var arguments: [Element] = []
  /// What is wrong with the words.
  var problems: [Diagnostic] = []
  /// The words of a command that is an argument itself.
  var command: [Argument]?
  /// Whether something in it is known only when it runs.
  var isDynamic = false
  /// The options that something around the call gives it where it lacks them, as a group does; nil
  /// where that may be any.
  public var inheritedOptions: Set<String>? = []
  /// The calls around it that run it where it stands, once, the outermost first.
  public internal(set) var enclosing: [CommandCall] = []
  /// Whether the value of a program is to be what it prints, as in `let x = !date`.
  public internal(set) var keepsOutput = false

  init(signature: CommandSignature, source: SourceText, range: SourceRange) {
    self.signature = signature
    self.source = source
    self.range = range
  }

  // MARK: Values

  /// Returns the value of an argument or an option, of the type that its declaration says.
  ///
  /// An option that the command does not have counts as not given, so that commands can read shared
  /// options of which they have only some. While the call runs every value is known.
  public subscript<Key: Parameter>(_ parameter: Key) -> Key.Value {
    parameter.read(given(parameter.name))
  }

  /// Returns the value of an argument or an option; nil where only running shows it.
  public func known<Key: Parameter>(_ parameter: Key) -> Key.Value? {
    guard let given = given(parameter.name) else {
      return mayFollow(parameter.name) ? nil : parameter.read(nil)
    }
    let isOpen = isDynamic && signature.positional(named: parameter.name)?.takesSeveral == true
    return isOpen || given.contains(where: \.isUnknown) ? nil : parameter.read(given)
  }

  /// Returns the texts that are known of an argument or an option, and which of its values they are.
  public func texts(of parameter: some Parameter) -> [(text: String, index: Int)] {
    texts(of: parameter.name)
  }

  /// Returns the texts that are known of the argument or the option of a name, and which of its
  /// values they are.
  public func texts(of parameter: String) -> [(text: String, index: Int)] {
    (given(parameter) ?? []).enumerated().compactMap { index, argument in
      argument.value.map { ($0.text, index) }
    }
  }

  /// Returns whether any value is given for an argument or an option, as far as that is known; a list
  /// may be empty.
  public func has(_ parameter: some Parameter) -> Bool {
    given(parameter.name)?.contains {
      !$0.isUnknown || !signature.takesSeveral(parameter.name)
    } == true
  }

  /// Returns whether an argument or an option is written, even if a list for it is empty.
  public func mentions(_ parameter: some Parameter) -> Bool { given(parameter.name) != nil }

  /// Returns whether an argument or an option is certainly not given, neither here nor by what is
  /// around the call.
  public func lacks(_ parameter: some Parameter) -> Bool {
    guard given(parameter.name) == nil else { return false }
    if signature.positional(named: parameter.name) != nil { return !isDynamic }
    return inheritedOptions?.contains(parameter.name) == false
  }

  /// Returns what is given for an argument or an option, in order.
  public func arguments(of parameter: some Parameter) -> [BoundArgument] {
    given(parameter.name) ?? []
  }

  /// Returns where the first value given for an argument or an option stands.
  public func range(of parameter: some Parameter) -> SourceRange? { range(of: parameter.name) }

  /// Returns where the first value given for the argument or the option of a name stands.
  public func range(of parameter: String) -> SourceRange? { given(parameter)?.first?.range }

  /// Returns what is given for a name; nil where it is not mentioned.
  func given(_ name: String) -> [BoundArgument]? {
    arguments.first { $0.name == name }?.arguments
  }

  /// Whether an argument that is not given may yet be what a variable stands for.
  private func mayFollow(_ name: String) -> Bool {
    (isDynamic || !problems.isEmpty) && signature.positional(named: name) != nil
  }

  /// The command that is an argument itself, where it is written without braces.
  var commandStatement: CommandStatement? {
    guard let command, !command.isEmpty else { return nil }
    if command.count == 1, case .block = command[0] { return nil }
    for element in arguments {
      guard case .block(let block)? = element.arguments.first?.content,
        block.statements.count == 1, case .command(let statement) = block.statements[0].kind,
        statement.range.lower == command[0].range.lower
      else { continue }
      return statement
    }
    return nil
  }

  /// What is given as expressions, with whatever else is given for the same name.
  var expressions: [Element] {
    arguments.filter { element in
      element.arguments.contains {
        if case .expression = $0.content { return true }
        return false
      }
    }
  }

  // MARK: Errors

  /// Returns what the rules of the command refuse of the arguments, as far as they are known.
  ///
  /// - Parameter isDefined: Returns whether a script may have defined a command or an alias of a name.
  /// - Returns: The errors of running the call.
  public func refusals(isDefined: (String) -> Bool) -> [Diagnostic] {
    signature.rules.flatMap { $0.refusals(of: self, isDefined: isDefined) }
  }

  /// The error of a call that cannot be asked about a moment of the past; nil if it can.
  public var refusalToLookBack: Diagnostic? {
    guard let command = signature.command, !command.canLookBack(self) else { return nil }
    return failure(
      .cannotLookBack, "'\(signature.fullName)' cannot be asked about an earlier moment",
      help:
        "'at' takes a command that only shows: why, ops, queue, show, tree, deps, diagram, blame")
  }

  /// Refuses an empty list where there is nothing to do without a value.
  public func requireValue(_ parameter: some Parameter) throws {
    guard given(parameter.name)?.isEmpty == true else { return }
    let kind = signature.kind(of: parameter.name)?.description ?? "a value"
    throw failure(
      .missingArgument, "'\(signature.fullName)' needs \(kind), but the list is empty",
      help: "usage: \(signature.briefUsage)")
  }

  /// Returns an error of running this call, to be thrown, that marks the whole call.
  public func failure(_ page: ErrorPage, _ message: String, help: String? = nil) -> Diagnostic {
    Diagnostic(page, message, source: source, range: range, help: help, phase: .running)
  }

  /// Returns an error of running this call, to be thrown, that marks an argument or an option.
  public func failure(
    _ page: ErrorPage, _ message: String, at parameter: some Parameter, index: Int = 0,
    help: String? = nil
  ) -> Diagnostic {
    let given = given(parameter.name) ?? []
    return Diagnostic(
      page, message, source: source,
      range: index < given.count ? given[index].range : given.first?.range ?? range, help: help,
      phase: .running)
  }

  // MARK: Binding

  /// Notes that a name is mentioned, whatever is given for it.
  mutating func mention(_ name: String) {
    if given(name) == nil { arguments.append(Element(name: name, arguments: [])) }
  }

  /// Adds an argument to what is given for a name.
  mutating func append(_ argument: BoundArgument, for name: String) {
    if argument.isUnknown { isDynamic = true }
    if let index = arguments.firstIndex(where: { $0.name == name }) {
      arguments[index].arguments.append(argument)
    } else {
      arguments.append(Element(name: name, arguments: [argument]))
    }
  }

  /// Forgets a name.
  mutating func remove(_ name: String) { arguments.removeAll { $0.name == name } }
}

extension ErrorPage {
  static let cannotLookBack = ErrorPage(
    "cannot-look-back", "The command cannot be asked about an earlier moment",
    "'at' shows how things were; what changes something can do so only now.",
    help: "'at' takes why, ops, queue, show, tree, deps, diagram and blame",
    wrong: "at 1s delay 5s", right: "delay 1ms --name a\nwait\nat a.started ops")
}
