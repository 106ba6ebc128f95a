import Foundation
import ShellLanguage
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("Reading script files", .timeLimit(.minutes(15)))
struct ScriptFileTests {
  @Test(
    "A missing file is an error for names of any length", arguments: ["z", "é", "/z"])
  func missing(name: String) throws {
    #expect {
      _ = try ScriptFile.read(name, name: name) {}
    } throws: { error in
      let unreadable = try #require(error as? ScriptFile.Unreadable)
      var configuration = SessionConfiguration()
      configuration.commandLine = ["--check", name]
      let diagnostic = unreadable.diagnostic(configuration)
      return diagnostic.code == "file(2)" && diagnostic.labels.count == 1
    }
  }

  @Test("A similar file name in the same folder is suggested")
  func suggestion() throws {
    let folder = try ScratchFolder()
    try folder.write("", to: "tour.opsh")
    let error = ScriptFile.Unreadable(
      name: "\(folder.path)/tuor.opsh", code: ENOENT, message: "not there")
    #expect(error.diagnostic(SessionConfiguration()).help == "did you mean 'tour.opsh'?")
  }
}
