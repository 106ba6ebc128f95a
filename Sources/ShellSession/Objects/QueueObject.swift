import Foundation
import OpshNetworking
package import Operations
import ShellLanguage
package import ShellOutput
import OpshSupport

/// A queue as a value of the language.
package final class QueueObject: LanguageObject {
  package let queue: InspectableQueue

  package init(_ queue: InspectableQueue) {
    self.queue = queue
  }

  var typeName: String { "queue" }

  var text: String { queue.name }

  var propertyNames: [String] {
    queue.fields.members.map(\.name) + ["operations", "pace", "coalesces"]
  }

  func property(_ name: String) -> Value? {
    if name == "operations" {
      return .list(queue.operations.map { .string($0.displayName) })
    }
    if let earlier = CurrentMoment.value?.value(of: name, for: queue) { return earlier }
    if name == "coalesces" { return .boolean(queue.coalescesRequests) }
    if name == "pace" { return queue.pace > .zero ? .duration(queue.pace) : .null }
    return queue.fields.members.first { $0.name == name }.map { Value(json: $0.value) }
  }
}

extension InspectableQueue {
  /// The keys of the queue's JSON object, from one consistent snapshot.
  ///
  /// An unlimited width is -1, as in Foundation's `defaultMaxConcurrentOperationCount`.
  package var fields: JSONFields {
    let snapshot = snapshot
    return [
      "name": .string(snapshot.name),
      "width": .number(snapshot.width),
      "paused": .boolean(snapshot.isSuspended),
      "qos": .string(effectiveQualityOfService.shellName),
      "pending": .number(snapshot.pending),
      "ready": .number(snapshot.ready),
      "executing": .number(snapshot.executing),
      "finished": .number(snapshot.finished),
    ]
  }

  /// The keys of the object that `queue` and `queue show` print: all properties of the queue.
  package var allFields: JSONFields {
    var fields = fields
    fields.append("coalesces", .boolean(coalescesRequests))
    fields.append("pace", pace > .zero ? .seconds(pace.seconds) : .null)
    fields.append("operations", .array(operations.map { .string($0.displayName) }))
    return fields
  }
}
