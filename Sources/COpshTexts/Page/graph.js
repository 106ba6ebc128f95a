// The dependency graph, in layers from left to right. Of a large session it shows the neighbourhood
// of the selected operation.

const mostNodes = 150;
const mostNeighbours = 60;

class GraphPanel {
  constructor() {
    this.scroll = part("graph-scroll");
    this.canvas = part("graph-canvas");
    this.edges = part("graph-edges");
    this.note = part("graph-note");
    this.tableBody = part("graph-rows");
    this.nodes = new Map();
    this.paths = [];
    this.isTable = false;
    this.key = "";
    part("graph-table-switch").addEventListener("click", () => this.setTable(!this.isTable));
  }

  clear() {
    this.key = "";
    this.nodes.clear();
    this.canvas.querySelectorAll(".node").forEach((node) => node.remove());
    this.edges.replaceChildren();
  }

  setTable(isTable) {
    this.isTable = isTable;
    part("graph-table-switch").setAttribute("aria-pressed", String(isTable));
    part("graph-picture").hidden = isTable;
    part("graph-table").hidden = !isTable;
    this.key = "";
    app.invalidate();
  }

  measure() {
    this.box = measured(this.scroll);
    return this.box.isShown || this.isTable;
  }

  /** The operations that are drawn. */
  choose() {
    const model = app.model;
    const linked = model.created.filter((operation) =>
      operation.edges.length > 0 || operation.dependents.length > 0 || operation.isGroup ||
      operation.group !== null);
    const selected = app.selected;
    if (linked.length <= mostNodes) {
      const all = selected && !linked.includes(selected) ? [selected, ...linked] : linked;
      return { operations: all, root: null };
    }
    const root = selected || linked[0];
    const found = new Set([root]);
    let edge = [root];
    while (edge.length > 0 && found.size < mostNeighbours) {
      const next = [];
      for (const operation of edge) {
        for (const other of this.neighbours(operation)) {
          if (found.has(other) || found.size >= mostNeighbours) continue;
          found.add(other);
          next.push(other);
        }
      }
      edge = next;
    }
    return { operations: [...found], root };
  }

  noteText() {
    const count = this.drawn.operations.filter(app.isSeen).length;
    const all = app.seenCount;
    if (this.drawn.root) {
      return counted(count, "operation") + " around '" + visible(this.drawn.root.name, 40) + "', of " + grouped(all) +
        (app.selected ? "" : "; select another to see its own");
    }
    return count === 0 ? "No operation depends on another."
      : counted(count, "operation") + (all > count ? "; " + grouped(all - count) + " without dependencies not drawn" : "");
  }

  neighbours(operation) {
    const model = app.model;
    const others = operation.edges.map((edge) => model.operation(edge.id));
    others.push(...operation.dependents.slice(0, 12));
    if (operation.group !== null && model.operations.has(operation.group)) {
      others.push(model.operations.get(operation.group));
    }
    if (operation.isGroup) others.push(...model.membersOf(operation).slice(0, 8));
    return others;
  }

  links(operations) {
    const known = new Set(operations);
    const links = [];
    for (const operation of operations) {
      for (const edge of operation.edges) {
        const other = app.model.operations.get(edge.id);
        if (known.has(other)) links.push({ from: other, to: operation, edge });
      }
      const group = operation.group === null ? null : app.model.operations.get(operation.group);
      if (group && known.has(group)) links.push({ from: operation, to: group, edge: null });
    }
    return links;
  }

  /** The layer of each operation: one more than the greatest of what it depends on. */
  layers(operations, links) {
    const incoming = new Map(operations.map((operation) => [operation, []]));
    for (const link of links) incoming.get(link.to).push(link.from);
    const layer = new Map();
    for (const first of operations) {
      const stack = [first];
      const open = new Set();
      while (stack.length > 0) {
        const operation = stack[stack.length - 1];
        if (layer.has(operation)) {
          stack.pop();
          continue;
        }
        open.add(operation);
        const missing = incoming.get(operation).filter((other) => !layer.has(other) && !open.has(other));
        if (missing.length > 0) {
          stack.push(...missing);
          continue;
        }
        layer.set(operation, Math.max(-1, ...incoming.get(operation).map((other) => layer.get(other) ?? -1)) + 1);
        stack.pop();
      }
    }
    const columns = [];
    for (const operation of operations) {
      const index = layer.get(operation);
      (columns[index] = columns[index] || []).push(operation);
    }
    this.sortColumns(columns, incoming);
    return columns;
  }

  /** Puts operations near the middle of what they depend on, so that fewer edges cross. */
  sortColumns(columns, incoming) {
    const place = new Map();
    columns.forEach((column, index) => {
      if (index > 0) {
        const middle = new Map(column.map((operation) => {
          const places = incoming.get(operation).map((other) => place.get(other) ?? 0);
          return [operation, places.reduce((sum, one) => sum + one, 0) / Math.max(1, places.length)];
        }));
        column.sort((one, other) => middle.get(one) - middle.get(other) || one.id - other.id);
      }
      column.forEach((operation, row) => place.set(operation, (row + 0.5) / column.length));
    });
  }

  draw() {
    const { operations, root } = this.choose();
    const links = this.links(operations);
    this.drawn = { operations, root, links };
    if (this.isTable) return;
    const columns = this.layers(operations, links);
    const size = rem();
    const node = { width: 10.5 * size, height: 2.25 * size, gapX: 3 * size, gapY: 0.75 * size };
    const most = Math.max(1, ...columns.map((column) => column.length));
    const width = Math.max(1, columns.length) * (node.width + node.gapX) - node.gapX + 2 * size;
    const height = most * (node.height + node.gapY) - node.gapY + 2 * size;
    const boxHeight = Math.max(1, height, app.isPrinting ? 0 : this.box.height - 2);
    const places = new Map();
    columns.forEach((column, index) => {
      const top = (boxHeight - column.length * (node.height + node.gapY) + node.gapY) / 2;
      column.forEach((operation, row) => places.set(operation, {
        x: size + index * (node.width + node.gapX), y: top + row * (node.height + node.gapY),
      }));
    });
    this.canvas.style.width = width + "px";
    this.canvas.style.height = boxHeight + "px";
    this.canvas.style.zoom = app.isPrinting ? Math.min(1, this.box.width / width) : "";
    this.drawNodes(operations, places, node);
    this.drawEdges(links, places, node, width, boxHeight);
    this.places = places;
    this.size = node;
    this.revealed = null;
  }

  reveal(place, node) {
    const box = this.scroll;
    box.scrollLeft = place.x - box.clientWidth / 2 + node.width / 2;
    box.scrollTop = place.y - box.clientHeight / 2 + node.height / 2;
  }

  drawNodes(operations, places, size) {
    const wanted = new Set(operations);
    for (const [operation, node] of this.nodes) {
      if (wanted.has(operation)) continue;
      node.remove();
      this.nodes.delete(operation);
    }
    for (const operation of operations) {
      let node = this.nodes.get(operation);
      if (!node) {
        node = makeButton("node", null, null, () => app.select(operation));
        node.sign = makeSign("pending");
        node.nameText = makeName("node-name");
        node.append(node.sign, node.nameText);
        this.canvas.append(node);
        this.nodes.set(operation, node);
      }
      const { x, y } = places.get(operation);
      node.style.transform = "translate(" + x + "px," + y + "px)";
      node.style.width = size.width + "px";
      node.style.height = size.height + "px";
    }
  }

  drawEdges(links, places, node, width, height) {
    this.edges.setAttribute("width", width);
    this.edges.setAttribute("height", height);
    this.paths = links.map((link) => {
      const from = places.get(link.from);
      const to = places.get(link.to);
      const start = [from.x + node.width, from.y + node.height / 2];
      const end = [to.x - 2, to.y + node.height / 2];
      const bend = Math.max(node.gapX / 2, Math.abs(end[0] - start[0]) / 2);
      const path = makeSVG("path", {
        d: "M" + start + " C" + [start[0] + bend, start[1]] + " " + [end[0] - bend, end[1]] + " " + end,
        class: "edge",
      });
      const title = makeSVG("title", {});
      title.textContent = linkWords(link);
      path.append(title);
      return { link, path };
    });
    this.edges.replaceChildren(...this.paths.map((one) => one.path));
  }

  render(position) {
    const model = app.model;
    const key = [
      model.created.length, model.edgeVersion, model.created.length > mostNodes ? app.selected?.id : 0,
      rem(), this.box.height, app.isPrinting,
    ].join("|");
    if (this.key !== key) {
      this.key = key;
      this.draw();
      this.position = null;
    }
    if (this.isTable) return this.renderTable(position);
    if (app.selected !== this.revealed) {
      this.revealed = app.selected;
      if (this.places.has(app.selected)) this.reveal(this.places.get(app.selected), this.size);
    }
    setNote(this.note, this.noteText());
    for (const [operation, node] of this.nodes) {
      setHidden(node, !app.isSeen(operation));
      const look = operation.lookAt(position);
      if (node.look !== look) {
        node.look = look;
        setSign(node.sign, look);
      }
      setClass(node, "node " + look + (app.selected === operation ? " is-selected" : "") +
        (app.matches(operation) ? "" : " is-dim"));
      const name = visible(operation.name);
      setName(node.nameText, name);
      setTitle(node, name + ", " + look);
      setLabel(node, name + ", " + look + ", " + this.linkCount(operation));
    }
    for (const { link, path } of this.paths) {
      path.style.display = app.isSeen(link.from) && app.isSeen(link.to) ? "" : "none";
      const met = link.from.stateAt(position) === "finished";
      const gone = link.edge && (link.edge.to < position || link.edge.from >= position);
      const near = app.selected === link.from || app.selected === link.to;
      setClass(path, "edge" + (link.edge === null ? " is-member" : link.edge.policy === "run" ? "" : " is-strict") +
        (met ? " is-met" : "") + (gone ? " is-gone" : "") + (near ? " is-near" : ""));
    }
  }

  linkCount(operation) {
    return "depends on " + operation.edges.length + ", needed by " + operation.dependents.length;
  }

  renderTable(position) {
    const stamp = [this.key, position, app.selected?.id].join("|");
    if (this.tableStamp === stamp) return;
    this.tableStamp = stamp;
    const links = this.drawn.links.filter((link) => app.isSeen(link.from) && app.isSeen(link.to));
    this.tableBody.replaceChildren(...links.map((link) => {
      const names = [link.from, link.to].map((operation) =>
        make("td", "short", null, [app.inspector.linkTo(operation)]));
      return make("tr", "", null, [
        names[1], make("td", "number", link.edge ? "depends on" : "has the member"), names[0],
        make("td", "number", link.edge ? (link.from.stateAt(position) === "finished" ? "met" : "not met") : ""),
        make("td", "", link.edge ? visible(link.edge.policy, 20) : ""),
      ]);
    }));
  }
}

function linkWords(link) {
  const [from, to] = [visible(link.from.name, 60), visible(link.to.name, 60)];
  if (!link.edge) return from + " is a member of " + to;
  const policy = { skip: "; if that fails, it is skipped", fail: "; if that fails, it fails" }[link.edge.policy];
  return to + " depends on " + from + (policy || "");
}
