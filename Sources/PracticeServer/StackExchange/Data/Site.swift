/// A site of the network.
struct Site: Sendable, Equatable {
  let name: String
  let parameter: String
  let host: String
  let audience: String
  let launchDate: Int

  var address: String { "https://\(host)" }

  /// Finds the site that a parameter names, by its short name or its host.
  static func named(_ name: String) -> Site? {
    let name = name.lowercased()
    return all.first { $0.parameter == name || $0.host == name }
  }

  static let all: [Site] = [
    Site(
      name: "Stack Overflow", parameter: "stackoverflow", host: "stackoverflow.com",
      audience: "professional and enthusiast programmers", launchDate: 1_221_436_800),
    Site(
      name: "Server Fault", parameter: "serverfault", host: "serverfault.com",
      audience: "system and network administrators", launchDate: 1_243_296_000),
    Site(
      name: "Super User", parameter: "superuser", host: "superuser.com",
      audience: "computer enthusiasts and power users", launchDate: 1_250_553_600),
    Site(
      name: "Web Applications", parameter: "webapps", host: "webapps.stackexchange.com",
      audience: "power users of web applications", launchDate: 1_285_804_800),
    Site(
      name: "Ask Different", parameter: "apple", host: "apple.stackexchange.com",
      audience: "power users of Apple hardware and software", launchDate: 1_291_852_800),
    Site(
      name: "Ask Ubuntu", parameter: "askubuntu", host: "askubuntu.com",
      audience: "Ubuntu users and developers", launchDate: 1_286_841_600),
    Site(
      name: "Unix &amp; Linux", parameter: "unix", host: "unix.stackexchange.com",
      audience: "users of Linux, FreeBSD and other Un*x-like operating systems",
      launchDate: 1_286_236_800),
    Site(
      name: "Software Engineering", parameter: "softwareengineering",
      host: "softwareengineering.stackexchange.com",
      audience: "professionals and students of the systems development life cycle",
      launchDate: 1_289_520_000),
    Site(
      name: "Code Review", parameter: "codereview", host: "codereview.stackexchange.com",
      audience: "peer programmer code reviews", launchDate: 1_390_867_200),
    Site(
      name: "Code Golf", parameter: "codegolf", host: "codegolf.stackexchange.com",
      audience: "programming puzzle enthusiasts and code golfers", launchDate: 1_296_432_000),
    Site(
      name: "Mathematics", parameter: "math", host: "math.stackexchange.com",
      audience: "people studying math at any level", launchDate: 1_287_532_800),
    Site(
      name: "Information Security", parameter: "security", host: "security.stackexchange.com",
      audience: "information security professionals", launchDate: 1_310_428_800),
    Site(
      name: "Database Administrators", parameter: "dba", host: "dba.stackexchange.com",
      audience: "database professionals who wish to improve their skills",
      launchDate: 1_302_739_200),
    Site(
      name: "Computer Science", parameter: "cs", host: "cs.stackexchange.com",
      audience: "students, researchers and practitioners of computer science",
      launchDate: 1_331_596_800),
    Site(
      name: "Raspberry Pi", parameter: "raspberrypi", host: "raspberrypi.stackexchange.com",
      audience: "users and developers of hardware and software for Raspberry Pi",
      launchDate: 1_339_459_200),
    Site(
      name: "TeX - LaTeX", parameter: "tex", host: "tex.stackexchange.com",
      audience: "users of TeX, LaTeX, ConTeXt, and related typesetting systems",
      launchDate: 1_289_433_600),
    Site(
      name: "Vi and Vim", parameter: "vi", host: "vi.stackexchange.com",
      audience: "people using the vi and Vim families of text editors",
      launchDate: 1_423_008_000),
    Site(
      name: "Stack Overflow em Portugu&#234;s", parameter: "pt.stackoverflow",
      host: "pt.stackoverflow.com", audience: "programadores profissionais e entusiastas",
      launchDate: 1_393_459_200),
    Site(
      name: "Stack Overflow en espa&#241;ol", parameter: "es.stackoverflow",
      host: "es.stackoverflow.com",
      audience: "programadores y profesionales de la inform&#225;tica",
      launchDate: 1_500_336_000),
    Site(
      name: "Meta Stack Exchange", parameter: "meta", host: "meta.stackexchange.com",
      audience: "users of the Stack Exchange family of websites", launchDate: 1_247_788_800),
  ]
}
