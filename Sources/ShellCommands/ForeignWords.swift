/// The words of other shells, languages and tools, and what they may stand for here.
///
/// Commands are also found by their search terms, and the language's words by theirs
/// (`Keyword.searchTerms`); this table has what is neither: words for options and states, and
/// words that only other languages need.
enum ForeignWords {
  /// The words of commands, and the programs, that end or start something: a mistyped line is not
  /// corrected to one of them because it looks alike.
  static let deliberate: Set<String> = [
    "cancel", "remove", "clear", "quit", "exit", "fail", "start", "step", "drop", "terminate",
    "reset", "delete", "unalias", "finish", "close",
    "shutdown", "halt", "poweroff", "reboot", "rm", "dd", "mkfs", "kill", "killall", "pkill",
  ]

  /// The names of commands, options, states and levels that a word may stand for, each tried in the
  /// place where it fits; an empty one says that the word may be left out.
  static let meanings: [String: [String]] = [
    // Commands.
    "rm": ["cancel"], "kill": ["cancel"], "del": ["cancel"], "delete": ["cancel"],
    "remove": ["cancel"], "stop": ["cancel"], "abort": ["cancel"],
    "fg": ["follow"], "bg": ["start"], "tail": ["follow"], "attach": ["follow"],
    "describe": ["show"], "inspect": ["show"], "details": ["show"], "get": ["show"],
    "p": ["echo"], "printf": ["echo"], "puts": ["echo"], "console": ["echo"],
    "renice": ["priority"], "setpriority": ["priority"], "update": [""],
    "dependencies": ["deps"], "depends": ["deps"], "depend": ["deps"],
    "adddependency": ["deps on"], "removedependency": ["deps off"],
    "explain": ["why"], "reason": ["why"], "explainwhy": ["why"],
    "q": ["quit"], ":q": ["quit"], ":wq": ["quit"], ":q!": ["quit"], "logout": ["quit"],
    "h": ["help"], "?": ["help"], "curl": ["get"], "wget": ["download", "get"], "/help": ["help"],
    "list": ["ops", ""], "ll": ["ops"], "ps": ["ops"],
    "status": ["ops", "show"], "tables": ["ops"], "history": [""],
    "checkout": ["queue use"], "cd": ["queue use"], "setwidth": ["queue width"],
    "maxconcurrentoperationcount": ["queue width"], "create": ["queue new"],
    "waituntilfinished": ["wait"], "onfinish": ["on"], ".": ["source"],
    "drop": ["queue remove", "cancel"], "again": ["retry"], "redo": ["retry"],

    // Options.
    "depends-on": ["after"], "depends_on": ["after"], "dep": ["after"], "deps-on": ["after"],
    "wait-for": ["after"], "tries": ["retry"], "attempts": ["retry"], "parallel": ["queue width"],
    "level": ["priority"], "prio": ["priority"], "paused": ["hold"], "suspended": ["hold"],
    "pages": ["count"], "lines": ["last"], "n": ["last", "count"], "filter": ["where"],

    // States, outcomes, levels and relations.
    "running": ["executing"], "active": ["executing"], "run": ["executing"],
    "waiting": ["pending"], "queued": ["pending"], "done": ["finished", "succeeded"],
    "ended": ["finished"], "completed": ["finished"], "ok": ["succeeded"],
    "success": ["succeeded"], "failure": ["failed"], "error": ["failed"], "errors": ["failed"],
    "canceled": ["cancelled"], "everything": ["all"], "*": ["all", ""], "any": ["all"],
    "add": ["on"], "->": ["on"], "after": ["on"], "of": ["on", ""], "onto": ["on"],
    "urgent": ["veryHigh"], "max": ["veryHigh"], "min": ["veryLow"],

    // Words that only a sentence needs.
    "op": [""], "ops": [""], "operation": [""], "operations": [""], "job": [""],
    "jobs": ["ops", ""], "top": ["watch"], "htop": ["watch"], "queues": ["queue"],
    "task": [""], "tasks": [""], "the": [""], "for": [""], "until": [""], "to": [""], "from": [""],
    "with": [""], "is": [""], "=": [""], "set": [""], "select": ["ops", ""], "print": ["echo", ""],
    "show": ["", "ops"], "display": ["show", ""], "info": ["show", ""], "please": [""],
    "finished": [""], "alter": [""], "table": [""], "at": [""], "all": [""],
    "queue": [""],

    // Options of other tools that change nothing here.
    "-a": [""], "-f": [""], "-l": [""], "-r": [""], "-y": [""], "-9": [""], "-15": [""],
    "--force": [""], "--all": ["", "all"], "--list": [""], "--yes": [""], "--recursive": [""],
    "--long": [""],
  ]
}
