// The panel beside the picture: a node, an edge, or two nodes that are not adjacent.

const FAST_LINES = 3000;

function makePanels(data, details, summary, actions) {
  const { nodes, edges } = data;
  const children = nodes.map(() => []);
  const touching = nodes.map(() => []);
  nodes.forEach((node, v) => node.parents.forEach((parent) => children[parent].push(v)));
  edges.forEach((edge, i) => {
    touching[edge.tail].push(i);
    touching[edge.head].push(i);
  });
  let opener = null;

  function open(title, ...content) {
    if (details.hidden) opener = document.activeElement;
    details.replaceChildren(
      element("button", { type: "button", class: "close", "aria-label": "Close, back to the summary", onclick: close }, "✕"),
      element("h2", {}, ...title),
      ...content,
    );
    details.hidden = false;
    summary.hidden = true;
    details.scrollTop = 0;
    details.parentElement.scrollTop = 0;
    details.focus({ preventScroll: true });
    const rect = details.getBoundingClientRect();
    // On a phone the panel is below the picture.
    if (rect.top > window.innerHeight * 0.8) details.scrollIntoView({ block: "nearest" });
  }

  function close() {
    if (details.hidden) return;
    details.hidden = true;
    summary.hidden = false;
    actions.closed();
    if (opener && opener.isConnected) opener.focus({ preventScroll: true });
  }

  const nodeLink = (v) =>
    element("button", { type: "button", class: "link", onclick: () => actions.node(v) }, nameElement(shortened(nodes[v].name, 60)));

  function links(numbers, none) {
    return numbers.length ? numbers.flatMap((v, i) => (i ? [", ", nodeLink(v)] : [nodeLink(v)])) : [none];
  }

  function edgeLink(i, from) {
    const edge = edges[i];
    const other = edge.tail === from ? edge.head : edge.tail;
    const sign = !edge.directed ? "–" : edge.tail === from ? "→" : "←";
    const spoken = !edge.directed ? "undirected edge with " : edge.tail === from ? "points to " : "comes from ";
    const figure = (edge.size && edge.size + ", ") + (data.has_strengths ? "strength " + percent(edge.weight) : nats(edge.weight));
    return [
      element(
        "button",
        { type: "button", class: "link", onclick: () => actions.edge(i) },
        element("span", { "aria-hidden": "true" }, sign + " "),
        element("span", { class: "unseen" }, spoken),
        nameElement(shortened(nodes[other].name, 60)),
      ),
      element("span", { class: "soft" }, ` ${figure}${edge.weak ? ", weak" : ""}`),
    ];
  }

  function blanket(v) {
    const others = new Set([...nodes[v].parents, ...children[v]]);
    for (const child of children[v]) nodes[child].parents.forEach((one) => others.add(one));
    others.delete(v);
    return [...others].sort((a, b) => a - b);
  }

  function tableOf(v) {
    const node = nodes[v];
    if (!node.values) {
      return element("p", { class: "soft" }, `The table of ${node.n_labels.toLocaleString("en")} states is too large for this page: ${data.tables} has it.`);
    }
    const sizes = node.parents.map((parent) => nodes[parent].labels.length);
    const nLines = sizes.reduce((product, n) => product * n, 1);
    const width = node.labels.length;
    const head = [
      ...node.parents.map((parent) => element("th", { scope: "col", "data-values": JSON.stringify([nodes[parent].name]) }, nameElement(shortened(nodes[parent].name, 24)))),
      ...node.labels.map((label) => element("th", { scope: "col", class: "number", "data-values": JSON.stringify([label]) }, nameElement(shortened(label, 18)))),
    ];
    if (node.rows) head.push(element("th", { scope: "col", class: "number" }, "rows"));
    const lineOf = (line) => {
      const cells = [];
      let rest = line;
      for (let i = sizes.length - 1; i >= 0; i--) {
        const label = nodes[node.parents[i]].labels[rest % sizes[i]];
        cells.unshift(element("td", { "data-values": JSON.stringify([label]) }, nameElement(shortened(label, 18))));
        rest = Math.floor(rest / sizes[i]);
      }
      for (let k = 0; k < width; k++) {
        const value = node.values[line * width + k];
        cells.push(element("td", { class: "number", "data-value": value.toPrecision(6) }, percent(value)));
      }
      if (node.rows) cells.push(element("td", { class: "number soft", "data-value": node.rows[line] }, node.rows[line].toLocaleString("en")));
      return element("tr", {}, ...cells);
    };
    const body = element("tbody", {});
    const table = element(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Probability table" },
      element("table", {}, element("thead", {}, element("tr", {}, ...head)), body),
    );
    const made = element("div", {}, table);
    const fill = (n) => {
      body.replaceChildren(...Array.from({ length: n }, (_, line) => lineOf(line)));
      for (const tools of made.querySelectorAll(".table-tools")) tools.remove();
      makeTableTools(table, "probabilities");
    };
    if (nLines > FAST_LINES) {
      // A browser takes a while to lay out so many rows: only if asked.
      const button = element("button", { type: "button", onclick: () => (fill(nLines), button.remove()) }, `Show all ${nLines.toLocaleString("en")} rows of the table`);
      made.append(button);
      fill(0);
      made.querySelector(".table-tools").remove();
    } else fill(nLines);
    return made;
  }

  function showNode(v) {
    const node = nodes[v];
    const others = element(
      "select",
      { "aria-label": "Another variable", onchange: (event) => event.target.value && actions.pair(v, +event.target.value) },
      element("option", { value: "" }, "choose a variable"),
      ...nodes.map((other, i) => (i === v ? "" : element("option", { value: i }, shortened(other.name, 50)))),
    );
    const parents = node.parents.length ? ["Given ", ...links(node.parents, ""), ":"] : ["It has no parents:"];
    open(
      [nameElement(node.name)],
      element("p", { class: "soft" }, `${node.n_labels.toLocaleString("en")} state${node.n_labels === 1 ? "" : "s"}` + (node.missing ? `, ${node.missing.toLocaleString("en")} missing values` : "")),
      element("div", { class: "live" }, actions.bars(v) || ""),
      element("h3", {}, "Edges"),
      touching[v].length ? list(touching[v].map((i) => edgeLink(i, v))) : element("p", {}, "None: it is isolated."),
      element("h3", {}, "Markov blanket"),
      element("p", {}, ...links(blanket(v), "Empty.")),
      element("p", { class: "soft" }, "Given these, it is independent of all other variables."),
      element("h3", {}, "Probability table"),
      element("p", {}, ...parents),
      tableOf(v),
      element("h3", {}, "Why is it not adjacent to another variable?"),
      others,
    );
  }

  // The probabilities have changed while the panel is open.
  function refresh(v) {
    const live = details.querySelector(".live");
    if (live) live.replaceChildren(actions.bars(v));
  }

  function showEdge(i) {
    const edge = edges[i];
    const lines = edge.lines.map((line) => sentence(line));
    // The table of edges has the words for it already.
    const meaning = edge.size && document.querySelector(`#edge-table tr[data-edge="${i}"] .wide`);
    if (meaning) lines.push([`Size ${edge.size}: `, ...meaning.cloneNode(true).childNodes, "."]);
    const content = [list(lines)];
    if (edge.rules.length) {
      content.push(
        element("h3", {}, "Rules of the machines"),
        list(edge.rules.map((rule) => sentence(rule))),
        edge.n_rules > edge.rules.length ? element("p", { class: "soft" }, `The first ${edge.rules.length} of ${edge.n_rules}: ${data.explain} shows all.`) : "",
      );
    }
    if (edge.tests.length) {
      const rows = edge.tests.map(([given, answer, p, n]) =>
        element("tr", {}, element("td", {}, ...sentence(given)), element("td", {}, answer), element("td", { class: "number" }, p), element("td", { class: "number" }, n)),
      );
      const head = ["given", "they are", "p", "rows"].map((text, k) => element("th", { scope: "col", class: k > 1 ? "number" : "" }, text));
      content.push(
        element("h3", {}, "Independence tests"),
        element(
          "div",
          { class: "scroll", tabindex: "0", role: "region", "aria-label": "Independence tests" },
          element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)),
        ),
        element("p", { class: "soft" }, separatingWords(edge)),
      );
    }
    if (!edge.explained) {
      content.push(element("p", { class: "note" }, `This page has not all the support of this edge: ${data.explain} shows it.`));
    }
    const sign = edge.directed ? " → " : " – ";
    const end = (v) => nodeLink(v);
    open([end(edge.tail), sign, end(edge.head)], ...content);
  }

  function separatingWords(edge) {
    const separating = edge.tests.filter((test) => test[1] === "independent");
    if (!separating.length) return "None of these sets separates them.";
    return "Given some of these sets, a test finds them independent; the score, which compares whole networks, keeps the edge.";
  }

  // In a DAG, a variable is independent of its non-descendants given its parents.
  function showPair(a, b) {
    const adjacent = edges.findIndex((edge) => (edge.tail === a && edge.head === b) || (edge.tail === b && edge.head === a));
    if (adjacent >= 0) return actions.edge(adjacent);
    const tested = data.separated.find(([x, y]) => (x === a && y === b) || (x === b && y === a));
    const later = precedes(a, b) ? b : a;
    const given = tested ? tested[2] : nodes[later].parents;
    const what = tested ? "A test found them independent" : "In the network they are independent";
    return open(
      [nodeLink(a), " and ", nodeLink(b)],
      element("p", {}, "They are not adjacent."),
      element("p", {}, `${what} given `, ...links(given, "nothing"), "."),
      element("p", { class: "soft" }, `${data.explain} shows the tests behind it.`),
    );
  }

  // Whether `a` comes before `b`: b is not an ancestor of a.
  function precedes(a, b) {
    const seen = new Set([a]);
    const waiting = [a];
    while (waiting.length) {
      for (const parent of nodes[waiting.pop()].parents) {
        if (parent === b) return false;
        if (!seen.has(parent)) {
          seen.add(parent);
          waiting.push(parent);
        }
      }
    }
    return true;
  }

  return { showNode, showEdge, showPair, refresh, close, touching };
}
