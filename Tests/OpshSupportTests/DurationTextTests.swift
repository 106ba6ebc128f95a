import OpshSupport
import Testing

@Suite("Durations in words") struct DurationTextTests {
  @Test(
    "Durations are written in suitable units",
    arguments: [
      (Duration.zero, "0 s"), (.nanoseconds(200), "0 s"), (.microseconds(85), "85 µs"),
      (.microseconds(440), "440 µs"), (.nanoseconds(999_400), "999 µs"),
      (.nanoseconds(999_600), "1 ms"), (.microseconds(1_700), "1.7 ms"),
      (.microseconds(9_949), "9.9 ms"), (.microseconds(9_960), "10 ms"),
      (.milliseconds(276), "276 ms"), (.microseconds(999_600), "1 s"),
      (.milliseconds(1_050), "1.05 s"), (.milliseconds(1_240), "1.24 s"), (.seconds(12), "12 s"),
      (.milliseconds(59_994), "59.99 s"), (.milliseconds(59_996), "1 min 0 s"),
      (.seconds(60), "1 min 0 s"), (.seconds(125), "2 min 5 s"), (.seconds(200), "3 min 20 s"),
      (.milliseconds(3_599_400), "59 min 59 s"), (.milliseconds(3_599_600), "1 h 0 min"),
      (.seconds(7_260), "2 h 1 min"), (.seconds(129_600), "36 h 0 min"),
      (.seconds(259_200), "3 days"), (.milliseconds(-5), "-5 ms"),
      (.seconds(Int64.max), "106751991167300 days"),
    ] as [(Duration, String)])
  func durations(_ duration: Duration, _ text: String) {
    #expect(DurationText(duration).description == text)
  }

  @Test("An age counts in whole seconds, from 0 up")
  func ages() {
    #expect(DurationText(age: 12.9).description == "12 s")
    #expect(DurationText(age: -1).description == "0 s")
    #expect(DurationText(age: .infinity).description == "11574074 days")
  }
}
