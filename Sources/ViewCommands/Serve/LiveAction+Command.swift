import Operations
import SessionServer
import ShellLanguage
import ShellSession

extension LiveAction {
  /// Returns the words of the command that does it.
  ///
  /// - Parameter jobs: The jobs with the queues and operations that it names.
  /// - Returns: The words.
  /// - Throws: An error if there is no such queue or operation.
  func words(in jobs: Jobs) throws(UnplacedError) -> [String] {
    switch self {
    case .pause(let queue): ["queue", "pause", try Self.name(ofQueue: queue, jobs)]
    case .resume(let queue): ["queue", "resume", try Self.name(ofQueue: queue, jobs)]
    case .step(let queue): ["queue", "step", try Self.name(ofQueue: queue, jobs)]
    case .width(let queue, let width):
      [
        "queue", "width", try Self.name(ofQueue: queue, jobs),
        width.map(String.init) ?? "unlimited",
      ]
    case .pace(let queue, let milliseconds):
      [
        "queue", "pace", try Self.name(ofQueue: queue, jobs),
        milliseconds == 0 ? "off" : "\(milliseconds)ms",
      ]
    case .priority(let id, let level):
      ["priority", try Self.name(ofOperation: id, jobs), level.rawValue]
    case .cancel(let id): ["cancel", try Self.name(ofOperation: id, jobs)]
    case .finish(let id): ["finish", try Self.name(ofOperation: id, jobs)]
    case .next: ["next"]
    }
  }

  private static func name(
    ofQueue name: String, _ jobs: Jobs
  ) throws(UnplacedError) -> String {
    guard jobs.queue(named: name) != nil else {
      throw UnplacedError(.unknownQueue, "there is no queue '\(name)'")
    }
    return name
  }

  /// The name of an operation, which a saved script understands; its id where the name means another
  /// one.
  private static func name(
    ofOperation id: Int, _ jobs: Jobs
  ) throws(UnplacedError) -> String {
    guard let operation = jobs.operations.operation(id: id) else {
      throw UnplacedError(.unknownOperation, "there is no operation \(id)")
    }
    let name = operation.displayName
    let isName =
      (try? UnplacedError.check(name: name, reserved: QueueRegistry.reservedNames)) != nil
    return isName && jobs.operations.operation(named: name) === operation ? name : String(id)
  }

  /// Runs the action of a page on the interpreter's thread, and answers it.
  ///
  /// - Throws: What ends the session.
  func run(
    in run: Run, _ jobs: Jobs, masking secrets: SecretMask, host: any CommandHost,
    answering ticket: ActionTicket
  ) throws {
    guard ticket.claim() else { return }
    let words: [String]
    do {
      words = try self.words(in: jobs)
    } catch {
      return ticket.answer(ActionReply(command: "", error: secrets.mask(error.message)))
    }
    let text = WordQuoting.spelled(words)
    let shown = secrets.mask(text)
    do {
      let error = try run.runSteering(text, from: "serve", host: host)
      ticket.answer(
        ActionReply(command: shown, error: error.map { secrets.mask($0.message) }))
    } catch {
      ticket.answer(ActionReply(command: shown, error: "the session ends"))
      throw error
    }
  }
}
