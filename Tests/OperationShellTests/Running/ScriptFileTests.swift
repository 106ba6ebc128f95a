import Foundation
import ShellLanguage
import Testing

@testable import OperationShell

@Suite("Reading script files", .timeLimit(.minutes(15)))
struct ScriptFileTests {
  @Test(
    "A file that is not there is an error, however short its name", arguments: ["z", "é", "/z"])
  func missing(name: String) throws {
    #expect {
      _ = try ScriptFile.read(name, name: name)
    } throws: { error in
      let unreadable = try #require(error as? ScriptFile.Unreadable)
      let diagnostic = unreadable.diagnostic(arguments: ["--check", name])
      return diagnostic.code == "file(2)" && diagnostic.labels.count == 1
    }
  }

  @Test("A name that is nearly one in the same folder is suggested")
  func suggestion() throws {
    let folder = try ScratchFolder()
    try folder.write("", to: "tour.opsh")
    let error = ScriptFile.Unreadable(
      name: "\(folder.path)/tuor.opsh", code: ENOENT, message: "not there")
    #expect(error.diagnostic(arguments: []).help == "did you mean 'tour.opsh'?")
  }
}
