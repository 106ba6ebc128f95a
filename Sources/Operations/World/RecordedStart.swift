package import Foundation

/// When a recorded engine was created, as the engine that shows it tells.
package struct RecordedStart: Sendable {
  package let date: Date
  /// Whether its times are those of the virtual clock.
  package let isVirtual: Bool

  package init(date: Date, isVirtual: Bool) {
    (self.date, self.isVirtual) = (date, isVirtual)
  }
}
