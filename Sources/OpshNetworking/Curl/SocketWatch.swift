import COpshCurl
import Foundation
import OpshSystemCalls

/// Waits for libcurl's sockets and timers.
///
/// libcurl could do that itself. But then it examines all transfers, and polls each of their
/// sockets, whenever one of them is ready; if it is given the ready socket, it examines only that
/// one. For sequential requests this takes a third less time of the thread.
///
/// It uses `poll` and not one of its successors, because a connection is watched only from a
/// request to its response: registering sockets costs the time that those save.
///
/// All of it is used on the one thread that runs all transfers.
final class SocketWatch {
  /// A ready socket.
  struct Event {
    let socket: Int32
    /// The events to report to libcurl.
    let mask: Int32
  }

  private let wakeUp: WakeUp

  // Unchecked, because there is no second thread, and each check costs as much as the access.

  /// The polled descriptors: first the signals of other threads, then libcurl's sockets.
  @exclusivity(unchecked) private var entries: [pollfd]
  /// The result of the last wait.
  @exclusivity(unchecked) private(set) var events: [Event] = []
  /// Whether libcurl has work that needs no waiting.
  @exclusivity(unchecked) private(set) var isDueNow = false
  /// When libcurl's next timer is due.
  @exclusivity(unchecked) private(set) var due: ContinuousClock.Instant?

  init(_ wakeUp: WakeUp) {
    self.wakeUp = wakeUp
    entries = [pollfd(fd: wakeUp.fileDescriptor, events: Int16(POLLIN), revents: 0)]
  }

  /// Registers the watch with libcurl; the watch must outlive `multi`.
  func observe(_ multi: UnsafeMutableRawPointer, _ library: CurlLibrary) -> Bool {
    let context = Unmanaged.passUnretained(self).toOpaque()
    return opsh_curl_multi_set_socket_function(
      library.table, multi, curlSocketCallback, context) == CURLM_OK
      && opsh_curl_multi_set_timer_function(
        library.table, multi, curlTimerCallback, context) == CURLM_OK
  }

  /// Returns whether libcurl's timers are due, and marks them as handled.
  func takeDue(at now: ContinuousClock.Instant) -> Bool {
    guard isDueNow || due.map({ $0 <= now }) == true else { return false }
    isDueNow = false
    due = nil
    return true
  }

  /// Waits until a socket or timer is ready, or the time is over.
  ///
  /// - Parameter milliseconds: The longest time to wait; 0 polls without waiting.
  func wait(_ milliseconds: Int32) {
    events.removeAll(keepingCapacity: true)
    guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return }
    if entries[0].revents != 0 { wakeUp.drain() }
    for entry in entries[1...] where entry.revents != 0 {
      events.append(Event(socket: entry.fd, mask: Self.mask(of: entry)))
    }
    // A socket that was closed without notice would end every wait at once.
    if events.contains(where: { $0.mask == CURL_CSELECT_ERR }) {
      entries.removeAll { $0.revents & Int16(POLLNVAL) != 0 }
    }
  }

  /// Converts errors to readiness: reading or writing reports the error with its number.
  private static func mask(of entry: pollfd) -> Int32 {
    let found = Int32(entry.revents)
    guard found & POLLNVAL == 0 else { return CURL_CSELECT_ERR }
    var mask: Int32 = 0
    if Int32(entry.events) & POLLIN != 0, found & (POLLIN | POLLHUP | POLLERR) != 0 {
      mask |= CURL_CSELECT_IN
    }
    if Int32(entry.events) & POLLOUT != 0, found & (POLLOUT | POLLHUP | POLLERR) != 0 {
      mask |= CURL_CSELECT_OUT
    }
    return mask
  }

  /// Stores the events that libcurl waits for on a socket.
  fileprivate func change(_ socket: Int32, _ what: Int32) {
    var events: Int32 = 0
    if what & CURL_POLL_IN != 0 { events |= POLLIN }
    if what & CURL_POLL_OUT != 0 { events |= POLLOUT }
    // There are about as many as transfers, which is few; the most recent one is last.
    let place = entries.lastIndex { $0.fd == socket }
    if what == CURL_POLL_REMOVE || events == 0 {
      guard let place, place > 0 else { return }
      entries.swapAt(place, entries.count - 1)
      entries.removeLast()
    } else if let place {
      entries[place].events = Int16(events)
    } else {
      entries.append(pollfd(fd: socket, events: Int16(events), revents: 0))
    }
  }

  /// Stores the time of libcurl's next timer.
  fileprivate func setTimer(_ milliseconds: Int) {
    isDueNow = milliseconds == 0
    due = milliseconds > 0 ? .now + .milliseconds(milliseconds) : nil
  }
}

/// Called when libcurl changes the events it waits for on a socket.
///
/// A function of the library and not a closure, because a closure formed in isolated code traps on
/// libcurl's thread.
private func curlSocketCallback(
  easy: UnsafeMutableRawPointer?, socket: curl_socket_t, what: Int32,
  context: UnsafeMutableRawPointer?, socketContext: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context else { return 0 }
  Unmanaged<SocketWatch>.fromOpaque(context).takeUnretainedValue().change(socket, what)
  return 0
}

/// Called when libcurl changes the time of its next timer.
private func curlTimerCallback(
  multi: UnsafeMutableRawPointer?, milliseconds: Int, context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context else { return 0 }
  Unmanaged<SocketWatch>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds)
  return 0
}
