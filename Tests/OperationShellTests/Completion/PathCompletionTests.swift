import Foundation
import OpshLocking
import OpshTerminal
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("Completion of paths")
struct PathCompletionTests {
  /// Files in a folder that is the session's working directory.
  private func makeFixture() throws -> (ShellFixture, ScratchFolder) {
    let folder = try ScratchFolder()
    for name in ["tour.opsh", "two words.txt", "it's.txt", ".hidden", "naïve.txt"] {
      try folder.write("", to: name)
    }
    try folder.write("", to: "bell\u{7}.txt")
    try folder.makeFolder("scripts")
    try folder.makeFolder("my docs")
    try folder.write("", to: "my docs/letter.txt")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/link", withDestinationPath: folder.path + "/scripts")
    try folder.write("#!/bin/sh\n", to: "scripts/opsh-practice-tool")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder.path + "/scripts/opsh-practice-tool")
    try folder.write("", to: "scripts/opsh-practice-notes")
    var configuration = SessionConfiguration()
    configuration.environment = [
      "HOME": folder.path + "/my docs", "PATH": folder.path + "/scripts:/nonexistent",
    ]
    configuration.directory = folder.path
    return (try ShellFixture("", configuration), folder)
  }

  @Test(
    "Files and folders are offered as quoted words",
    arguments: [
      ("source t", ["tour.opsh", "'two words.txt'"]), ("source to", ["tour.opsh"]),
      ("source .", [".hidden"]), ("source sc", ["scripts/"]), ("source li", ["link/"]),
      ("source my", ["'my docs/"]), ("source 'my docs/", ["'my docs/letter.txt'"]),
      ("source 'my docs/le", ["'my docs/letter.txt'"]), ("source na", ["naïve.txt"]),
      ("source it", ["\"it's.txt\""]), ("source 'it", ["\"it's.txt\""]),
      ("source bell", ["\"bell\\u{7}.txt\""]), ("echo a > to", ["tour.opsh"]),
      ("echo a >> to", ["tour.opsh"]), ("source ~", ["~/"]), ("source ~/l", ["~/letter.txt"]),
      ("source nothing", []), ("source nowhere/", []),
      ("echo a | opsh-pr", ["opsh-practice-tool"]), ("echo a | sort to", ["tour.opsh"]),
      ("run opsh-pr", ["opsh-practice-tool"]),
      ("run scripts/opsh-practice-t", ["scripts/opsh-practice-tool"]),
      ("run --name a cat to", ["tour.opsh"]), ("run cat ~", []),
    ])
  func offers(_ line: String, _ expected: [String]) throws {
    let (fixture, folder) = try makeFixture()
    let result = Completer(shell: fixture.shell).completions(for: line, cursor: line.count)
    #expect(result.candidates.map(\.text) == expected)
    withExtendedLifetime(folder) {}
  }

  @Test("Completion of a folder ends with a slash, that of a file with a space")
  func spaces() throws {
    let (fixture, folder) = try makeFixture()
    let completer = Completer(shell: fixture.shell)
    #expect(
      completer.completions(for: "source sc", cursor: 9).candidates.map(\.appendsSpace) == [false])
    #expect(
      completer.completions(for: "source to", cursor: 9).candidates.map(\.appendsSpace) == [true])
    withExtendedLifetime(folder) {}
  }
}
