import Foundation

/// Memory that the process has been given and does not use, to be given back just before it is needed.
///
/// Where a machine is a virtual one, its host may take free memory back after two seconds ("free page
/// reporting" of Linux's balloon device), and providing a page again takes it longer than clearing
/// one: in draining a million operations that was a tenth of the time, and in draining 10,000 nothing.
/// A page that was given back only now is still provided.
struct HeldMemory {
  private let start: UnsafeMutableRawPointer?
  private let size: Int

  /// Takes so many bytes, which must be there; none where the system refuses.
  init(_ size: Int) {
    let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    self.start = start == MAP_FAILED ? nil : start
    self.size = size
    // The system gives a page when it is written.
    if let start = self.start { memset(start, 1, size) }
  }

  func giveBack() {
    if let start { munmap(start, size) }
  }
}
