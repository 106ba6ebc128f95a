import Foundation
import PracticeServer
import TestSupport
import Testing

@Suite("The shell with every fault of the practice server", .timeLimit(.minutes(15)))
struct ServerFaultTests {
  /// The options of a fault that keep the test short, and the deadline of the request.
  private static func settings(_ kind: Fault.Kind) -> (options: String, timeout: String) {
    switch kind.name {
    case "latency": ("--duration 10ms", "20s")
    case "stall", "stall-headers", "stall-body": ("", "200ms")
    case "slow-drip": ("--size 20", "200ms")
    case "throttle": ("--size 0 --duration 1s", "20s")
    case "backoff": ("--duration 1s", "20s")
    default: ("", "20s")
    }
  }

  @Test("Every fault ends a fetch with the code listed by 'server faults', and the shell continues")
  func everyFault() throws {
    let kinds = Fault.Kind.all.filter { $0.name != "status-NNN" }
    let script = kinds.map { kind in
      let (options, timeout) = Self.settings(kind)
      return """
        server fault \(kind.name) \(options)
        fetch questions --pagesize 5 --name \(kind.name) --timeout \(timeout)
        wait \(kind.name) --any-outcome
        server fault off
        fetch questions --pagesize 5 --name after-\(kind.name) --timeout 20s
        wait after-\(kind.name) --any-outcome

        """
    }.joined()
    let outcome = try Opsh.run(["--json"], input: script + "ops\nserver faults\nserver log\n")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = JSONContract.lines(of: outcome)
    let operations = lines.filter { $0.type == "operation" }
    let faults = lines.filter { $0.type == "fault" }
    #expect(operations.count == 2 * kinds.count)
    for kind in kinds {
      let struck = try #require(operations.first { $0.string("name") == kind.name })
      let next = try #require(operations.first { $0.string("name") == "after-\(kind.name)" })
      #expect(next.string("outcome") == "succeeded", "after \(kind.name)")
      let fault = try #require(faults.first { $0.string("name") == kind.name })
      let report = try #require(fault.string("report"))
      let code = struck.object("error")["code"] as? String
      if kind.name == "slow-drip" {
        #expect(code == "timed-out", "the deadline of the test is short")
      } else if report.hasPrefix("nothing") || kind.name == "quota" {
        #expect(struck.string("outcome") == "succeeded", "\(kind.name): \(code ?? "")")
      } else {
        // `api(502, throttle_violation, …)` stands for any message.
        let beginning = String((code ?? "none").prefix { $0 != "(" })
        #expect(report.contains(beginning), "\(kind.name): \(code ?? "none"), not \(report)")
      }
    }
    let requests = lines.filter { $0.type == "request" }
    #expect(requests.count == 30)
    #expect(requests.allSatisfy { $0.flag("finished") == true })
  }

  // MARK: Many

  /// The resources that a process uses.
  private struct Use: CustomStringConvertible {
    var descriptors: Int
    var threads: Int
    /// In kilobytes.
    var memory: Int

    init(of child: RunningChild) {
      let folder = "/proc/\(child.processIdentifier)"
      func count(_ name: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)").count) ?? 0
      }
      descriptors = count("fd")
      threads = count("task")
      let status = (try? String(contentsOfFile: "\(folder)/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
      memory = Int(line.filter(\.isNumber)) ?? 0
    }

    var description: String { "\(descriptors) descriptors, \(threads) threads, \(memory) kB" }
  }

  @Test("Under all faults at once every request ends, and the shell does not grow")
  func storm() throws {
    let (batches, size) = (TestScale.count(4, long: 20), TestScale.count(60, long: 500))
    let names =
      Fault.Kind.all.map(\.name).filter {
        !["status-NNN", "backoff", "throttle", "quota"].contains($0)
      } + ["status-404", "status-429", "status-503"]
    let child = try Opsh.start(["--no-rc", "--no-history", "--events", "off"])
    child.write("set keep 200\nqueue width 16\nserver seed 11\n")
    var uses: [Use] = []
    for batch in 1...batches {
      // The first matching fault applies: another order selects other faults.
      let faults = names.shuffled().map {
        "server fault \($0) 20%\($0 == "latency" ? " --duration 5ms" : "")\n"
      }.joined()
      child.write(
        "server fault off\n\(faults)"
          + "fetch questions --pagesize 20 --timeout 250ms --count \(size)\n"
          + "wait --any-outcome\necho \"batch \(batch)\"\n")
      #expect(
        child.read(timeout: .seconds(120)) { stdout, _ in stdout.contains("batch \(batch)\n") },
        "batch \(batch) does not end")
      uses.append(Use(of: child))
    }
    child.write("server reset\nfetch questions --name well\nwait well\nserver log --last 1\n")
    child.closeInput()
    let outcome = child.communicate()
    #expect(outcome.status == 0, "\(outcome.errors)")
    print("storm of \(batches * size): \(uses)")
    let (early, late) = (uses[min(1, uses.count - 1)], uses[uses.count - 1])
    // The number of idle connections is bounded: on each side as many as transfers, and a few more.
    #expect(late.descriptors <= early.descriptors + 60, "\(uses)")
    #expect(late.threads <= early.threads + 16, "\(uses)")
    #expect(late.memory <= early.memory + 40_000, "\(uses)")
  }
}
