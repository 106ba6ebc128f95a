import OpshNetworking
import Operations
import Testing

@Suite("Downloads that a later command resumes", .timeLimit(.minutes(10)))
struct KeptDownloadCommandTests {
  /// A download of which the fault cuts off the end.
  private func broken(at path: String, _ setup: String = "") throws -> ShellFixture {
    let fixture = try ShellFixture(
      """
      \(setup)
      server fault truncated-body
      download '/search.json?q=swift&rpp=100' '\(path)'
      wait --any-outcome
      server fault off
      """)
    #expect(try fixture.operation("download-1").outcome?.failure?.code == "connection-lost")
    return fixture
  }

  @Test(
    "'retry', and the same command once more, request the rest",
    arguments: [
      ("retry download-1", ""), ("download '/search.json?q=swift&rpp=100' 'FILE'", ""),
      ("retry download-1", "set clock virtual"),
    ])
  func resumes(command: String, setup: String) throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/page.json"
    let fixture = try broken(at: path, setup)
    #expect(folder.names == ["page.json.opsh-part", "page.json.opsh-part.version"])
    try fixture.run(command.replacing("FILE", with: path) + "; wait")
    let second = try #require(try fixture.operation("download-2") as? DownloadOperation)
    #expect((second.resumedAt ?? 0) > 0)
    #expect(folder.names == ["page.json"])
    try fixture.run("get '/search.json?q=swift&rpp=100'; wait")
    let whole = try fixture.output(of: "result get-1 --json")
    #expect(!whole.isEmpty)
    #expect(folder.read("page.json")?.hasSuffix("}") == true)
    try fixture.run(
      "expect (download-2.result.bytes == \(folder.read("page.json")?.utf8.count ?? 0))")
  }

  @Test("What has changed meanwhile is requested whole")
  func changed() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/page.json"
    let fixture = try broken(at: path)
    // Another seed is another content, and another entity tag.
    try fixture.run("server seed 77; retry download-1; wait")
    let second = try #require(try fixture.operation("download-2") as? DownloadOperation)
    #expect(second.resumedAt == nil && second.statusCode == 200)
    #expect(second.outcome == .succeeded)
    let resumed = folder.read("page.json")
    try fixture.run("download '/search.json?q=swift&rpp=100' '\(folder.path)/anew.json'; wait")
    #expect(resumed == folder.read("anew.json"))
    #expect(resumed?.hasSuffix("}") == true)
    #expect(folder.names == ["anew.json", "page.json"])
  }
}
