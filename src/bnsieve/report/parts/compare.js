// Two pictures that move together, and boxes to tick that show some kinds of edges only.

function startComparison() {
  const data = JSON.parse(document.getElementById("data").textContent);
  makeTheme(document.getElementById("theme"));
  const pictures = [];
  const status = document.getElementById("shown");

  function look(v) {
    const kept = new Set([v]);
    const edges = new Set();
    data.ends.forEach(([a, b], i) => {
      if (a !== v && b !== v) return;
      edges.add(i);
      kept.add(a).add(b);
    });
    for (const picture of pictures) {
      picture.spotlight(kept, edges);
      picture.choose("node", v);
    }
    const count = (kind) => [...edges].filter((i) => data.kinds[i] === kind).length;
    const parts = ["agreed", "lost", "gained", "turned"].map((kind) => `${count(kind)} ${kind}`);
    status.replaceChildren(nameElement(data.names[v]), `: ${parts.join(", ")}.`);
  }

  function all() {
    for (const picture of pictures) {
      picture.spotlight(null, null);
      picture.choose("none", -1);
    }
    status.textContent = "";
  }

  document.querySelectorAll("svg.picture").forEach((svg, number) => {
    pictures[number] = makePicture(svg, {
      node: look,
      edge: (i) => look(data.ends[i][0]),
      nothing: all,
      moved: (view) => pictures[1 - number] && pictures[1 - number].follow(view),
    });
  });
  const rows = document.querySelectorAll("#edge-table tr[data-edge]");
  for (const box of document.querySelectorAll("[data-kind]")) {
    box.addEventListener("change", () => {
      data.kinds.forEach((kind, i) => {
        if (kind !== box.dataset.kind) return;
        rows[i].hidden = !box.checked;
        for (const { edges } of pictures) if (edges[i]) edges[i].classList.toggle("hidden", !box.checked);
      });
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") all();
  });
}

startComparison();
