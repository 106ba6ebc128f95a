import Foundation
import ShellLanguage
import Testing

@testable import OpshProcesses

@Suite("Programs that cannot be started", .timeLimit(.minutes(1)))
struct ChildStartTests {
  private func error(of program: String, in folder: ScratchFolder) -> UnplacedError? {
    let place = ProgramPlace(environment: ["PATH": folder.path])
    do throws(UnplacedError) {
      _ = try ChildStart.start(
        [program], in: place, .init(output: STDOUT_FILENO), inOwnGroup: false)
      return nil
    } catch {
      return error
    }
  }

  @Test("Only a program that no folder of PATH has is reported so, not a missing interpreter")
  func interpreter() throws {
    let folder = try ScratchFolder()
    try folder.write("#!/no/such/interpreter\n", to: "tool")
    #expect(chmod(folder.path + "/tool", 0o700) == 0)
    let found = try #require(error(of: "tool", in: folder))
    #expect(found.message == "'tool' could not be started: No such file or directory")
    #expect(found.help?.contains("the interpreter that its first line names") == true)
    let missing = try #require(error(of: "tools", in: folder))
    #expect(
      missing.message == "'tools' could not be started: no folder of PATH has that program")
  }
}
