import CMicroHTTPD
import Foundation
import Locking

/// A server on its own thread, from the start to the end.
package final class HTTPServer: Sendable {
  private let ended = DispatchSemaphore(value: 0)
  private let isStopped: Locked<Bool>
  /// Writing to it wakes the thread; -1 after the end.
  private let wakeDescriptor: Locked<Int32>

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: The name of the thread; the system keeps 15 bytes of it.
  ///   - sockets: What it listens on. The server owns them from then on, also if it throws.
  ///   - limits: What clients may ask for.
  ///   - service: What it answers; used on the thread alone from then on.
  /// - Throws: An error that names what could not be had.
  package init(
    name: String, sockets: [ListeningSocket], limits: HTTPLimits,
    service: some HTTPService
  ) throws(HTTPServingError) {
    var unused = sockets[...]
    defer { for socket in unused { socket.close() } }
    let library = try MicroHTTPDLibrary.open()
    var pipeEnds: [Int32] = [-1, -1]
    guard opsh_mhd_open_pipe(&pipeEnds) == 0 else { throw .socketFailed("open a pipe", errno) }
    isStopped = Locked(false)
    let loop = HTTPLoop(
      library: library, service: service, limits: limits, wakeDescriptor: pipeEnds[0],
      isStopped: isStopped)
    for (index, socket) in sockets.enumerated() {
      // Not closed any more: the library may have closed it already, and by now another file may
      // have its descriptor.
      unused.removeFirst()
      guard loop.startDaemon(socket, index: index, limits.certificate) else {
        let code = errno
        loop.end()
        close(pipeEnds[1])
        throw .socketFailed("start", code)
      }
    }

    // Unsafe because it cannot be sent, and only the thread uses it from here on.
    nonisolated(unsafe) let served = loop
    let refusal = RawThread.start(name: name, stackSize: 8 << 20) { [ended] in
      served.run()
      served.end()
      ended.signal()
    }
    if let refusal {
      loop.end()
      close(pipeEnds[1])
      throw .socketFailed("start a thread", refusal)
    }
    wakeDescriptor = Locked(pipeEnds[1])
  }

  /// Has the service attend to what is new; from any thread.
  package func wake() {
    wakeDescriptor.withLock { descriptor in
      var byte: UInt8 = 0
      // A full pipe wakes the thread as well.
      if descriptor >= 0 { _ = write(descriptor, &byte, 1) }
    }
  }

  /// Ends the work of the thread and waits for its end; to be called once.
  package func stop() {
    isStopped.withLock { $0 = true }
    wake()
    ended.wait()
    let descriptor = wakeDescriptor.withLock { descriptor in
      defer { descriptor = -1 }
      return descriptor
    }
    close(descriptor)
  }
}
