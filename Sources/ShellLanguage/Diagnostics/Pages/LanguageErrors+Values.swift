extension LanguageErrors {
  /// What values cannot be, and what cannot be done with them.
  static let values: [ErrorPage] = [
    ErrorPage(
      "overflow", "A number is beyond what its kind can hold",
      """
      Integers have 64 bits: up to 9223372036854775807. Nothing wraps round. Durations reach \
      292 years.
      """,
      help: "a real number reaches further: 1e30", wrong: "echo (9223372036854775807 + 1)",
      right: "echo (9223372036854775807.0 + 1)"),
    ErrorPage(
      "division-by-zero", "Something is divided by zero",
      "Neither '/' nor '%' has a result then.", help: "test the divisor first",
      wrong: "echo (1 / 0)",
      right: "let n = 2\nif ($n != 0) { echo (1 / $n) }"),
    ErrorPage(
      "type-mismatch", "An operator or a function cannot work on values of these kinds",
      """
      Numbers compute with numbers, durations with durations and numbers, sizes likewise. \
      Texts and lists are only added. A text that is a number counts as one next to a number.
      """,
      help: "(text($value)) is a value as a text, (number($text)) a text as a number",
      wrong: "echo (5 + true)",
      right: "echo (5 + 1)"),
    ErrorPage(
      "reversed-range", "A range of 'for' ends below its start",
      """
      '5..1' would run nothing. With variables in it a range is empty where its end is below its \
      start, which is how a loop over nothing is written.
      """,
      help: "a range counts upwards: 1..5", wrong: "for n in 3..1 { echo $n }",
      right: "for n in 1..3 { echo (4 - $n) }"),
    ErrorPage(
      "list-too-long", "A list would have more than 1,000,000 elements",
      "'for' and 'repeat' count as far as you like without making a list.",
      wrong: "let all = (1..2000000)\necho $all.count",
      right: "for n in 1..3 { echo $n }", proof: .running),
    ErrorPage(
      "bad-pattern", "The pattern of 'format' cannot be filled",
      """
      {} stands for the next value and {2} for the second one; {:>8.2} is eight columns wide, \
      to the right, with two decimals. Each value needs a place, and each place a value. {{ and \
      }} are braces.
      """,
      wrong: "echo (format(\"{} of {}\", 1))", right: "echo (format(\"{} of {}\", 1, 2))"),
    ErrorPage(
      "no-value", "A value is null where there must be one",
      """
      What has not happened yet, or does not exist, is null. Null has no properties, and cannot be \
      part of a text, a name or the value of an option. 'A ?? B' is B where A is null or absent.
      """,
      help: "test it first: if ($value) { … }, or give it a default: ($value ?? 0)",
      wrong: "let q = delay 1ms\nwait $q\necho $q.error.message",
      right: "let q = delay 1ms\nwait $q\nif ($q.error) { echo $q.error.message }",
      proof: .running),
    ErrorPage(
      "failure", "A command failed without a code of its own",
      "The message is that of the part of the system that failed.", help: "try it once more",
      wrong: "(a failure of the system)", right: "echo hello", proof: .none),
  ]
}
