/// What an operator cannot do with its operands; the evaluator adds the place.
struct ValueFailure: Error {
  let code: String
  let message: String
  var help: String?

  static let overflow = ValueFailure(
    code: "overflow", message: "the result is beyond what a number of this kind can hold")
  static let divisionByZero = ValueFailure(code: "division-by-zero", message: "division by zero")

  static func mismatch(_ verb: String, _ left: Value, _ right: Value) -> ValueFailure {
    ValueFailure(
      code: "type-mismatch",
      message: "cannot \(verb) \(left.describedType) and \(right.describedType)")
  }
}
