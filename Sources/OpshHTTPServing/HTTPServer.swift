import COpshMicroHTTPD
import Foundation
import OpshLocking
package import OpshSupport
import OpshSystemCalls

/// A server on its own thread, from the start to the end.
package final class HTTPServer: Sendable {
  private let ended = DispatchSemaphore(value: 0)
  private let isStopped: Locked<Bool>
  private let looks: Locked<[DispatchSemaphore]>
  private let wakeUp: WakeUp

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: The name of the thread; the system keeps 15 bytes of it.
  ///   - sockets: What it listens on. The server owns them from then on, also if it throws.
  ///   - limits: What clients may ask for.
  ///   - clock: What the times of holds are of; all limits are of the system's clock.
  ///   - service: What it answers; used on the thread alone from then on.
  /// - Throws: An error that names what could not be had.
  package init(
    name: String, sockets: [ListeningSocket], limits: HTTPLimits,
    clock: PacedClock = PacedClock(), service: some HTTPService
  ) throws(HTTPServingError) {
    var unused = sockets[...]
    defer { for socket in unused { socket.close() } }
    let library = try MicroHTTPDLibrary.open()
    do throws(SystemCallError) {
      wakeUp = try WakeUp()
    } catch {
      throw .socketFailed(error.action, error.code)
    }
    isStopped = Locked(false)
    looks = Locked([])
    let loop = HTTPLoop(
      library: library, service: service, limits: limits, clock: clock, wakeUp: wakeUp,
      isStopped: isStopped, looks: looks)
    for (index, socket) in sockets.enumerated() {
      // Not closed any more: the library may have closed it already, and by now another file may
      // have its descriptor.
      unused.removeFirst()
      guard loop.startDaemon(socket, index: index, limits.certificate) else {
        let code = errno
        loop.end()
        throw .socketFailed("start", code)
      }
    }

    // The wait for the next hold's end takes longer or shorter.
    clock.onChange { [weak wakeUp] in wakeUp?.signal() }
    // Unsafe because it cannot be sent, and only the thread uses it from here on.
    nonisolated(unsafe) let served = loop
    let refusal = RawThread.start(name: name, stackSize: 8 << 20) { [ended] in
      served.run()
      served.end()
      ended.signal()
    }
    if let refusal {
      loop.end()
      throw .socketFailed("start a thread", refusal)
    }
  }

  /// Has the service attend to what is new; from any thread.
  package func wake() { wakeUp.signal() }

  /// Waits until the thread has ended the requests of clients that have left by now.
  ///
  /// - Parameter limit: The longest time to wait.
  package func noticeClosedConnections(within limit: Duration) {
    let look = DispatchSemaphore(value: 0)
    looks.withLock { $0.append(look) }
    wake()
    let nanoseconds = Int(limit / .nanoseconds(1))
    _ = look.wait(timeout: .now() + .nanoseconds(nanoseconds))
  }

  /// Ends the work of the thread and waits for its end; to be called once.
  package func stop() {
    isStopped.withLock { $0 = true }
    wake()
    ended.wait()
  }
}
