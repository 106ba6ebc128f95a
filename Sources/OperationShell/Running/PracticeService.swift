import Foundation
import PracticeServer
import OpshTerminal

/// The practice server as a process: `opsh --practice-server PORT`.
public enum PracticeService: Sendable {
  /// Prints the server's URL on a line and serves until a signal.
  ///
  /// - Parameter port: The port on 127.0.0.1; 0 selects any free one.
  /// - Returns: The exit status: 128+n for the signal that ended it, 1 if it could not start or print
  ///   the URL.
  public static func run(port: UInt16) -> Int32 {
    let server = PracticeServer()
    do {
      let signals = try SignalReader()
      try server.start(port: port)
      // Signals end the process while a full pipe blocks it.
      SignalMask.unblock()
      defer { server.stop() }
      let status = ProcessSetup.print(server.baseURL ?? "")
      guard status == 0 else { return status }
      SignalReader.blockAll()
      while true {
        _ = try Poller.wait(fileDescriptors: [signals.fileDescriptor], timeout: nil)
        for signal in signals.read() {
          switch signal {
          case .interrupt, .terminate, .hangUp, .quit, .alarm, .user1, .user2:
            return 128 + signal.number
          case .stop: SignalMask.stopProcess()
          case .windowChange, .resume: break
          }
        }
      }
    } catch let error as PracticeServerError {
      ProcessSetup.complain("error: \(error.message) [\(error.code)]")
    } catch {
      ProcessSetup.complain("error: \(error)")
    }
    return 1
  }
}
