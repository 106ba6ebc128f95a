/// Splits a program's terminal output into characters, controls and sequences.
struct SequenceParser: Sendable {
  enum Action: Equatable {
    case print(Unicode.Scalar)
    case control(UInt8)
    case sequence(final: Character, parameters: [Int], isPrivate: Bool)
  }

  private enum State {
    case ground, escape, sequence, operatingSystem, ignoreOne
  }

  private var state = State.ground
  private var collected: [UInt8] = []
  private var pending: [UInt8] = []

  mutating func feed(_ byte: UInt8) -> [Action]? {
    switch state {
    case .ground: return ground(byte)
    case .escape:
      state = .ground
      switch byte {
      case UInt8(ascii: "["):
        collected = []
        state = .sequence
      case UInt8(ascii: "]"): state = .operatingSystem
      case UInt8(ascii: "("), UInt8(ascii: ")"): state = .ignoreOne
      default: break
      }
    case .sequence:
      if (0x40...0x7E).contains(byte) {
        state = .ground
        return [finished(byte)]
      }
      collected.append(byte)
    case .operatingSystem:
      if byte == 0x07 { state = .ground }
      if byte == 0x1B { state = .ignoreOne }
    case .ignoreOne: state = .ground
    }
    return nil
  }

  private mutating func ground(_ byte: UInt8) -> [Action]? {
    if byte == 0x1B {
      state = .escape
      return nil
    }
    if byte < 0x20 || byte == 0x7F { return [.control(byte)] }
    if byte < 0x80 { return [.print(Unicode.Scalar(byte))] }
    pending.append(byte)
    let needed = pending[0] >= 0xF0 ? 4 : pending[0] >= 0xE0 ? 3 : pending[0] >= 0xC0 ? 2 : 1
    guard pending.count >= needed else { return nil }
    let text = String(decoding: pending, as: UTF8.self)
    pending = []
    return text.unicodeScalars.map { .print($0) }
  }

  private func finished(_ final: UInt8) -> Action {
    let isPrivate = collected.first == UInt8(ascii: "?")
    let digits = collected.drop { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let parameters =
      digits.isEmpty
      ? []
      : digits.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        .map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
    return .sequence(
      final: Character(Unicode.Scalar(final)), parameters: parameters, isPrivate: isPrivate)
  }
}
