import Foundation
import OpshTerminal
import TestSupport
import Testing

@testable import ShellOutput

@Suite("Redirection", .timeLimit(.minutes(15)))
struct OutputRedirectionTests {
  @Test("> replaces, >> appends, and other commands are not redirected")
  func files() throws {
    let folder = try ScratchFolder()
    try folder.write("old\n", to: "out.txt")
    let outcome = try Opsh.run(
      "echo one > out.txt; echo two >> out.txt; echo seen; echo new >> fresh.txt",
      directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "seen\n")
    #expect(folder.read("out.txt") == "one\ntwo\n")
    #expect(folder.read("fresh.txt") == "new\n")
    #expect(folder.names == ["fresh.txt", "out.txt"], "nothing is left beside them")
  }

  @Test("A file is replaced only after the complete text is written")
  func atomic() throws {
    let folder = try ScratchFolder()
    try folder.write("old\n", to: "out.txt")
    let sink = try FileSink(
      path: folder.path + "/out.txt", shown: "out.txt", isAppending: false)
    sink.write("new")
    #expect(folder.read("out.txt") == "old\n")
    try sink.close()
    #expect(folder.read("out.txt") == "new\n")
    #expect(folder.names == ["out.txt"])
  }

  @Test(
    "What a killed process left is removed by the next one, what a running one writes is not",
    arguments: ["echo new > out.csv", "delay 1ms; wait; export out.csv"])
  func leftovers(command: String) throws {
    let folder = try ScratchFolder()
    let (left, inUse) = (".opsh-new-0123456789abc", ".opsh-new-0123456789xyz")
    // A name that a person gives is none of ours.
    let others = [
      ".opsh-backup", ".opsh-7", ".opsh-new-notes", ".opsh-new-0123456789a_c",
      ".opsh-download-0123456789abc",
    ]
    for name in [left, inUse] + others { try folder.write("left", to: name) }
    let used = open(folder.path + "/" + inUse, O_RDONLY | O_CLOEXEC)
    defer { close(used) }
    #expect(flock(used, LOCK_EX) == 0)
    let outcome = try Opsh.run(command, directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(Set(folder.names) == Set(others + [inUse, "out.csv"]))
  }

  @Test("A file that is being written is locked, so that no other process takes it for a leftover")
  func locked() throws {
    let folder = try ScratchFolder()
    let sink = try FileSink(path: folder.path + "/a", shown: "a", isAppending: false)
    let other = try FileSink(path: folder.path + "/b", shown: "b", isAppending: false)
    sink.write("new")
    try other.close()
    try sink.close()
    #expect(folder.read("a") == "new\n")
    #expect(folder.names == ["a", "b"])
  }

  @Test(
    "What a command printed before it ended the run is in its file",
    arguments: [
      "def f { echo one; exit 0 }; f > out.txt", "def f { echo one; quit --now }; f > out.txt",
      "def f { echo one; exit }; f | cat > out.txt",
      "delay 9ms --name a; on a finished { exit 0 }; def f { echo one; wait; sleep 1s }; f > out.txt",
    ])
  func exitInside(script: String) throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(script, directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(folder.read("out.txt") == "one\n")
  }

  @Test(
    "An end of the run inside a redirected command is not lost, and waits for no program",
    arguments: [
      ("try { f 0 > /dev/full } catch e { }; echo on", 0),
      ("try { f 3 > /dev/full } catch e { }; echo on", 3), ("f 3 | false", 3), ("f 3 > out.txt", 3),
      ("def g { echo one; quit --now }; g | sh -c 'cat >&2; exec sleep 600'", 0),
    ])
  func endInside(statement: String, status: Int32) throws {
    let folder = try ScratchFolder()
    try folder.write("old\n", to: "out.txt")
    let outcome = try Opsh.run(
      "def f status { echo one; exit $status }\n\(statement)", directory: folder.path)
    #expect(outcome.status == status && outcome.output == "", "\(outcome.errors)")
    #expect(folder.read("out.txt") == "old\n", "a status that is an error keeps the file")
  }

  @Test(
    "The text of a handler does not go to the file of the statement that waits",
    arguments: ["wait > out.txt", "sleep 100ms > out.txt", "wait | cat > out.txt"])
  func handlers(statement: String) throws {
    let folder = try ScratchFolder()
    let script = "delay 10ms --name a; on a finished { echo handled }; \(statement)"
    let outcome = try Opsh.run(script, directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "handled\n")
    #expect(folder.read("out.txt") == "")
    let objects = try Opsh.run(script, options: ["--json"], directory: folder.path)
    #expect(objects.output.contains(#""text":"handled""#) && folder.read("out.txt") == "")
  }

  @Test(
    "A path with a zero byte is refused, not cut there",
    arguments: [
      "echo 1 > $x", "echo 1 >> $x", "echo 1 | cat > $x", "echo in | cat $x", "record $x",
      "save $x", "export \"$x.csv\"", "download / $x", "get / --output $x", "post / --file $x",
      "post / --multipart f=@$x", "source $x",
    ])
  func zeroByte(statement: String) throws {
    let folder = try ScratchFolder()
    try folder.write("old\n", to: "a")
    let outcome = try Opsh.run(
      "let x = !printf 'a\\0b'\n\(statement); wait", directory: folder.path)
    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(folder.names == ["a"] && folder.read("a") == "old\n")
  }

  @Test("A file or an object gets what 'follow' prints, wherever transitions are shown")
  func follow() throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      "delay 20ms; follow last > out.txt; delay 20ms; follow last --json", directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(folder.read("out.txt")?.contains("executing → finished") == true)
    #expect(outcome.output.contains(#""to":"finished""#))
  }

  @Test("A file may have the longest name that there is")
  func longName() throws {
    let folder = try ScratchFolder()
    let name = String(repeating: "n", count: 255)
    let outcome = try Opsh.run("echo a > \(name); echo b > \(name)", directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(folder.read(name) == "b\n" && folder.names == [name])
  }

  @Test("A redirected file keeps its permissions, and a link stays a link")
  func keepsTheFile() throws {
    let folder = try ScratchFolder()
    try folder.write("old\n", to: "real.txt")
    let path = folder.path + "/real.txt"
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/link.txt", withDestinationPath: "real.txt")
    let outcome = try Opsh.run("echo new > link.txt", directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(folder.read("real.txt") == "new\n")
    #expect(folder.names == ["link.txt", "real.txt"])
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
  }

  @Test("All names of a redirected file have the new text, whether it is longer or shorter")
  func hardLinks() throws {
    let folder = try ScratchFolder()
    try folder.write("old\n", to: "f")
    let (file, other) = (folder.path + "/f", folder.path + "/h")
    #expect(chmod(file, 0o640) == 0 && link(file, other) == 0)
    for text in ["a much longer text", "b"] {
      let outcome = try Opsh.run(
        "echo '\(text)' > f; try { show missing > h } catch e { }", directory: folder.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(folder.read("f") == text + "\n" && folder.read("h") == text + "\n")
    }
    let kept = try FileManager.default.attributesOfItem(atPath: file)
    #expect(kept[.posixPermissions] as? Int == 0o640 && kept[.referenceCount] as? Int == 2)
    let saving = try Opsh.run("echo a; save h --replace", directory: folder.path)
    #expect(saving.status == 0, "\(saving.errors)")
    #expect(folder.read("f")?.contains("echo a\n") == true && folder.names == ["f", "h"])
    let saved = try FileManager.default.attributesOfItem(atPath: file)
    #expect(saved[.posixPermissions] as? Int == 0o700, "as the mode of what 'save' writes")
  }

  @Test(
    "A file that is mounted in its place is overwritten there",
    .enabled(if: SystemRight.mounting, "needs the right to mount a file"))
  func mounted() throws {
    let folder = try ScratchFolder()
    for name in ["real", "place"] { try folder.write("old and long\n", to: name) }
    let script = """
      cd "$1" && mount --bind real place && "$0" --no-rc -c 'echo new > place' && cat place real
      """
    let outcome = try ChildProcess.run(
      "/usr/bin/env",
      arguments: [
        "unshare", "-m", "sh", "-c", script, try BuiltProducts.executable("opsh"), folder.path,
      ])
    #expect(outcome.output == "new\nnew\n", "\(outcome.errors)")
    #expect(folder.names == ["place", "real"] && folder.read("place") == "old and long\n")
  }

  @Test("A failed command keeps the old content of the file")
  func failing() throws {
    let folder = try ScratchFolder()
    try folder.write("old\n", to: "out.txt")
    let outcome = try Opsh.run("show nobody > out.txt", directory: folder.path)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("there is no operation 'nobody'"))
    #expect(folder.read("out.txt") == "old\n")
    #expect(folder.names == ["out.txt"])
  }

  @Test(
    "A command that prints and then fails has appended what it printed, and replaced nothing",
    arguments: ["", "| cat ", "| cat | cat "])
  func failingLater(programs: String) throws {
    let folder = try ScratchFolder()
    try folder.write("old\n", to: "appended")
    try folder.write("old\n", to: "replaced")
    let outcome = try Opsh.run(
      """
      def talk { echo one; fail "no" }
      try { talk \(programs)>> appended } catch e { }
      try { talk \(programs)>> new } catch e { }
      try { talk \(programs)> replaced } catch e { }
      """, directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(folder.read("appended") == "old\none\n")
    #expect(folder.read("new") == "one\n")
    #expect(folder.read("replaced") == "old\n")
    #expect(folder.names == ["appended", "new", "replaced"])
  }

  @Test(
    "An unwritable file is an error at the place of its name",
    arguments: [
      ("echo a > nowhere/out.txt", "-c:1:8: error:", "No such file or directory"),
      ("echo a > /dev/full", "-c:1:8: error:", "No space left on device"),
      ("echo a >> /dev/full", "-c:1:8: error:", "No space left on device"),
      ("echo a > .", "-c:1:8: error:", "Is a directory"),
    ])
  func errors(_ text: String, _ place: String, _ message: String) throws {
    let outcome = try Opsh.run(text)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains(place), "\(outcome.errors)")
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  @Test("Programs in a pipe pass text to the screen or to a file")
  func programs() throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      "(\"b\\na\\nc\") | sort -r | head -n 2; (\"x y\") | tr a-z A-Z > up.txt",
      directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "c\nb\n")
    #expect(folder.read("up.txt") == "X Y\n")
  }

  @Test("Binary data reaches a file unchanged")
  func bytes() throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      "echo hello | gzip > z.gz; echo again | gzip >> z.gz; !gzip -dc z.gz",
      directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "hello\nagain\n")
  }

  @Test(
    "A program without output prints no line",
    arguments: [
      ("echo x | true", ""), ("echo x | grep -q x", ""), ("echo x | printf '\\n'", "\n"),
      ("echo x | sh -c 'cat; exit 3'", "x\n"),
    ])
  func nothing(_ text: String, _ output: String) throws {
    let outcome = try Opsh.run(text)
    #expect(outcome.output == output)
  }

  @Test("A program that exits because its output is not read is not a failure")
  func unheard() throws {
    let outcome = try Opsh.run("echo x | sh -c 'kill -PIPE $$' | cat; echo after")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "after\n")
  }

  @Test("A pipe passes megabytes to a slow program and to one that stops reading")
  func large() throws {
    let text = "let line = \"0123456789012345678901234567890123456789\"; "
    let body = "for i in 1..20000 { echo \"$line $i\" }"
    let whole = try Opsh.run("\(text)def many { \(body) }; many | wc -l")
    #expect(whole.status == 0, "\(whole.errors)")
    #expect(whole.output.trimmingCharacters(in: .whitespaces) == "20000\n")
    let head = try Opsh.run("\(text)def many { \(body) }; many | head -n 1")
    #expect(head.status == 0, "\(head.errors)")
    #expect(head.output == "0123456789012345678901234567890123456789 1\n")
  }

  @Test(
    "A missing or failing program is an error",
    arguments: [
      (
        "echo a | no-such-program-here",
        "'no-such-program-here' could not be started: no folder of PATH has that program"
      ),
      ("echo a | false", "'false' ended with status 1"),
      ("echo a | false | cat", "'false' ended with status 1"),
      ("echo a | sh -c 'cat; exit 3' | cat | cat > out", "'sh' ended with status 3"),
    ])
  func programErrors(_ text: String, _ message: String) throws {
    let outcome = try Opsh.run(text)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("-c:1:"), "\(outcome.errors)")
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  @Test(
    "A file and a program receive the same text with and without --json",
    arguments: [
      "echo one > out.txt", "(1 + 2) > out.txt", "ops > out.txt", "queue > out.txt",
      "def f { echo a; (2 + 3); queue show }; f > out.txt", "echo one | cat > out.txt",
      "expect (1 == 1) > out.txt", "help wait > out.txt", "show d | cat >> out.txt",
      "if (true) { echo a >> out.txt; set >> out.txt }", "result d > out.txt",
    ])
  func sameText(_ statement: String) throws {
    let folder = try ScratchFolder()
    let text = "block { (\"two\") } --name d; wait; " + statement
    let plain = try Opsh.run(text, directory: folder.path)
    #expect(plain.status == 0, "\(plain.errors)")
    let expected = try #require(folder.read("out.txt"))
    try FileManager.default.removeItem(atPath: folder.path + "/out.txt")
    let json = try Opsh.run(text, options: ["--json"], directory: folder.path)
    #expect(json.status == 0, "\(json.errors)")
    // Durations and their units differ from run to run.
    let untimed = { (text: String) in
      text.replacing(/[0-9][0-9.]*( ?(ns|µs|ms|s)\b)?/, with: "N")
        .replacing(/\s+/, with: " ")
    }
    #expect(folder.read("out.txt").map(untimed) == untimed(expected))
    #expect(json.output.split(separator: "\n").allSatisfy { $0.hasPrefix("{\"type\":") })
  }

  @Test("--json on a command writes objects to its file")
  func ownObjects() throws {
    for options in [[], ["--json"]] {
      let folder = try ScratchFolder()
      let outcome = try Opsh.run(
        "queue --json > out.txt; queue --json | cat >> out.txt", options: options,
        directory: folder.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let lines = (folder.read("out.txt") ?? "").split(separator: "\n")
      #expect(lines.count == 6)
      #expect(lines.allSatisfy { $0.hasPrefix("{\"type\":\"queue\"") }, "\(lines)")
    }
  }

  @Test("With --json a program's text goes to standard error")
  func json() throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      "echo hello | cat; delay 1ms; ops --json > ops.json", options: ["--json"],
      directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.split(separator: "\n").allSatisfy { $0.hasPrefix("{\"type\":") })
    #expect(outcome.errors.contains("hello"))
    #expect(folder.read("ops.json")?.hasPrefix("{\"type\":\"operation\"") == true)
  }

  @Test("Escape sequences of a program are escaped, not sent to the terminal")
  func visible() throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      "echo a | printf '\\033[2J'", options: ["--transcript", folder.path + "/transcript"])
    #expect(outcome.output == "^[[2J\n")
  }
}
