import Foundation
import Testing

@testable import OpshNetworking

@Suite("Tweets")
struct TweetTests {
  private func page(_ text: String) throws -> TweetsPage {
    try TweetsPage(decoding: Array(text.utf8))
  }

  @Test("A tweet with all fields is decoded into types, without entities")
  func whole() throws {
    let page = try page(
      """
      {"next_page":"?page=2&q=a","warning":"x &amp; y","results":[{
        "created_at":"Wed, 19 Jan 2011 20:44:13 +0000",
        "entities":{"hashtags":[{"text":"sky","indices":[0,4]}],
          "urls":[{"url":"http://t.co/a","expanded_url":"http://e.x/"},{"url":"http://t.co/b"}],
          "user_mentions":[{"screen_name":"bob"}]},
        "from_user":"ada","from_user_id":77,"from_user_id_str":"77","from_user_name":"Ada L",
        "geo":{"type":"Point","coordinates":[52.5,13]},
        "id":299999999999999900,"id_str":"299999999999999871","iso_language_code":"en",
        "in_reply_to_status_id":1,"in_reply_to_status_id_str":"1",
        "metadata":{"result_type":"popular","recent_retweets":12},
        "profile_image_url":"http://a/n.png","profile_image_url_https":"https://s/n.png",
        "source":"&lt;a href=&quot;http://x/&quot;&gt;web&lt;/a&gt;","text":"R&amp;D &lt;3",
        "to_user":"bob","to_user_id":5,"to_user_id_str":"5","to_user_name":"Bob"}]}
      """)
    let tweet = try #require(page.tweets.first)
    #expect(tweet.id == 299_999_999_999_999_871, "the text is exact, the number may not be")
    #expect(tweet.text == "R&D <3")
    #expect(tweet.createdAt == Date(timeIntervalSince1970: 1_295_469_853))
    #expect(tweet.author == Tweet.Person(id: 77, screenName: "ada", name: "Ada L"))
    #expect(tweet.recipient == Tweet.Person(id: 5, screenName: "bob", name: "Bob"))
    #expect(tweet.repliedID == 1)
    #expect(tweet.coordinates == Tweet.Coordinates(latitude: 52.5, longitude: 13))
    #expect(tweet.hashtags == ["sky"] && tweet.mentions == ["bob"])
    #expect(tweet.links == ["http://e.x/", "http://t.co/b"])
    #expect(tweet.resultType == "popular" && tweet.recentRetweets == 12)
    #expect(tweet.source == #"<a href="http://x/">web</a>"#)
    #expect(tweet.profileImage == "https://s/n.png")
    #expect(page.nextPage == "?page=2&q=a" && page.warning == "x & y")
  }

  @Test(
    "Any other field that is missing, null, 0 or of another type is nil",
    arguments: [
      #"{"id":5,"text":"a"}"#,
      #"{"id":5,"text":"a","to_user":null,"to_user_id":0,"to_user_id_str":"0","geo":null}"#,
      #"{"id":5,"text":"a","to_user_id":null,"entities":null,"metadata":[],"created_at":"soon"}"#,
      #"{"id_str":"5","text":"a","geo":{"coordinates":["x",2]},"from_user_id":"many"}"#,
      #"{"id":5,"id_str":"five","text":"a","entities":{"hashtags":[{},3,{"text":9}],"urls":{}}}"#,
    ])
  func tolerant(json: String) throws {
    let tweet = try #require(try page(#"{"results":[\#(json)]}"#).tweets.first)
    #expect(tweet.id == 5 && tweet.text == "a")
    #expect(tweet.author == Tweet.Person() && tweet.recipient == nil)
    #expect(tweet.createdAt == nil && tweet.coordinates == nil && tweet.repliedID == nil)
    #expect(tweet.hashtags.isEmpty && tweet.links.isEmpty && tweet.mentions.isEmpty)
    #expect(tweet.resultType == nil && tweet.recentRetweets == nil)
  }

  @Test(
    "A page without results, id or text is rejected with the place of the error",
    arguments: [
      (#"{}"#, "results"), (#"{"results":{}}"#, "results"),
      (#"{"results":[{"text":"a"}]}"#, "results[0].id"),
      (#"{"results":[{"id":1,"text":"a"},{"id":2}]}"#, "results[1].text"),
      (#"{"results":[7]}"#, "results[0]"), ("nonsense", "byte"),
    ])
  func broken(json: String, place: String) throws {
    let error = #expect(throws: NetworkError.self) { try page(json) }
    #expect(error?.code == "serialization")
    #expect(error?.message.contains(place) == true, "\(error?.message ?? "")")
  }

  @Test(
    "Dates of the service are parsed with any offset",
    arguments: [
      ("Wed, 19 Jan 2011 20:44:13 +0000", 1_295_469_853.0 as Double?),
      ("Wed, 19 Jan 2011 20:44:13 +0130", 1_295_464_453),
      ("Sun, 30 Sep 2012 00:00:00 -0800", 1_348_992_000),
      ("2011-01-19", nil), ("Wed, 19 Jan 2011 20:44:13 GMT", nil),
      ("Wed, 19 Jan 2011 20:44:13 +0199", nil), ("", nil),
    ])
  func dates(text: String, seconds: Double?) {
    #expect(TweetDate.parse(text)?.timeIntervalSince1970 == seconds)
  }

  @Test("Merging keeps each tweet once, with all its tags, newest first")
  func merged() throws {
    func page(_ tweets: [(Int, String)]) throws -> TweetsPage {
      let items = tweets.map { #"{"id":\#($0.0),"text":"t","created_at":"\#($0.1)"}"# }
      return try self.page(#"{"results":[\#(items.joined(separator: ","))]}"#)
    }
    let old = "Wed, 19 Jan 2011 20:44:13 +0000"
    let new = "Thu, 20 Jan 2011 20:44:13 +0000"
    var merged = MergedTweets([
      ("a", try page([(1, old), (2, new), (9, "never")])), ("b", try page([(2, new), (3, old)])),
    ])
    #expect(merged.entries.map(\.tweet.id) == [2, 3, 1, 9])
    #expect(merged.entries.map(\.tags) == [["a", "b"], ["b"], ["a"], ["a"]])
    #expect(merged.entries[0].raw["id"] == .integer(2))
    merged.keepFirst(2)
    #expect(merged.entries.map(\.tweet.id) == [2, 3])
    let repeated = MergedTweets([("a", try page([(1, old), (1, old)]))])
    #expect(repeated.entries.map(\.tags) == [["a"]])
  }
}
