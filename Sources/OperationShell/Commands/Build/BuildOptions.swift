import Foundation
import Networking
import Operations
import ShellLanguage

/// What every command that builds operations takes: queue, name, priority, dependencies, and so on.
struct BuildOptions {
  let queue: InspectableQueue
  let name: String?
  let priority: Operation.QueuePriority
  let qualityOfService: QualityOfService
  let dependencies: [ObservableOperation]
  let policy: FailurePolicy
  let count: Int
  let isHeld: Bool

  /// The options, as the signatures of those commands list them.
  static let options: [CommandSignature.Option] = [
    .init("queue", .name("queue"), help: "the queue it is added to; the one in use if left out"),
    .init(
      "name", .newName(reserved: OperationRegistry.reservedNames),
      help: "its name; otherwise the kind's last word and a number"),
    .init(
      "priority", .choice(Operation.QueuePriority.shellNames.map(\.name)),
      help: "its place among ready operations"),
    .init(
      "qos", .choice(QualityOfService.shellNames.map(\.name)),
      help: "its quality of service"),
    .init(
      "after", .name("operation"), repeats: true,
      help: "an operation that must finish first; may be repeated, or take a,b"),
    .init(
      "on-failure", .choice(FailurePolicy.allCases.map(\.rawValue)),
      help: "what to do if one of those fails: run all the same, be skipped, or fail too"),
    .init("count", .integer(minimum: 1, maximum: 1_000_000), help: "how many to build"),
    .init("hold", help: "leave it off its queue until 'start'"),
  ]

  /// Reads the options of a call; nothing is built or changed.
  init(_ invocation: Invocation) throws {
    let call = invocation.call
    queue = try invocation.queue()
    name = call.string("name")
    priority = call.string("priority").flatMap(Operation.QueuePriority.init(shellName:)) ?? .normal
    qualityOfService = call.string("qos").flatMap(QualityOfService.init(shellName:)) ?? .default
    dependencies = call.has("after") ? try invocation.operations("after") : []
    policy = call.string("on-failure").flatMap(FailurePolicy.init(rawValue:)) ?? .run
    count = call.integer("count") ?? 1
    isHeld = call.flag("hold")
  }
}

extension Invocation {
  /// Builds the operations that the options ask for, and puts them on their queue.
  ///
  /// Everything that can be wrong is looked at before the first one is built, so a refusal
  /// leaves nothing behind.
  ///
  /// - Parameters:
  ///   - kind: What they are, for `ops`, and for the names of those that are given none.
  ///   - make: Makes one operation of the given name.
  /// - Returns: The operation, or the list of them where there are several.
  /// - Throws: A diagnostic where the options can't be met, and what `make` throws.
  func build(
    kind: String, _ make: (_ name: String) throws -> ObservableOperation
  ) throws -> Value {
    let options = try BuildOptions(self)
    var names: [String] = []
    do throws(NameError) {
      for number in 1...options.count {
        let wanted = options.name.map { options.count == 1 ? $0 : "\($0)-\(number)" }
        names.append(try session.operations.reserveName(wanted, kind: kind))
      }
    } catch {
      names.forEach(session.operations.releaseName)
      throw call.failure("bad-name", error.message, at: "name")
    }
    var built: [ObservableOperation] = []
    do {
      for name in names {
        let operation = try make(name)
        operation.queuePriority = options.priority
        operation.qualityOfService = options.qualityOfService
        for dependency in options.dependencies {
          try operation.depend(on: dependency, policy: options.policy)
        }
        built.append(operation)
      }
    } catch {
      names.forEach(session.operations.releaseName)
      throw error
    }
    let origin = OperationRegistry.Origin(source: call.source, range: call.range)
    built.forEach { session.operations.add($0, origin: origin) }
    if !options.isHeld {
      try options.queue.addOperations(built, waitUntilFinished: false)
    } else {
      built.forEach { session.operations.hold($0, for: options.queue) }
    }
    let objects = built.map { Value.object(OperationObject($0, clock: session.clock)) }
    return objects.count == 1 ? objects[0] : .list(objects)
  }
}
