import Foundation
package import Operations
package import ShellSession

/// How classes of service are written.
package enum QualityText {
  /// The class of service with which an operation works, and what gives it: `utility, of queue 'q'`.
  package static func text(of operation: ObservableOperation) -> String {
    let quality = operation.effectiveQualityOfService
    guard operation.qualityOfService == .default, quality != .default else {
      return operation.qualityOfService.shellName
    }
    let groups = operation.enclosingGroups
    let giver =
      operation.queue.flatMap { $0.qualityOfService == quality ? "queue '\($0.name)'" : nil }
      ?? groups.first { $0.qualityOfService == quality }.map { "group '\($0.displayName)'" }
    return quality.shellName + (giver.map { ", of \($0)" } ?? ", inherited")
  }

  /// That of a queue, and what gives it.
  package static func text(of queue: InspectableQueue, in jobs: Jobs) -> String {
    let (own, quality) = (queue.qualityOfService, queue.effectiveQualityOfService)
    guard own == .default, quality != .default else { return own.shellName }
    let giver = jobs.group(of: queue).map { ", of group '\($0.displayName)'" }
    return quality.shellName + (giver ?? "")
  }
}
