import Foundation
import TestSupport
import Testing

/// `serve` through the binary, with curl in place of a browser.
@Suite("Serving a session", .timeLimit(.minutes(10)))
struct ServeTests {
  /// What a browser would keep of one served session.
  private struct Page {
    let base: String
    let secret: String
    let folder: TemporaryFolder

    init(url: String, folder: TemporaryFolder) throws {
      let parts = url.split(separator: "#")
      try #require(parts.count == 2 && parts[0].hasSuffix("/"), "\(url)")
      base = String(parts[0].dropLast())
      secret = String(parts[1])
      self.folder = folder
    }

    private var jar: String { folder.path + "/jar" }

    func curl(_ arguments: [String]) throws -> String {
      try ChildProcess.run(
        "/usr/bin/env",
        arguments: ["curl", "-s", "--max-time", "20", "-b", jar, "-c", jar] + arguments
      ).output
    }

    func open(_ secret: String? = nil) throws -> String {
      try curl([
        "-H", "Content-Type: application/json", "-d", #"{"secret":"\#(secret ?? self.secret)"}"#,
        base + "/session",
      ])
    }

    func act(_ action: String) throws -> String {
      try curl([
        "-H", "Content-Type: application/json", "-H", "Origin: \(base)", "-d", action,
        base + "/actions",
      ])
    }

    /// Follows the session to its end.
    func follow() throws -> RunningChild {
      try RunningChild(
        "/usr/bin/env",
        arguments: ["curl", "-sN", "--max-time", "60", "-b", jar, base + "/events"],
        environment: Opsh.environment())
    }
  }

  private static func url(_ child: RunningChild) throws -> String {
    #expect(child.read { out, _ in out.contains("\n") && out.contains("#") })
    let line = String(decoding: child.stdout, as: UTF8.self).split(separator: "\n").first
    return String(try #require(line))
  }

  @Test(
    "A page follows and steers a script, which shows and keeps its commands, and does not wait for it"
  )
  func steers() throws {
    let folder = try TemporaryFolder()
    let child = try Opsh.start([
      "--no-rc", "-c",
      """
      serve; queue width 2; async gate { }; delay 1ms --name a; delay 1h --name b; delay 1h --name c
      wait --any-outcome --timeout 60s; save '\(folder.path)/saved.opsh'
      """,
    ])
    let page = try Page(url: try Self.url(child), folder: folder)
    #expect(try page.open("0123456789abcdef0123456789abcdef").contains("error"))
    #expect(try page.open() == #"{"canSteer":true}"#)
    #expect(try page.curl([page.base + "/"]).contains("<title>"))
    let follower = try page.follow()
    #expect(follower.read { out, _ in out.contains(#""name":"gate""#) })
    #expect(
      try page.act(#"{"action":"pause","queue":"network"}"#)
        == #"{"command":"queue pause network","ok":true,"message":null}"#)
    #expect(try page.act(#"{"action":"width","queue":"network","value":3}"#).contains("ok\":true"))
    #expect(
      try page.act(#"{"action":"priority","operation":2,"value":"high"}"#).contains(
        "priority a high"))
    #expect(try page.act(#"{"action":"step","queue":"network"}"#).contains("ok\":true"))
    #expect(try page.act(#"{"action":"pace","queue":"network","value":0.25}"#).contains("250ms"))
    #expect(
      try page.act(#"{"action":"pace","queue":"network","value":0}"#).contains("pace network off"))
    #expect(
      try page.act(#"{"action":"pause","queue":"no such; quit"}"#)
        == #"{"command":"","ok":false,"message":"there is no queue 'no such; quit'"}"#)
    #expect(try page.act(#"{"action":"resume","queue":"network"}"#).contains("ok\":true"))
    #expect(try page.act(#"{"action":"step","queue":"network"}"#).contains("is not paused"))
    #expect(try page.act(#"{"action":"finish","operation":1}"#).contains("finish gate"))
    for id in 3...4 {
      #expect(try page.act(#"{"action":"cancel","operation":\#(id)}"#).contains("ok\":true"))
    }
    let outcome = child.communicate()
    #expect(outcome.status == 0, "\(outcome.errors)")
    for command in ["queue pause network", "queue width network 3", "cancel b", "finish gate"] {
      #expect(outcome.errors.contains("\nserve: \(command)\n"), "\(outcome.errors)")
    }
    let followed = follower.communicate()
    #expect(followed.status == 0, "the stream ended properly")
    for text in [#""keyPath":"isSuspended""#, #""type":"summary""#, "event: end"] {
      #expect(followed.output.contains(text), "\(text)")
    }
    #expect(!followed.output.contains(page.secret))
    let saved = try String(contentsOfFile: folder.path + "/saved.opsh", encoding: .utf8)
    #expect(saved.contains("serve; queue width 2"))
    #expect(saved.contains("\nqueue pause network\nqueue width network 3\npriority a high\n"))
    #expect(!saved.contains("is not paused") && !saved.contains(page.secret))
  }

  @Test("A page takes a step on the virtual clock, and the resting prompt shows the new time")
  func step() throws {
    let folder = try TemporaryFolder()
    let prompt = try PromptSession(columns: 120, directory: folder.path)
    prompt.enter("next; set clock virtual; serve > page.txt; delay 2s --count 2 --name d")
    #expect(prompt.lines.contains { $0.contains("needs-virtual-clock") })
    prompt.enter("set clock virtual; serve > page.txt; delay 2s --count 2 --name d")
    let url = try String(contentsOfFile: folder.path + "/page.txt", encoding: .utf8)
    let page = try Page(url: String(url.split(separator: "\n")[0]), folder: folder)
    _ = try page.open()
    #expect(try page.act(#"{"action":"next"}"#).contains(#""command":"next""#))
    prompt.see(/^serve: next$/)
    prompt.see("2.000 after 1 step")
    prompt.see("opsh* 2.000>")
    prompt.enter("echo (d-1.state) (d-2.state); next; save kept.opsh; serve off")
    prompt.see("finished executing")
    let saved = try String(contentsOfFile: folder.path + "/kept.opsh", encoding: .utf8)
    #expect(saved.contains("\nnext\n"), "\(saved)")
    prompt.terminal.write("quit --now\r")
    prompt.expectExit(0)
  }

  @Test(
    "At the prompt a page's command appears above the line being typed, and 'save' keeps it in order"
  )
  func atPrompt() throws {
    let folder = try TemporaryFolder()
    let prompt = try PromptSession(columns: 120, directory: folder.path)
    prompt.enter("serve > page.txt")
    let url = try String(contentsOfFile: folder.path + "/page.txt", encoding: .utf8)
    let page = try Page(url: String(url.split(separator: "\n")[0]), folder: folder)
    _ = try page.open()
    prompt.type("delay 1ms")
    #expect(try page.act(#"{"action":"pause","queue":"network"}"#).contains("ok\":true"))
    prompt.see(/^serve: queue pause network$/)
    prompt.terminal.write(" --name first\r")
    prompt.waitForPrompt()
    #expect(try page.act(#"{"action":"resume","queue":"network"}"#).contains("ok\":true"))
    prompt.enter("wait")
    prompt.enter("serve")
    prompt.see("http://127.0.0.1:")
    #expect(prompt.screen.text.contains(page.secret), "'serve' shows the address again")
    prompt.enter("echo \(page.secret)")
    prompt.enter("serve off; serve off")
    prompt.see("the session is not served")
    prompt.enter("save kept.opsh")
    let saved = try String(contentsOfFile: folder.path + "/kept.opsh", encoding: .utf8)
    let lines = saved.split(separator: "\n").map(String.init)
    let wanted = [
      "queue pause network", "delay 1ms --name first", "queue resume network", "wait",
    ]
    #expect(lines.filter(wanted.contains) == wanted, "\(saved)")
    #expect(!saved.contains(page.secret))
    prompt.terminal.write("quit --now\r")
    prompt.expectExit(0)
  }

  @Test(
    "A page may pause what a script waits for, as long as it is open",
    arguments: ["", "set clock virtual; "])
  func pauses(clock: String) throws {
    for resumes in [true, false] {
      let folder = try TemporaryFolder()
      let served = try Opsh.start(["--no-rc"])
      served.write("\(clock)serve\n")
      let page = try Page(url: try Self.url(served), folder: folder)
      _ = try page.open()
      let follower = try page.follow()
      #expect(follower.read { out, _ in out.contains("snapshot") })
      #expect(try page.act(#"{"action":"pause","queue":"network"}"#).contains("ok\":true"))
      served.write("delay 1ms --name a; echo waiting; wait a\n")
      #expect(served.read { out, _ in out.contains("waiting") })
      // Without the page, the wait would be an error at once.
      #expect(!served.read(timeout: .milliseconds(300)) { _, errors in errors.contains("error") })
      if resumes {
        #expect(try page.act(#"{"action":"resume","queue":"network"}"#).contains("ok\":true"))
      } else {
        follower.send(signal: SIGKILL)
      }
      let outcome = served.communicate()
      #expect(outcome.status == (resumes ? 0 : 1), "\(outcome.errors)")
      #expect(outcome.errors.contains("never-ends") == !resumes)
    }
  }

  @Test(
    "A script ends at once while pages follow, on both clocks",
    arguments: ["", "set clock virtual; "])
  func endsAtOnce(clock: String) throws {
    let folder = try TemporaryFolder()
    let served = try Opsh.start(["--no-rc"])
    served.write("\(clock)serve\ndelay 1ms --count 3\nwait\n")
    let page = try Page(url: try Self.url(served), folder: folder)
    #expect(try page.open() == #"{"canSteer":true}"#)
    let follower = try page.follow()
    #expect(follower.read { out, _ in out.contains(#""to":"finished""#) })
    let start = ContinuousClock.now
    let outcome = served.communicate()
    #expect(outcome.status == 0)
    #expect(ContinuousClock.now - start < .seconds(5))
    let followed = follower.communicate()
    #expect(followed.output.contains(#""type":"summary""#))
    #expect(followed.output.hasSuffix("event: end\ndata:\n\n"))
  }
}
