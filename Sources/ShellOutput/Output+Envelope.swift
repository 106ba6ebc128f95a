import Foundation
import OpshJSON

extension Output {
  /// The text of an object of the `--json` contract.
  static func envelope(
    _ type: String, _ sequence: Int64, at instant: ContinuousClock.Instant, _ clock: SessionClock,
    _ fields: JSONFields
  ) -> String {
    var whole: JSONFields = [
      "type": .string(type), "sequence": .integer(sequence),
      "time": .string(clock.timestamp(instant)), "elapsed": .seconds(clock.elapsed(instant)),
    ]
    whole.members += fields.members
    return whole.value.text
  }
}
