import CCurl
import Foundation

/// Waits for the sockets and the time that libcurl waits for.
///
/// libcurl could do that itself. But then it goes through all transfers, and asks the system about
/// each of their sockets, whenever something happens on one of them; told which one it was, it looks
/// at that one alone. Requests that come and go one by one take a third less of the thread so.
///
/// `poll` and not one of its successors, because a connection is waited for from a request to its
/// answer only: what those save when they look, they lose when they are told.
///
/// Everything in it belongs to the one thread that runs all transfers.
final class SocketWatch {
  /// A socket on which something can be done.
  struct Event {
    let socket: Int32
    /// What to tell libcurl about it.
    let mask: Int32
  }

  private let wakeUp: WakeUpDescriptor

  // Unchecked, because there is no second thread, and each check costs as much as what it checks.

  /// What is waited for: first the signals of other threads, then libcurl's sockets.
  @exclusivity(unchecked) private var entries: [pollfd]
  /// What the last wait found.
  @exclusivity(unchecked) private(set) var events: [Event] = []
  /// Whether libcurl has something to do without waiting.
  @exclusivity(unchecked) private(set) var isDueNow = false
  /// When libcurl wants to look at its own timers.
  @exclusivity(unchecked) private(set) var due: ContinuousClock.Instant?

  init(_ wakeUp: WakeUpDescriptor) {
    self.wakeUp = wakeUp
    entries = [pollfd(fd: wakeUp.readEnd, events: Int16(POLLIN), revents: 0)]
  }

  /// Has libcurl say what it waits for; the watch has to outlive `multi`.
  func observe(_ multi: UnsafeMutableRawPointer, _ library: CurlLibrary) -> Bool {
    let context = Unmanaged.passUnretained(self).toOpaque()
    return opsh_curl_multi_set_socket_function(
      library.table, multi, curlSocketCallback, context) == CURLM_OK
      && opsh_curl_multi_set_timer_function(
        library.table, multi, curlTimerCallback, context) == CURLM_OK
  }

  /// Says whether libcurl's timers are to be looked at, and takes it that they are.
  func takeDue(at now: ContinuousClock.Instant) -> Bool {
    guard isDueNow || due.map({ $0 <= now }) == true else { return false }
    isDueNow = false
    due = nil
    return true
  }

  /// Waits until there is something to do, or the time is over.
  ///
  /// - Parameter milliseconds: The longest time to wait; 0 only looks.
  func wait(_ milliseconds: Int32) {
    events.removeAll(keepingCapacity: true)
    guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return }
    if entries[0].revents != 0 { wakeUp.clear() }
    for entry in entries[1...] where entry.revents != 0 {
      events.append(Event(socket: entry.fd, mask: Self.mask(of: entry)))
    }
    // One that was closed without a word would end every wait at once.
    if events.contains(where: { $0.mask == CURL_CSELECT_ERR }) {
      entries.removeAll { $0.revents & Int16(POLLNVAL) != 0 }
    }
  }

  /// An error shows when one reads or writes, together with its number: libcurl is only told that it
  /// can do what it waits for.
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

  /// Takes in for what libcurl waits on a socket from now on.
  fileprivate func change(_ socket: Int32, _ what: Int32) {
    var events: Int32 = 0
    if what & CURL_POLL_IN != 0 { events |= POLLIN }
    if what & CURL_POLL_OUT != 0 { events |= POLLOUT }
    // They are about as many as there are transfers, which is few; the last one came last.
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

  /// Takes in when libcurl wants to look at its timers.
  fileprivate func setTimer(_ milliseconds: Int) {
    isDueNow = milliseconds == 0
    due = milliseconds > 0 ? .now + .milliseconds(milliseconds) : nil
  }
}

/// Is told for what libcurl waits on a socket.
///
/// A function of the library and not a closure, because one formed in isolated code traps on
/// libcurl's thread.
private func curlSocketCallback(
  easy: UnsafeMutableRawPointer?, socket: curl_socket_t, what: Int32,
  context: UnsafeMutableRawPointer?, socketContext: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context else { return 0 }
  Unmanaged<SocketWatch>.fromOpaque(context).takeUnretainedValue().change(socket, what)
  return 0
}

/// Is told when libcurl wants to look at its timers.
private func curlTimerCallback(
  multi: UnsafeMutableRawPointer?, milliseconds: Int, context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context else { return 0 }
  Unmanaged<SocketWatch>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds)
  return 0
}
