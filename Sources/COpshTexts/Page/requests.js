// What a request sent and received: each attempt with its exchanges, as in the network panel of a
// browser. Several exchanges of one attempt come from redirects and challenges.

const longestHeader = 2000;

/** The attempts of a request as a list that opens one by one. */
function makeAttempts(attempts) {
  return make("ul", "attempts", null, attempts.map((attempt) => {
    const status = typeof attempt.status === "number" ? String(attempt.status) : "no response";
    const time = typeof attempt.duration === "number" ? duration(attempt.duration) : "unfinished";
    const words = ["attempt " + Number(attempt.number), status, time];
    if (attempt.fault) words.push(visible(attempt.fault, 60));
    const exchanges = Array.isArray(attempt.exchanges) ? attempt.exchanges : [];
    const details = make("details", "", null, [make("summary", "", words.join(" · "))]);
    // Most are never opened.
    details.addEventListener("toggle", () => {
      if (!details.open || details.children.length > 1) return;
      if (attempt.message) details.append(make("p", "attempt-fault", visible(attempt.message, longestHeader)));
      for (const exchange of exchanges) details.append(makeExchange(exchange || {}));
    });
    return make("li", "", null, [details]);
  }));
}

function makeExchange(exchange) {
  const rows = [];
  const add = (mark, text) => rows.push(mark + " " + visible(text, longestHeader));
  const addHeaders = (mark, headers) => {
    for (const header of Array.isArray(headers) ? headers : []) {
      add(mark, String(header?.name) + ": " + String(header?.value));
    }
  };
  if (Array.isArray(exchange.sent)) {
    add(">", exchange.request);
    addHeaders(">", exchange.sent);
  }
  if (typeof exchange.status === "number") {
    add("<", [exchange.version || "HTTP/1.1", exchange.status, exchange.statusText].filter(Boolean).join(" "));
    addHeaders("<", exchange.received);
  }
  const text = make("pre", "exchange", rows.join("\n") || "nothing was sent");
  text.tabIndex = 0;
  text.setAttribute("role", "group");
  text.setAttribute("aria-label", "Request and response");
  const facts = [exchange.peer ? visible(exchange.peer, 200)
    : exchange.underWay ? "under way" : exchange.sent ? "in the process" : "nothing was sent"];
  if (exchange.tls) facts.push(visible(exchange.tls.version, 40));
  const times = exchange.times || {};
  for (const [name, words] of [["waited", "waited"], ["lookup", "lookup"], ["connect", "connect"],
    ["tls", "TLS"], ["sent", "sent"], ["firstByte", "first byte"], ["total", "total"]]) {
    if (typeof times[name] === "number") facts.push(words + " " + duration(times[name]));
  }
  return make("div", "", null, [make("p", "exchange-facts", facts.join(" · ")), text]);
}
