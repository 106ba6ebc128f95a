import Foundation
package import OpshJSON
package import OpshNetworking
package import Operations
package import ShellOutput

/// An attempt of a request as JSON: the object that `show --attempts` prints, and a line of a
/// recording.
extension RequestAttempt {
  /// Returns the members of the object.
  package func fields(
    of operation: ObservableOperation, since start: ContinuousClock.Instant,
    seconds: (Duration) -> JSONValue
  ) -> JSONFields {
    [
      "operation": OperationDescription.reference(to: operation).value,
      "number": .number(number), "started": seconds(started - start),
      "duration": duration.map(RecordingFormat.seconds) ?? .null, "status": .optional(status),
      "fault": .optional(error?.code), "message": .optional(error?.message),
      "joined": joined.map { OperationDescription.reference(to: $0).value } ?? .null,
      "exchanges": .array(exchanges.map(\.json)),
    ]
  }

  /// Reads an attempt of a recording; nil if the object describes none.
  init?(recorded json: JSONValue, since start: ContinuousClock.Instant) {
    guard let number = json["number"]?.exactInteger(Int.self), number > 0,
      let started = RecordingFormat.duration(json["started"]),
      case .array(let elements)? = json["exchanges"]
    else { return nil }
    let exchanges = elements.compactMap(HTTPExchange.init(recorded:))
    guard exchanges.count == elements.count else { return nil }
    self.init(
      number: number, started: start + started,
      ended: RecordingFormat.duration(json["duration"]).map { start + started + $0 },
      exchanges: exchanges,
      error: json["fault"]?.string.map {
        OperationFailure(code: $0, message: json["message"]?.string ?? "")
      },
      joined: json["joined"].flatMap {
        $0 == .null ? nil : OperationIdentity(recorded: $0)
      })
  }
}

extension HTTPExchange {
  fileprivate var json: JSONValue {
    JSONValue.members([
      "method": .string(method), "request": .string(requestLine), "url": .string(url),
      "sent": wasSent ? Self.json(sentHeaders) : .null, "bodySize": .optional(sentBodySize),
      "status": .optional(status), "statusText": status == nil ? .null : .string(reasonPhrase),
      "received": status == nil ? .null : Self.json(receivedHeaders),
      "droppedHeaders": .number(droppedHeaders), "bytes": .number(bytesReceived),
      "expanded": .optional(bytesExpanded), "underWay": .boolean(isUnderWay),
      "version": .optional(version), "peer": .optional(peer), "tls": tls?.json ?? .null,
      "times": timings.json,
    ])
  }

  fileprivate init?(recorded json: JSONValue) {
    guard let line = json["request"]?.string, let url = json["url"]?.string,
      let timings = json["times"].flatMap(TransferTimings.init(recorded:))
    else { return nil }
    self.init(
      method: json["method"]?.string ?? "GET", requestLine: line, url: url,
      sent: json["sent"].flatMap(Self.headers), bodySize: json["bodySize"]?.exactInteger(),
      status: json["status"]?.exactInteger(), reasonPhrase: json["statusText"]?.string ?? "",
      received: json["received"].flatMap(Self.headers) ?? HTTPHeaders(),
      droppedHeaders: json["droppedHeaders"]?.exactInteger() ?? 0,
      version: json["version"]?.string, peer: json["peer"]?.string,
      tls: json["tls"].flatMap(TLSSession.init(recorded:)), timings: timings,
      bytesReceived: json["bytes"]?.exactInteger() ?? 0,
      bytesExpanded: json["expanded"]?.exactInteger(),
      isUnderWay: json["underWay"] == .boolean(true))
  }

  private static func json(_ headers: [(name: String, value: String)]) -> JSONValue {
    .array(
      headers.map {
        JSONValue.members(["name": .string($0.name), "value": .string($0.value)])
      })
  }

  /// Reads a list of headers; nil for what is none.
  private static func headers(_ json: JSONValue) -> HTTPHeaders? {
    guard case .array(let elements) = json else { return nil }
    return HTTPHeaders(
      received: elements.compactMap { field in
        guard let name = field["name"]?.string, let value = field["value"]?.string else {
          return nil
        }
        return (name, value)
      })
  }
}

extension TransferTimings {
  fileprivate var json: JSONValue {
    JSONValue.members([
      "waited": waited > .zero ? RecordingFormat.seconds(waited) : .null,
      "lookup": RecordingFormat.seconds(lookup), "connect": RecordingFormat.seconds(connect),
      "tls": tls.map(RecordingFormat.seconds) ?? .null,
      "sent": sent.map(RecordingFormat.seconds) ?? .null,
      "firstByte": firstByte.map(RecordingFormat.seconds) ?? .null,
      "total": RecordingFormat.seconds(total),
    ])
  }

  /// Reads the times of an attempt, or of a request, which has another name for one of them.
  init?(recorded json: JSONValue) {
    guard case .object = json else { return nil }
    func time(_ name: String) -> Duration? { RecordingFormat.duration(json[name]) }
    self.init(
      waited: time("waited") ?? .zero, lookup: time("lookup") ?? .zero,
      connect: time("connect") ?? .zero, tls: time("tls"),
      sent: time("sent"), firstByte: time("firstByte") ?? time("first byte"),
      total: time("total") ?? .zero)
  }
}

extension TLSSession {
  fileprivate var json: JSONValue {
    JSONValue.members([
      "version": .string(version), "cipher": .string(cipher),
      "subject": .optional(certificate?.subject), "issuer": .optional(certificate?.issuer),
      "validFrom": .optional(certificate.map { DateText.text($0.validFrom) }),
      "validUntil": .optional(certificate.map { DateText.text($0.validUntil) }),
    ])
  }

  fileprivate convenience init?(recorded json: JSONValue) {
    guard let version = json["version"]?.string, let cipher = json["cipher"]?.string else {
      return nil
    }
    var certificate: Certificate?
    if let from = json["validFrom"]?.string.flatMap(RecordingFormat.date),
      let until = json["validUntil"]?.string.flatMap(RecordingFormat.date)
    {
      certificate = Certificate(
        subject: json["subject"]?.string ?? "", issuer: json["issuer"]?.string ?? "",
        validFrom: from, validUntil: until)
    }
    self.init(version: version, cipher: cipher, certificate: certificate)
  }
}

extension CacheUse {
  /// The value of the key `cache` of a recorded request.
  var recorded: JSONValue {
    func members(_ use: String, age: Double? = nil, _ reason: String? = nil) -> JSONValue {
      JSONValue.members([
        "use": .string(use), "age": age.map { .real($0) } ?? .null, "because": .optional(reason),
      ])
    }
    return switch self {
    case .hit(let age): members(name, age: age)
    case .updating(let age): members("updating", age: age)
    case .revalidated: members(name)
    case .stale(let age, let reason): members(name, age: age, reason)
    case .miss(let refusal): members(name, refusal?.rawValue)
    case .unavailable(let code): members(name, code)
    }
  }

  /// Reads what ``recorded`` wrote; nil for anything else.
  init?(recorded json: JSONValue) {
    let (age, reason) = (json["age"]?.double ?? 0, json["because"]?.string)
    switch json["use"]?.string {
    case "hit": self = .hit(age: age)
    case "updating": self = .updating(age: age)
    case "revalidated": self = .revalidated
    case "stale": self = .stale(age: age, because: reason ?? "")
    case "miss": self = .miss(reason.flatMap(CachePolicy.Refusal.init(rawValue:)))
    case "unavailable": self = .unavailable(reason ?? "")
    default: return nil
    }
  }
}
