// Events in a sentence.

/** What happened, without the name of the operation. */
function eventText(event) {
  const line = event.line;
  if (line.type === "change") return changeText(event);
  const reason = visible(line.reason, 300);
  switch (line.event === undefined ? "transition" : line.event) {
    case "transition":
      return line.from + " → " + line.to + (line.outcome ? " (" + line.outcome + ")" : "") +
        (reason ? ": " + reason : "");
    case "cancelling":
      return "asked to cancel" + (reason ? ": " + reason : "");
    case "attempt":
      return reason || "another attempt";
    case "pause":
      return reason || "pauses";
    case "awaitsFinish":
      return reason || "its work is done, and it awaits 'finish'";
    case "phase":
      return "comes to " + reason;
    default:
      return visible(line.event, 40) + (reason ? ": " + reason : "");
  }
}

function changeText({ line, queue, operation }) {
  const value = (one) => visible(typeof one === "string" ? one : JSON.stringify(one), 200);
  switch (line.keyPath) {
    case "maxConcurrentOperationCount":
      return line.old === null
        ? "created, " + widthText(line.new) : widthText(line.old) + " → " + widthText(line.new);
    case "isSuspended":
      return line.new ? "paused" : "resumed";
    case "pace":
      return line.new > 0 ? "pace: a start each " + duration(line.new) : "no pace any more";
    case "step":
      return "one step: the next operation may start";
    case "group":
      return "holds the members of a group";
    case "queuePriority":
      return "priority " + value(line.old) + " → " + value(line.new);
    case "poolHolders":
      return line.new.length > 0
        ? "all threads of Foundation's pool are held" : "Foundation's pool has a free thread";
    case "qualityOfService":
      return "qos " + value(line.old) + " → " + value(line.new);
    case "dependencies": {
      const edge = line.new || line.old;
      const other = edge ? app.model.operations.get(edge.id) : null;
      const name = "'" + (other ? visible(other.name, 60) : edge ? edge.id : "") + "'";
      if (!line.new) return "no longer depends on " + name;
      return "depends on " + name + (line.new.policy && line.new.policy !== "run"
        ? " (if that fails: " + visible(line.new.policy, 20) + ")" : "");
    }
    case "barrier":
      return "is a barrier";
    case "exclusiveNames":
      return "needs for itself: " + (Array.isArray(line.new)
        ? line.new.map((one) => visible(one, 60)).join(", ") : value(line.new));
    case "startDelay":
      return "delay of " + duration(line.new);
    case "delayEnded":
      return "its delay is over";
    case "awaitsForeground":
      return line.new ? "waits until the app is in the foreground" : "the app is in the foreground";
    case "pause":
      return "a pause of " + duration(line.new) + " begins";
    case "hostPause":
      return line.new ? "'" + visible(line.new.host, 60) + "' asked to wait " +
        duration(line.new.seconds) : "no longer asked to wait";
    default:
      return visible(line.keyPath, 60) + ": " + value(line.old) + " → " + value(line.new);
  }
}

function widthText(width) {
  return width < 0 ? "unlimited width" : "width " + width;
}

/** The name of what an event is about. */
function eventSubject(event) {
  if (event.operation) return visible(event.operation.name);
  return event.queue ? "queue " + visible(event.queue.name) : "";
}
