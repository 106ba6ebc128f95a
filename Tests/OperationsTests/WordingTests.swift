import Testing

@testable import Operations

@Suite("The words of the log") struct WordingTests {
  @Test(
    "Durations have the units that suit them",
    arguments: [
      (Duration.zero, "0 µs"), (.microseconds(85), "85 µs"), (.nanoseconds(999_400), "999 µs"),
      (.nanoseconds(999_600), "1 ms"), (.milliseconds(276), "276 ms"),
      (.microseconds(999_600), "1.00 s"), (.milliseconds(1_520), "1.52 s"),
      (.milliseconds(59_996), "1 min 0 s"), (.seconds(200), "3 min 20 s"),
      (.milliseconds(3_599_400), "59 min 59 s"), (.milliseconds(3_599_600), "1 h 0 min"),
      (.seconds(7_500), "2 h 5 min"), (.seconds(129_600), "36 h 0 min"),
      (.seconds(Int64.max), "2562047788015215 h 30 min"),
    ] as [(Duration, String)])
  func durations(_ duration: Duration, _ text: String) {
    #expect(Wording.duration(duration) == text)
  }
}
