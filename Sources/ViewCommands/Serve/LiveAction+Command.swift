import Operations
import SessionServer
import ShellLanguage
import ShellSession

extension LiveAction {
  /// Returns the words of the command that does it.
  ///
  /// - Parameter session: The session with the queues and operations that it names.
  /// - Returns: The words.
  /// - Throws: An error if there is no such queue or operation.
  func words(in session: Session) throws(UnplacedError) -> [String] {
    switch self {
    case .pause(let queue): ["queue", "pause", try Self.name(ofQueue: queue, session)]
    case .resume(let queue): ["queue", "resume", try Self.name(ofQueue: queue, session)]
    case .step(let queue): ["queue", "step", try Self.name(ofQueue: queue, session)]
    case .width(let queue, let width):
      [
        "queue", "width", try Self.name(ofQueue: queue, session),
        width.map(String.init) ?? "unlimited",
      ]
    case .pace(let queue, let milliseconds):
      [
        "queue", "pace", try Self.name(ofQueue: queue, session),
        milliseconds == 0 ? "off" : "\(milliseconds)ms",
      ]
    case .priority(let id, let level):
      ["priority", try Self.name(ofOperation: id, session), level.rawValue]
    case .cancel(let id): ["cancel", try Self.name(ofOperation: id, session)]
    case .finish(let id): ["finish", try Self.name(ofOperation: id, session)]
    }
  }

  private static func name(
    ofQueue name: String, _ session: Session
  ) throws(UnplacedError) -> String {
    guard session.queue(named: name) != nil else {
      throw UnplacedError(.unknownQueue, "there is no queue '\(name)'")
    }
    return name
  }

  /// The name of an operation, which a saved script understands; its id where the name means another
  /// one.
  private static func name(
    ofOperation id: Int, _ session: Session
  ) throws(UnplacedError) -> String {
    guard let operation = session.operations.operation(id: id) else {
      throw UnplacedError(.unknownOperation, "there is no operation \(id)")
    }
    let name = operation.displayName
    let isName =
      (try? UnplacedError.check(name: name, reserved: QueueRegistry.reservedNames)) != nil
    return isName && session.operations.operation(named: name) === operation ? name : String(id)
  }
}

extension Session {
  /// Runs an action of a page on the interpreter's thread, and answers it.
  ///
  /// - Throws: What ends the session.
  func run(_ action: LiveAction, answering ticket: ActionTicket) throws {
    guard ticket.claim() else { return }
    let words: [String]
    do {
      words = try action.words(in: self)
    } catch {
      return ticket.answer(ActionReply(command: "", error: secrets.mask(error.message)))
    }
    let text = WordQuoting.spelled(words)
    let shown = secrets.mask(text)
    do {
      let error = try runSteering(text, from: "serve")
      ticket.answer(
        ActionReply(command: shown, error: error.map { secrets.mask($0.message) }))
    } catch {
      ticket.answer(ActionReply(command: shown, error: "the session ends"))
      throw error
    }
  }
}
