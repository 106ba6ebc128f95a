import Foundation
import JSON

extension Output {
  /// The text of an object of the `--json` contract.
  static func envelope(
    _ type: String, _ sequence: Int64, at instant: ContinuousClock.Instant, _ clock: SessionClock,
    _ fields: JSONFields
  ) -> String {
    var whole = JSONFields([
      .init(name: "type", value: .string(type)),
      .init(name: "sequence", value: .integer(sequence)),
      .init(name: "time", value: .string(clock.timestamp(instant))),
      .init(name: "elapsed", value: .seconds(clock.elapsed(instant))),
    ])
    whole.members += fields.members
    return whole.value.text
  }
}
