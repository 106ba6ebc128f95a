import OpshTerminal
import Testing

@testable import ShellCommands
@testable import ViewCommands

/// Whole screens of `watch`.
@Suite("Screens of watch")
struct WatchSnapshotTests {
  private func screen(_ columns: Int, _ rows: Int, _ view: WatchView = WatchView(operation: 3))
    -> String
  {
    let model = WatchLayoutTests.model(operations: 7)
    return WatchLayoutTests.lines(columns, rows, view: view, model: model)
      .map { $0.withoutTrailingBlanks.plain }.joined(separator: "\n")
  }

  @Test("40 columns")
  func smallest() {
    var view = WatchView(operation: 3)
    view.command = "queue pause network"
    #expect(
      screen(40, 12, view) == """
        opsh watch  2 executing  10 waiting
          queue      state   slots executing
          network *  running ●●            2
        executing 2 █ ▁▃▄▅▇█ ▁▃▄▅▇█ ▁▃▄▅▇█ ▁▃▄▅▇
           id name        state     progress
            1 questions-1 executing ███▏     45%
            2 delay-1     executing 320 ms
        ▸   3 delay-2     ready     12.0 s
            4 a-down…soon pending   1 h 6 min
        p pause  r resume  w why  ? help  q quit
        opsh> queue pause network
        delay-2: network is full
        """)
  }

  @Test("80 columns")
  func usual() {
    #expect(
      screen(80, 24) == """
        opsh watch  2 executing  10 waiting  1 failed  1,234 finished  by the line
          queue          state   slots     width executing ready pending finished   rate
          network *      running ●●            2         2     5       2     1234  3.4/s
          uploads        paused  -     unlimited         0     3       0        0      -
          a-queue-…thers running ○             1         0     0       0        0      -
        executing 2 ▁▃▄▅▇█ ▁▃▄▅▇█ ▁▃▄▅▇█ ▁▃▄▅▇█ ▁▃▄▅▇█ ▁▃▄▅▇█ ▁▃▄▅▇█ ▁▃▄▅▇█ ▁▃▄▅▇█ ▁▃▄▅▇
           id name          state     progress     line attempt cause
            1 questions-1   executing ███▏     45%            2
            2 delay-1       executing 320 ms                  1
        ▸   3 delay-2       ready     12.0 s          1       - network is full
            4 a-downlo…soon pending   1 h 6 min      12       - waits for questions-1 …
            5 get-1         finished  ✓ 276 ms                1 ✓ 30 questions, 14.9 kB
            6 questions-1   executing ███▏     45%            2
            7 delay-1       executing 320 ms                  1
        why






        p pause  r resume  s step  c cancel  + raise  - lower  w why  ? help  q quit


        """)
  }

  @Test("120 columns")
  func wide() {
    #expect(
      screen(120, 30) == """
        opsh watch  2 executing  10 waiting  1 failed  1,234 finished  by the line  1 min 15 s
          queue                      state    slots      width  executing  ready  pending  finished    rate  oldest wait    pace
          network *                  running  ●●             2          2      5        2      1234   3.4/s       12.3 s       -
          uploads                    paused   -      unlimited          0      3        0         0       -   1 min 35 s  250 ms
          a-queue-with-a-na…-others  running  ○              1          0      0        0         0       -            -       -
        most 6        ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄
        in 21.60 s  ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄██
        executing 2 ████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄████
           id  name                   queue       state      progress          line  attempt  priority  cause
            1  questions-1            network     executing  █████        45%              2  normal
            2  delay-1                network     executing  320 ms                        1  normal
        ▸   3  delay-2                network     ready      12.0 s               1        -  high      network is full
            4  a-download-with…-soon  uploads     pending    1 h 6 min           12        -  normal    waits for questions-1 …
            5  get-1                  network     finished   ✓ 276 ms                      1  normal    ✓ 30 questions, 14.9 kB
            6  questions-1            network     executing  █████        45%              2  normal
            7  delay-1                network     executing  320 ms                        1  normal


        why








        p pause  r resume  s step  c cancel  + raise  - lower  w why  Enter show  / filter  o sort  Tab queue  ? help  q quit


        """)
  }

  @Test("200 columns")
  func widest() {
    #expect(
      screen(200, 30) == """
        opsh watch  2 executing  10 waiting  1 failed  1,234 finished  by the line  1 min 15 s
          queue                             state    slots      width  executing  ready  pending  finished    rate  oldest wait    pace
          network *                         running  ●●             2          2      5        2      1234   3.4/s       12.3 s       -
          uploads                           paused   -      unlimited          0      3        0         0       -   1 min 35 s  250 ms
          a-queue-with-a-name…-than-others  running  ○              1          0      0        0         0       -            -       -
        most 6           ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄█     ▄
        in 37.60 s     ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄███   ▄██
        executing 2  ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄█████ ▄████
           id  name                                      kind             queue       state      progress          line  attempt  priority  cause
            1  questions-1                               fetch questions  network     executing  █████        45%              2  normal
            2  delay-1                                   delay            network     executing  320 ms                        1  normal
        ▸   3  delay-2                                   delay            network     ready      12.0 s               1        -  high      network is full
            4  a-download-with-quite-a-lo…-not-end-soon  download         uploads     pending    1 h 6 min           12        -  normal    waits for questions-1 and 3 more
            5  get-1                                     get              network     finished   ✓ 276 ms                      1  normal    ✓ 30 questions, 14.9 kB
            6  questions-1                               fetch questions  network     executing  █████        45%              2  normal
            7  delay-1                                   delay            network     executing  320 ms                        1  normal


        why








        p pause  r resume  s step  c cancel  + raise  - lower  w why  Enter show  / filter  o sort  Tab queue  f freeze  ? help  q quit


        """)
  }

  @Test("The keys on 40 columns")
  func help() {
    var view = WatchView(operation: 3)
    view.panel = .help
    #expect(
      screen(40, 20, view) == """
        opsh watch  2 executing  10 waiting
        keys, 1 more line (arrow keys)
        arrows j k  select an operation
        PgUp PgDn   select a screen further
        Home End    select first or last
        Tab         select a queue
        p r         pause or resume the queue
        s           step the paused queue
        c           cancel the operation
        + -         raise or lower priority
        Enter       show all about it
        w           show all of why it waits
        /           filter by words of a row
        o           change the order
        f           freeze the view, or go on
        q Ctrl-C    leave

        Esc close  p pause  ? help  q quit

        delay-2: network is full
        """)
  }
}
