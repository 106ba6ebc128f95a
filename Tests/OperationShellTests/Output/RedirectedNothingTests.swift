import Foundation
import TestSupport
import Testing

@Suite("'>' and '|' after a command that prints nothing", .timeLimit(.minutes(15)))
struct RedirectedNothingTests {
  @Test(
    "A redirection of nothing is an error of the check, and the file keeps its content",
    arguments: [
      "get /2.3/info > keep", "get /2.3/info >> keep", "get /2.3/info --json > keep",
      "fetch questions | cat > keep", "post /x --body a > keep", "download /2.3/info other > keep",
      "run echo hi > keep", "block { echo hi } > keep", "delay 1ms > keep",
      "group g { delay 1ms } > keep", "async a { } > keep", "queue barrier > keep",
      "let x = get /2.3/info > keep\necho $x", "command delay 1ms > keep",
      "alias g = delay 1ms\ng > keep", "if (true) { delay 1ms > keep }",
      "block { delay 1ms > keep }", "delay 1ms --name a\nwait\nretry a > keep",
    ])
  func refused(_ script: String) throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/keep"
    try folder.write("precious", to: "keep")
    let outcome = try Opsh.run(script.replacing("> keep", with: "> \(path)"))
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("[nothing-to-redirect]"), "\(outcome.errors)")
    for cure in ["--output FILE", "result last > FILE", "follow last > FILE"] {
      #expect(outcome.errors.contains(cure))
    }
    #expect(!outcome.errors.contains("→"), "nothing runs")
    #expect(folder.read("keep") == "precious")
  }

  @Test("With --json, and on standard input, it is the same error", arguments: [["--json"], []])
  func otherRuns(_ options: [String]) throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/keep"
    try folder.write("precious", to: "keep")
    let outcome = try Opsh.run("delay 1ms > \(path)", options: options)
    #expect(outcome.status == 2 && outcome.errors.contains("[nothing-to-redirect]"))
    // A name whose meaning only running shows.
    let source = folder.path + "/names.opsh"
    try folder.write("alias later = delay 1ms", to: "names.opsh")
    _ = try Opsh.run("source \(source)\ndelay 1ms > \(path)", options: options)
    #expect(folder.read("keep") == "precious")
  }

  @Test(
    "What prints can be redirected",
    arguments: [
      ("time delay 1ms > FILE", "took"), ("def f { echo hi }\nf > FILE", "hi"),
      ("def delay { echo mine }\ndelay > FILE", "mine"), ("delay --help > FILE", "delay"),
      ("delay 1ms --name d\nwait\nshow d > FILE", "finished"),
      ("run --name p echo hi\nwait\nresult p > FILE", "hi"),
    ])
  func allowed(_ script: String, _ text: String) throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/out"
    let outcome = try Opsh.run(script.replacing("FILE", with: path))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(folder.read("out")?.contains(text) == true)
  }
}
