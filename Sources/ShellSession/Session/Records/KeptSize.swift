import OpshNetworking
import Operations
import OpshProcesses
import ShellLanguage

/// Number of bytes that a finished operation keeps in addition to its record: those of its value,
/// which can be dropped alone, and those of its texts, which are dropped with the record.
///
/// Data shared by several operations counts for each of them. The size of a decoded value is an
/// estimate.
struct KeptSize: Sendable, Equatable {
  var value = 0
  var text = 0

  var total: Int { value + text }
}

extension KeptSize {
  /// Measures a finished operation; takes time proportional to the size of its value.
  init(of operation: ObservableOperation) {
    self.init()
    let outcome = operation.outcome
    if let failure = outcome?.failure {
      // A short text is stored inline and has no memory of its own.
      text = failure.message.utf8.count > 15 ? failure.message.utf8.count : 0
    }
    if let metrics = operation.networkMetrics {
      text += metrics.headSize
      if outcome != .succeeded { value += metrics.refusal?.body.count ?? 0 }
    }
    if let process = operation as? ProcessOperation {
      value += process.output.keptSize
      return
    }
    // By far the most frequent class first: casts of a value of any type take longer than the rest.
    if let request = operation as? NetworkOperation<HTTPResponse> {
      if case .success(let response)? = request.result { value += response.keptSize }
      return
    }
    let result = operation.resultValue
    if let kept = result as? any SizedValue {
      value += kept.keptSize
    } else if let text = result as? String {
      value += text.utf8.count
    }
  }
}

/// A value of an operation that estimates its size in bytes.
protocol SizedValue: Sendable {
  var keptSize: Int { get }
}

extension HTTPResponse: SizedValue {
  var keptSize: Int { body.count }
}

extension ProcessOutput: SizedValue {
  var keptSize: Int { output.count + errors.count }
}

extension StackExchangePage: SizedValue {
  // The items are stored twice: raw and decoded.
  var keptSize: Int { 2 * raw.keptSize }
}

extension TweetsPage: SizedValue {
  var keptSize: Int { 2 * raw.keptSize }
}

extension QuotesPage: SizedValue {
  var keptSize: Int { 2 * raw.keptSize }
}

extension Quote: SizedValue {
  var keptSize: Int { id.utf8.count + text.utf8.count + (author?.utf8.count ?? 0) }
}

extension QuoteMergeReport: SizedValue {
  var keptSize: Int {
    rejected.reduce(0) { $0 + 64 + ($1.id?.utf8.count ?? 0) + $1.reason.utf8.count }
  }
}

extension JSONValue: SizedValue {
  var keptSize: Int {
    var size = 0
    var open = [self]
    while let next = open.popLast() {
      size += MemoryLayout<JSONValue>.stride
      switch next {
      case .null, .boolean, .integer, .real: break
      case .string(let text), .literal(let text): size += text.utf8.count
      case .array(let elements): open += elements
      case .object(let members):
        for member in members {
          size += MemoryLayout<String>.stride + member.name.utf8.count
          open.append(member.value)
        }
      }
    }
    return size
  }
}

extension Value: SizedValue {
  /// A number or a short text counts as 0: it needs no memory beyond the operation's own.
  var keptSize: Int {
    var size = 0
    var open = [self]
    while let next = open.popLast() {
      switch next {
      case .string(let text): size += text.utf8.count > 15 ? text.utf8.count : 0
      case .list(let elements):
        size += elements.count * MemoryLayout<Value>.stride
        open += elements
      case .record(let fields):
        for field in fields {
          size += MemoryLayout<Field>.stride + field.name.utf8.count
          open.append(field.value)
        }
      default: break
      }
    }
    return size
  }
}
