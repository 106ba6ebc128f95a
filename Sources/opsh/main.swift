import FoundationProcess
import OperationShell
import ShellSession

// Before anything starts a thread: every thread inherits this mask, and signals are then read
// through a descriptor by the one thread that knows what to do about them.
ProcessSetup.prepare()

do {
  let options = try CommandLineOptions(ProcessSetup.arguments())
  switch options.action {
  case .printHelp: ProcessSetup.end(printing: ProgramOption.help)
  case .printVersion: ProcessSetup.end(printing: Version.text)
  case .printReference: ProcessSetup.end(printing: Reference.text)
  case .print(let text): ProcessSetup.end(printing: text)
  case .servePractice(let port): ProcessSetup.end(PracticeService.run(port: port))
  case .runFoundationQueue: ProcessSetup.end(RawQueue.run())
  case .test(let files, let testOptions):
    ProcessSetup.end(TestRun.run(files, testOptions))
  case .run(let program):
    ProcessSetup.end(
      ProcessSetup.run(
        program, options.configuration, color: options.color,
        staysInteractive: options.staysInteractive,
        mode: options.mode))
  }
} catch let misuse as CommandLineMisuse {
  ProcessSetup.end(misuse.report())
}
