import CMicroHTTPD
import Foundation

/// One run of the server: its thread, from the start to the end.
final class RunningServer: Sendable {
  let port: UInt16
  private let thread: pthread_t
  /// Writing to it ends the thread.
  private let wakeDescriptor: Int32

  /// Binds the port and starts the thread.
  ///
  /// - Parameters:
  ///   - port: The port, or 0 for any.
  ///   - state: What the thread shares with the program.
  ///   - limits: What clients may ask for.
  /// - Throws: An error that names what could not be had.
  init(port: UInt16, state: ServerState, limits: ServerLimits) throws(PracticeServerError) {
    let library = try MicroHTTPDLibrary.open()
    let listening = try ListeningSocket(port: port)
    var pipeEnds: [Int32] = [-1, -1]
    guard opsh_mhd_open_pipe(&pipeEnds) == 0 else {
      let code = errno
      close(listening.descriptor)
      throw .socketFailed("open a pipe", code)
    }
    let loop = ServerLoop(
      library: library, state: state, limits: limits, port: listening.port,
      wakeDescriptor: pipeEnds[0])
    guard loop.startDaemon(listeningSocket: listening.descriptor) else {
      let code = errno
      // The listening socket is not closed: the library may have closed it already, and by now
      // another file may have its descriptor.
      pipeEnds.forEach { close($0) }
      throw .socketFailed("start", code)
    }

    // The program may read its signals from a descriptor: they must reach no other thread. A
    // thread inherits the mask of the one that creates it.
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

    var thread = pthread_t()
    let context = Unmanaged.passRetained(loop)
    let status = pthread_create(&thread, nil, serverThreadMain, context.toOpaque())
    guard status == 0 else {
      loop.end()
      context.release()
      close(pipeEnds[1])
      throw .socketFailed("start a thread", status)
    }
    self.port = listening.port
    self.thread = thread
    wakeDescriptor = pipeEnds[1]
  }

  /// Ends the thread and waits for it; to be called once.
  func stop() {
    var byte: UInt8 = 0
    // One byte into an empty pipe neither blocks nor fails.
    _ = write(wakeDescriptor, &byte, 1)
    pthread_join(thread, nil)
    close(wakeDescriptor)
  }
}

/// Runs the loop that the context holds, then releases it.
private func serverThreadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  let loop = Unmanaged<ServerLoop>.fromOpaque(context).takeRetainedValue()
  opsh_mhd_name_thread("practice-server")
  loop.run()
  loop.end()
  return nil
}
