import Operations
import Testing

@testable import ShellSession

@Suite("The ledger of failures")
struct FailureLedgerTests {
  private let ledger = FailureLedger()

  private func operation() -> DelayOperation {
    DelayOperation(duration: .zero, engine: OperationEngine())
  }

  @Test("An unexpected failure sets the status to 1")
  func unexpected() {
    #expect(ledger.status == 0)
    ledger.noteFailure(of: 3)
    ledger.noteFailure(of: 1)
    #expect(ledger.unexpected == [3, 1])
    #expect(ledger.status == 1)
  }

  @Test("A failure can be accounted for before or after it happens")
  func accounted() {
    let operation = operation()
    ledger.account(for: [FailureLedger.Key(operation)])
    #expect(ledger.isAccounted(operation))
    ledger.noteFailure(of: operation.id)
    #expect(ledger.unexpected.isEmpty)
    let later = FailureLedger()
    later.noteFailure(of: operation.id)
    later.account(for: [FailureLedger.Key(operation)])
    #expect(later.status == 0)
  }

  @Test(
    "The highest status counts",
    arguments: [
      ([1, 2], 2), ([2, 1], 2), ([0], 0), ([143, 1], 143),
    ] as [([Int32], Int32)])
  func highest(_ statuses: [Int32], _ expected: Int32) {
    for status in statuses { ledger.note(status: status) }
    #expect(ledger.status == expected)
    ledger.noteFailure(of: 1)
    #expect(ledger.status == max(expected, 1))
  }
}
