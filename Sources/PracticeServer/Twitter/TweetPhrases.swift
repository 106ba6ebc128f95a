/// The sentences that tweets are made of; `%` stands for what they are about.
enum TweetPhrases {
  static func sentences(in language: String) -> [String] {
    switch language {
    case "es": spanish
    case "pt": portuguese
    case "fr": french
    case "de": german
    case "ja": japanese
    default: english
    }
  }

  static func questions(in language: String) -> [String] {
    switch language {
    case "es": ["¿Alguien más usa % en el trabajo?", "¿Qué opinan de %?"]
    case "pt": ["Alguém mais usa % no trabalho?", "O que acham de %?"]
    case "fr": ["Qui d'autre travaille avec % ?", "Que pensez-vous de % ?"]
    case "de": ["Wer benutzt sonst noch % bei der Arbeit?", "Was haltet ihr von %?"]
    case "ja": ["%を使っている人いますか?", "%ってどう思う?"]
    default: ["Who else uses % at work?", "Is % worth a weekend?", "What is it about %?"]
    }
  }

  private static let english = [
    "Still thinking about %", "Reading up on % today", "% is better than coffee",
    "My talk about % is online", "% again. Every single time.", "Day three with % and no regrets",
    "Somebody explain % to me like I'm five", "I was wrong about %", "New post: % in ten minutes",
    "Just a reminder that % exists", "Live from the % meetup tonight", "More % less noise",
    "Everything I know about % I learned the hard way", "Small joys: %",
    "Could not sleep, read about % instead", "% on a rainy Monday",
  ]
  private static let spanish = [
    "Pensando en %", "Hoy leyendo sobre %", "% es mejor que el café", "Otra vez %, como siempre",
    "Nueva entrada: % en diez minutos", "Me equivoqué con %",
  ]
  private static let portuguese = [
    "Ainda a pensar em %", "Hoje a ler sobre %", "% é melhor que café", "De novo %, como sempre",
    "Novo artigo: % em dez minutos", "Eu estava errado sobre %",
  ]
  private static let french = [
    "Je pense encore à %", "Lecture du jour : %", "% vaut mieux qu'un café",
    "Encore %, comme toujours", "Nouvel article : % en dix minutes", "Je me suis trompé sur %",
  ]
  private static let german = [
    "Denke immer noch über % nach", "Heute lese ich über %", "% ist besser als Kaffee",
    "Schon wieder %. Jedes Mal.", "Neuer Artikel: % in zehn Minuten", "Bei % lag ich falsch",
  ]
  private static let japanese = [
    "%について調べています", "今日も%の勉強", "%はコーヒーより良い", "また%か。いつものこと。",
    "%の記事を書きました", "%を勘違いしていた",
  ]

  static let hashtags = ["#monday", "#now", "#learning", "#fail", "#win", "#今日", "#fun", "#work"]

  /// The programs that tweets come from, with their markup encoded as the service does.
  static let sources = [
    "&lt;a href=&quot;http://twitter.com/&quot;&gt;web&lt;/a&gt;",
    "&lt;a href=&quot;http://twitter.com/download/iphone&quot; rel=&quot;nofollow&quot;"
      + "&gt;Twitter for iPhone&lt;/a&gt;",
    "&lt;a href=&quot;http://www.tweetdeck.com&quot; rel=&quot;nofollow&quot;"
      + "&gt;TweetDeck&lt;/a&gt;",
    "&lt;a href=&quot;http://example.org/qa?a=1&amp;b=2&quot; rel=&quot;nofollow&quot;"
      + "&gt;Q&amp;A Poster&lt;/a&gt;",
  ]

  static let places: [(latitude: Double, longitude: Double)] = [
    (37.7749, -122.4194), (51.5074, -0.1278), (48.8566, 2.3522), (52.52, 13.405),
    (35.6895, 139.6917), (-23.5505, -46.6333), (40.4168, -3.7038), (43.6532, -79.3832),
  ]
}
