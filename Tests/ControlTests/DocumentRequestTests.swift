import ControlBench
import Synchronization
import Testing

@testable import Control

@Suite struct DocumentRequestTests {
  @Test func `Requests for the documents that arrive during a list share the next one, 64 at most`() throws {
    let work = SimulatedWork(isHeld: true)
    let lists = Box(Mutex(0))
    let rig = try Rig(work: work) { configuration in
      configuration.listDocuments = {
        let number = lists.value.withLock { number in
          number += 1
          return number
        }
        return [DocumentSummary(name: "\(number)", content: nil)]
      }
    }
    let (answers, reasons) = (Reasons(), Reasons())
    let answer = { @Sendable (documents: [DocumentSummary]) in
      for document in documents { answers.add(document.name) }
    }
    for _ in 0..<67 {
      rig.updates.push(Request(.documents(answer), refuse: { reasons.add($0) }))
    }
    rig.settle()
    #expect(answers.all.isEmpty)
    #expect(
      reasons.all
        == Array(
          repeating: "64 requests wait for the list of documents: ask again",
          count: 2))
    work.release(8)
    rig.settle()
    rig.settle()
    #expect(answers.all == ["1"] + Array(repeating: "2", count: 64))
    // Later requests get a new list.
    rig.updates.push(Request(.documents(answer)))
    rig.settle()
    rig.settle()
    #expect(answers.all.last == "3")
  }
}
