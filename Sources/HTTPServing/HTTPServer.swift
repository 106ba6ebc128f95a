import CMicroHTTPD
import Foundation
import Locking

/// A server on its own thread, from the start to the end.
package final class HTTPServer: Sendable {
  private let thread: pthread_t
  private let isStopped: Locked<Bool>
  /// Writing to it wakes the thread; -1 after the end.
  private let wakeDescriptor: Locked<Int32>

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: The name of the thread, in at most 15 bytes.
  ///   - sockets: What it listens on. The server owns them from then on, also if it throws.
  ///   - limits: What clients may ask for.
  ///   - service: What it answers; used on the thread alone from then on.
  /// - Throws: An error that names what could not be had.
  package init(
    name: StaticString, sockets: [ListeningSocket], limits: HTTPLimits,
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

    // The program may read its signals from a descriptor: they must reach no other thread. A
    // thread inherits the mask of the one that creates it.
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

    var thread = pthread_t()
    let context = Unmanaged.passRetained(ThreadWork(name: name, loop: loop))
    let status = pthread_create(&thread, nil, httpThreadMain, context.toOpaque())
    guard status == 0 else {
      loop.end()
      context.release()
      close(pipeEnds[1])
      throw .socketFailed("start a thread", status)
    }
    self.thread = thread
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

  /// Ends the thread and waits for it; to be called once.
  package func stop() {
    isStopped.withLock { $0 = true }
    wake()
    pthread_join(thread, nil)
    let descriptor = wakeDescriptor.withLock { descriptor in
      defer { descriptor = -1 }
      return descriptor
    }
    close(descriptor)
  }
}

private final class ThreadWork {
  let name: StaticString
  let loop: HTTPLoop

  init(name: StaticString, loop: HTTPLoop) {
    self.name = name
    self.loop = loop
  }
}

/// Runs the loop that the context holds, then releases it.
private func httpThreadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  let work = Unmanaged<ThreadWork>.fromOpaque(context).takeRetainedValue()
  work.name.withUTF8Buffer { bytes in
    // A static string ends with a zero byte.
    bytes.baseAddress.map {
      opsh_mhd_name_thread(UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
    }
  }
  work.loop.run()
  work.loop.end()
  return nil
}
