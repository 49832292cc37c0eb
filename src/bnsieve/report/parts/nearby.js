// One variable and its neighbours as a list to tap through: what a small screen has of the graph.

function makeNearby(box, data, touching, actions) {
  const { nodes, edges } = data;
  const stage = box.closest(".stage");
  const most = nodes.reduce((best, _, v) => (touching[v].length > touching[best].length ? v : best), 0);
  let at = data.target && data.target.node < nodes.length ? data.target.node : most;

  const name = (v) => nameElement(shortened(nodes[v].name, 60));

  function neighbour(i) {
    const edge = edges[i];
    const other = edge.tail === at ? edge.head : edge.tail;
    const facts = [edge.size && `size ${edge.size}`, data.has_strengths ? `strength ${percent(edge.weight)}` : nats(edge.weight), edge.directed && edge.reliability, edge.weak && "weak"];
    return element(
      "li",
      {},
      element("button", { type: "button", class: "near-node", "data-near": other, onclick: () => show(other, true) }, name(other)),
      element("button", { type: "button", class: "link", onclick: () => actions.edge(i), "aria-label": `Details of the edge with ${shortened(nodes[other].name, 60)}` }, facts.filter(Boolean).join(", ")),
    );
  }

  function group(title, sign, numbers) {
    if (!numbers.length) return "";
    return element("section", {}, element("h3", {}, element("span", { "aria-hidden": "true" }, sign + " "), title), element("ul", { class: "neighbours" }, ...numbers.map(neighbour)));
  }

  function show(v, focus) {
    at = v;
    const here = touching[v];
    const into = here.filter((i) => edges[i].directed && edges[i].head === v);
    const out = here.filter((i) => edges[i].directed && edges[i].tail === v);
    const open = here.filter((i) => !edges[i].directed);
    const centre = element("h3", { class: "near-centre", tabindex: "-1" }, name(v), element("button", { type: "button", class: "link", onclick: () => actions.node(v) }, "details"));
    const order = nodes.map((_, i) => i).sort((a, b) => touching[b].length - touching[a].length || a - b);
    box.replaceChildren(
      group("Directed edges to it", "↓", into),
      centre,
      group("Directed edges from it", "↓", out),
      group("Undirected edges", "–", open),
      here.length ? "" : element("p", { class: "soft" }, "It is isolated."),
      element(
        "details",
        { open: nodes.length <= 12 },
        element("summary", {}, `All ${nodes.length.toLocaleString("en")} variables, those with most edges first`),
        element("ul", { class: "chips" }, ...order.map((i) => element("li", {}, element("button", { type: "button", "data-near": i, "aria-pressed": String(i === v), onclick: () => show(i, true) }, name(i), element("span", { class: "soft" }, ` ${touching[i].length}`))))),
      ),
    );
    if (!focus) return;
    centre.focus({ preventScroll: true });
    if (stage.getBoundingClientRect().top < 0) stage.scrollIntoView();
  }

  // On a phone the letters of the picture would be too small to read.
  function choose(kind) {
    stage.classList.toggle("listed", kind === "list");
    for (const button of stage.querySelectorAll("[data-view]")) button.setAttribute("aria-pressed", String(button.dataset.view === kind));
  }

  for (const button of stage.querySelectorAll("[data-view]")) button.addEventListener("click", () => choose(button.dataset.view));
  choose(window.matchMedia("(max-width: 640px)").matches && nodes.length > 1 ? "list" : "picture");
  show(at, false);
  return { show };
}
