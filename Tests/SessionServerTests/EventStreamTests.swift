import OpshLocking
import Testing

@testable import SessionServer

@Suite("Events of a live server", .timeLimit(.minutes(1)))
struct EventStreamTests {
  private static func text(_ bytes: [UInt8]?) -> String {
    String(decoding: bytes ?? [], as: UTF8.self)
  }

  private static let snapshot = "id\nevent: snapshot\ndata:\n\n"

  @Test("A new follower gets a snapshot and all lines, then what is new")
  func all() {
    var store = LineStore(limit: 1000)
    store.append(["a", "b"])
    var stream = EventStream(lastEventID: nil)
    #expect(
      Self.text(stream.messages(from: store, upTo: 1000))
        == Self.snapshot + "id: 0\ndata: a\n\nid: 1\ndata: b\n\n")
    #expect(stream.messages(from: store, upTo: 1000) == [])
    #expect(stream.isComplete(in: store))
    store.append(["c"])
    #expect(Self.text(stream.messages(from: store, upTo: 1000)) == "id: 2\ndata: c\n\n")
  }

  @Test("Messages are whole, however small the portion")
  func portions() {
    var store = LineStore(limit: 1000)
    store.append(["a", "b"])
    var stream = EventStream(lastEventID: nil)
    #expect(Self.text(stream.messages(from: store, upTo: 1)) == Self.snapshot)
    #expect(Self.text(stream.messages(from: store, upTo: 1)) == "id: 0\ndata: a\n\n")
    #expect(Self.text(stream.messages(from: store, upTo: 1)) == "id: 1\ndata: b\n\n")
  }

  @Test("A follower that comes back gets what is missing")
  func back() {
    var store = LineStore(limit: 1000)
    store.append(["a", "b", "c"])
    var stream = EventStream(lastEventID: "1")
    #expect(Self.text(stream.messages(from: store, upTo: 1000)) == "id: 2\ndata: c\n\n")
    var complete = EventStream(lastEventID: "2")
    #expect(complete.messages(from: store, upTo: 1000) == [])
  }

  @Test(
    "A number that is not of this session begins anew",
    arguments: ["3", "99", "-1", "", "x", "9223372036854775807", "99999999999999999999"])
  func unknownNumbers(id: String) {
    var store = LineStore(limit: 1000)
    store.append(["a", "b", "c"])
    var stream = EventStream(lastEventID: id)
    #expect(Self.text(stream.messages(from: store, upTo: 10)) == Self.snapshot)
  }

  @Test("When the store starts afresh, every follower gets a snapshot, also one that had all lines")
  func afresh() {
    var store = LineStore(limit: 4)
    store.append(["aa"])
    #expect(!store.isFull)
    store.append(["bb", "c"])
    #expect(store.isFull)
    var late = EventStream(lastEventID: nil)
    _ = late.messages(from: store, upTo: 1)
    var complete = EventStream(lastEventID: nil)
    _ = complete.messages(from: store, upTo: 1000)
    store.startAfresh()
    store.append(["x", "y"])
    let fresh = Self.snapshot + "id: 4\ndata: x\n\nid: 5\ndata: y\n\n"
    #expect(Self.text(late.messages(from: store, upTo: 1000)) == fresh)
    #expect(Self.text(complete.messages(from: store, upTo: 1000)) == fresh)
    for id in ["0", "2"] {
      var back = EventStream(lastEventID: id)
      #expect(Self.text(back.messages(from: store, upTo: 1000)) == fresh, "from \(id)")
    }
    var back = EventStream(lastEventID: "4")
    #expect(Self.text(back.messages(from: store, upTo: 1000)) == "id: 5\ndata: y\n\n")
  }

  @Test("Most lines are kept compressed, and each follower gets every one, from wherever it begins")
  func compressed() throws {
    var store = LineStore(limit: 1 << 30)
    let lines = (0..<5_000).map { "{\"type\":\"transition\",\"number\":\($0),\"reason\":\"ä\\n\"}" }
    for start in stride(from: 0, to: lines.count, by: 70) {
      store.append(Array(lines[start..<min(lines.count, start + 70)]))
    }
    let size = lines.reduce(0) { $0 + $1.utf8.count }
    #expect(size > 200_000 && store.storedSize < size / 2)
    for id in [nil, "0", "1234", "4997"] {
      var stream = EventStream(lastEventID: id)
      var text = ""
      while !stream.isComplete(in: store) {
        text += Self.text(stream.messages(from: store, upTo: 1000))
      }
      let first = id.flatMap { Int($0) }.map { $0 + 1 } ?? 0
      let wanted = lines.indices[first...].map { "id: \($0)\ndata: \(lines[$0])\n\n" }
      #expect(text == (id == nil ? Self.snapshot : "") + wanted.joined(), "after \(id ?? "none")")
    }
    store.startAfresh()
    store.append(["x"])
    #expect(store.storedSize == 1)
    var stream = EventStream(lastEventID: "4000")
    #expect(
      Self.text(stream.messages(from: store, upTo: 1000)) == Self.snapshot + "id: 5001\ndata: x\n\n"
    )
  }

  @Test("A chunk that cannot be decompressed ends its follower, and does not look like the end")
  func broken() {
    var store = LineStore(limit: 1 << 30, compress: { Array($0.prefix(9)) })
    store.append((0..<100).map { _ in String(repeating: "x", count: 1000) })
    #expect(store.storedSize < 50_000)
    var stream = EventStream(lastEventID: nil)
    #expect(stream.messages(from: store, upTo: 1000) == nil)
    var late = EventStream(lastEventID: "98")
    #expect(late.messages(from: store, upTo: 1000)?.isEmpty == false)
  }

  @Test("Lines that cannot be compressed stay, and the next attempt is a chunk later")
  func incompressible() {
    struct Failure: Error {}
    let attempts = Locked(0)
    var store = LineStore(
      limit: 1 << 30,
      compress: { _ in
        attempts.withLock { $0 += 1 }
        throw Failure()
      })
    store.append((0..<1000).map { _ in String(repeating: "x", count: 1000) })
    #expect(attempts.withLock { $0 } == 15)
    var stream = EventStream(lastEventID: "998")
    #expect(Self.text(stream.messages(from: store, upTo: 1000)).hasPrefix("id: 999\ndata: xxx"))
  }

  @Test("A session that is larger than the store may hold is not begun anew all the time")
  func large() {
    var store = LineStore(limit: 4)
    store.append(["aaaaa"], isFresh: true)
    #expect(!store.isFull)
    store.append(["bbbbb"])
    #expect(!store.isFull)
    store.append(["c"])
    #expect(store.isFull)
  }
}
