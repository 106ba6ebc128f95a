import OperationShell

#if canImport(Glibc)
  import Glibc
#endif

// Before anything starts a thread: every thread inherits this mask, and signals are then read
// through a descriptor by the one thread that knows what to do about them.
ProcessSetup.prepare()

do {
  let options = try CommandLineOptions(Array(CommandLine.arguments.dropFirst()))
  switch options.action {
  case .printHelp: exit(ProcessSetup.print(CommandLineOptions.help))
  case .printVersion: exit(ProcessSetup.print(Version.text))
  case .servePractice(let port): exit(PracticeService.run(port: port))
  case .run(let program):
    exit(
      ProcessSetup.run(
        program, options.configuration, color: options.color,
        staysInteractive: options.staysInteractive, checksOnly: options.checksOnly))
  }
} catch let misuse as CommandLineOptions.Misuse {
  ProcessSetup.complain("\(misuse.message)\ntry 'opsh --help'")
  exit(2)
}
