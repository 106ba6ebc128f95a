import Foundation
import Operations
import TestSupport
import Testing

@Suite("Sourced scripts", .timeLimit(.minutes(15)))
struct SourcedScriptTests {
  @Test("A variable that only other files use is not reported as unused")
  func variables() throws {
    let folder = try ScratchFolder()
    try folder.makeFolder("lib")
    try folder.write("let base = 5\nlet other = 6\n", to: "lib/vars.opsh")
    let text = "source lib/vars.opsh\necho $base"
    let ran = try Opsh.run(text, directory: folder.path)
    #expect(ran.output == "5\n" && ran.errors == "" && ran.status == 0)
    let checked = try Opsh.run(text, options: ["--check"], directory: folder.path)
    #expect(checked.errors == "" && checked.status == 0)
    let own = try Opsh.run("source lib/vars.opsh\nlet mine = 5", directory: folder.path)
    #expect(own.errors.contains("-c:2:5: warning: 'mine' is never read"))
  }

  @Test("Errors show a file's path relative to the working directory at any nesting depth")
  func names() throws {
    let folder = try ScratchFolder()
    try folder.makeFolder("lib/deep")
    try folder.write("source lib/m.opsh\n", to: "main.opsh")
    try folder.write("source deep/lib2.opsh\n", to: "lib/m.opsh")
    try folder.write("eco hello\n", to: "lib/deep/lib2.opsh")
    for options in [["--check"], []] {
      let outcome = try Opsh.run(
        "source main.opsh", options: options, directory: folder.path)
      #expect(outcome.errors.contains("lib/deep/lib2.opsh:1:1: error: "), "\(outcome.errors)")
      #expect(outcome.status == 2)
    }
    let data = try Opsh.run(
      "source main.opsh", options: ["--check", "--json"], directory: folder.path)
    #expect(data.output.contains("\"file\":\"lib/deep/lib2.opsh\""), "\(data.output)")
    try folder.write("fail no\n", to: "lib/deep/lib2.opsh")
    let failed = try Opsh.run("source main.opsh", directory: folder.path)
    #expect(failed.errors.contains("lib/deep/lib2.opsh:1:1: error: "), "\(failed.errors)")
    #expect(failed.status == 1)
  }

  @Test("A script that is a symbolic link sources beside the link, then beside its target")
  func links() throws {
    let folder = try ScratchFolder()
    for name in ["bin", "src/tool", "src/tool/lib"] { try folder.makeFolder(name) }
    try folder.write("source helper.opsh\nsource lib/more.opsh\n", to: "src/tool/main.opsh")
    try folder.write("echo target\n", to: "src/tool/helper.opsh")
    try folder.write("source own.opsh\n", to: "src/tool/lib/more.opsh")
    try folder.write("echo own\n", to: "src/tool/lib/own.opsh")
    // A link to a link.
    #expect(symlink("../src/tool/main.opsh", folder.path + "/bin/first") == 0)
    #expect(symlink("first", folder.path + "/bin/tool") == 0)
    for options in [["--check"], []] {
      let outcome = try Opsh.run(
        "source bin/tool", options: options, directory: folder.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output == (options.isEmpty ? "target\nown\n" : ""))
    }
    try folder.write("echo link\n", to: "bin/helper.opsh")
    let near = try Opsh.run("source bin/tool", directory: folder.path)
    #expect(near.output == "link\nown\n", "\(near.errors)")
    for name in ["bin", "src/tool"] { unlink("\(folder.path)/\(name)/helper.opsh") }
    // The path of a variable is not known before it runs.
    try folder.write("let f = \"helper.opsh\"\nsource $f\n", to: "src/tool/late.opsh")
    #expect(symlink("../src/tool/late.opsh", folder.path + "/bin/late") == 0)
    for (text, status) in [("source bin/tool", 2), ("source bin/late", 1)] {
      let missing = try Opsh.run(text, directory: folder.path)
      #expect(missing.status == status)
      #expect(
        missing.errors.contains(
          "it is neither in 'bin', beside the link, nor in 'src/tool', beside the script that"),
        "\(missing.errors)")
    }
  }

  @Test("A script that is read in a group may leave the retries to the group")
  func retriesOfGroup() throws {
    let folder = try ScratchFolder()
    try folder.write("delay 1ms --name part --backoff 1ms\n", to: "part.opsh")
    let text = "let f = \"part.opsh\"\ngroup g --retry 2 { source $f }\nwait\necho (part.state)"
    let ran = try Opsh.run(text, directory: folder.path)
    #expect(ran.output == "finished\n" && ran.status == 0, "\(ran.errors)")
    let alone = try Opsh.run("let f = \"part.opsh\"\nsource $f", directory: folder.path)
    #expect(alone.errors.contains("part.opsh:1:") && alone.errors.contains("[missing-option]"))
  }

  @Test("A path is resolved against the file with the 'source' statement, wherever it is called")
  func relative() throws {
    let folder = try ScratchFolder()
    try folder.makeFolder("lib/inner")
    for name in ["called", "handled", "inside"] {
      try folder.write("delay 1ms --name \(name)\n", to: "lib/inner/\(name).opsh")
    }
    try folder.write(
      """
      def load { source inner/called.opsh }
      delay 1ms --hold --name first
      on first finished { source inner/handled.opsh }
      block { source inner/inside.opsh } --name body
      """, to: "lib/all.opsh")
    let fixture = try ShellFixture("source '\(folder.path)/lib/all.opsh'\nload\nstart first\nwait")
    // A handler that is called late runs after 'wait'.
    let isHandled = try eventually {
      try fixture.run("sleep 10ms; wait")
      return (try? fixture.operation("handled"))?.state == .finished
    }
    #expect(isHandled)
    for name in ["called", "handled", "inside", "body"] {
      #expect(try fixture.operation(name).outcome?.name == "succeeded", "\(name)")
    }
  }
}
