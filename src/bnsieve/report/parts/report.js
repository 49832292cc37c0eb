// Connects the picture, the panels and the answers.

function decoded(text) {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

// The most reliable edges come first: the slider says how many of the last to hide.
function makeSlider(input, status, data, picture) {
  const all = data.edges.length;
  const rows = document.querySelectorAll("#edge-table tr[data-edge]");
  const figure = (edge) =>
    data.has_strengths ? `a strength of ${percent(edge.weight)}` : `a score gain of ${nats(edge.weight)}`;

  function show() {
    const nShown = all - +input.value;
    data.edges.forEach((_, i) => {
      if (picture.edges[i]) picture.edges[i].classList.toggle("hidden", i >= nShown);
      rows[i].classList.toggle("hidden", i >= nShown);
    });
    const text =
      nShown === all
        ? `All ${all.toLocaleString("en")} edges are shown.`
        : `The ${nShown.toLocaleString("en")} most reliable of ${all.toLocaleString("en")} edges: the last of them has ${figure(data.edges[nShown - 1])}.`;
    input.setAttribute("aria-valuetext", text);
    status.textContent = text;
  }

  input.max = all - 1;
  input.value = 0;
  input.addEventListener("input", show);
  show();
}

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  for (const node of [...data.nodes, ...(data.answers.nodes || [])]) node.values = node.table === null ? null : decoded(node.table);
  const svg = document.querySelector("svg.picture");
  const status = document.getElementById("shown");
  makeTheme(document.getElementById("theme"));
  let chosen = null;

  function openNode(v) {
    chosen = v;
    panels.showNode(v);
    mark(new Set([v, ...panels.touching[v].flatMap((i) => [data.edges[i].tail, data.edges[i].head])]), new Set(panels.touching[v]), "node", v);
  }

  function openEdge(i) {
    chosen = null;
    panels.showEdge(i);
    mark(new Set([data.edges[i].tail, data.edges[i].head]), new Set([i]), "edge", i);
  }

  function openPair(a, b) {
    chosen = null;
    panels.showPair(a, b);
    if (document.querySelector(".edge.chosen")) return;
    mark(new Set([a, b]), new Set(), "node", a);
  }

  function mark(nodes, edges, kind, number) {
    if (!picture) return;
    picture.spotlight(nodes, edges);
    picture.choose(kind, number);
  }

  function closed() {
    chosen = null;
    mark(null, null, "none", -1);
  }

  const panels = makePanels(data, document.getElementById("details"), document.getElementById("summary"), {
    node: openNode,
    edge: openEdge,
    pair: openPair,
    closed,
    bars: (v) => ask && ask.bars(v),
  });
  const picture = svg && makePicture(svg, { node: openNode, edge: openEdge, nothing: () => panels.close() });
  const ask = makeAsk(data, {
    node: (v) => {
      openNode(v);
      document.getElementById("graph").scrollIntoView();
    },
    changed(observed, set, moved) {
      if (picture) {
        picture.nodes.forEach(({ group }, v) => {
          const far = observed.has(v) || set.has(v) ? 0 : moved(v);
          group.classList.toggle("given", observed.has(v));
          group.classList.toggle("done", set.has(v));
          group.classList.toggle("moved-1", far >= 0.02 && far < 0.1);
          group.classList.toggle("moved-2", far >= 0.1 && far < 0.3);
          group.classList.toggle("moved-3", far >= 0.3);
        });
      }
      if (chosen !== null) panels.refresh(chosen);
      target.refresh();
    },
  });
  const target = makeTarget(data, ask);
  const nearby = svg && makeNearby(document.getElementById("near"), data, panels.touching, { node: openNode, edge: openEdge });
  if (ask) ask.update();

  if (picture) {
    makeSearch(document.getElementById("find"), document.getElementById("found"), data.nodes.map((node) => node.name), {
      found: (found) => picture.nodes.forEach(({ group }, v) => group.classList.toggle("match", found.includes(v))),
      take(v) {
        picture.nodes.forEach(({ group }) => group.classList.remove("match"));
        // A list of neighbours says enough at first: its details are a tap away.
        nearby.show(v, false);
        if (svg.checkVisibility()) openNode(v);
        picture.centre(v);
      },
    });
    picture.edges.forEach((group, i) => {
      const { size, weight, reliability, directed } = data.edges[i];
      const facts = [size && `size ${size}`, data.has_strengths ? `strength ${percent(weight)}` : nats(weight), directed ? reliability : "undirected"];
      const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
      title.textContent = facts.filter(Boolean).join(", ");
      group.prepend(title);
    });
    const slider = document.getElementById("weak");
    if (slider) makeSlider(slider, status, data, picture);
  }
  const ends = (i) => {
    const { tail, head, directed } = data.edges[i];
    return [data.nodes[tail].name, data.nodes[head].name, directed ? "directed" : "undirected"];
  };
  for (const box of document.querySelectorAll("[data-table]")) makeTableTools(box, box.dataset.table, ends);
  for (const button of document.querySelectorAll("[data-copy]")) makeCopy(button, document.getElementById("copied"));
  if (svg) makePictureDownloads(svg, document.querySelector(".legend"), document.querySelectorAll("[data-picture]"));
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-open-edge]");
    if (!button) return;
    openEdge(+button.dataset.openEdge);
    document.getElementById("graph").scrollIntoView();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target.id !== "find") panels.close();
  });
}

start();
