// One picture; a chosen variable says below it what changed.

function startCheck() {
  const data = JSON.parse(document.getElementById("data").textContent);
  makeTheme(document.getElementById("theme"));
  const svg = document.querySelector("svg.picture");
  if (!svg) return;
  const status = document.getElementById("shown");

  function look(v) {
    const kept = new Set([v]);
    const edges = new Set();
    data.ends.forEach(([a, b], i) => {
      if (a !== v && b !== v) return;
      edges.add(i);
      kept.add(a).add(b);
    });
    picture.spotlight(kept, edges);
    picture.choose("node", v);
    status.replaceChildren(nameElement(data.names[v]), `: ${data.told[v]}`);
  }

  function all() {
    picture.spotlight(null, null);
    picture.choose("none", -1);
    status.textContent = "";
  }

  const picture = makePicture(svg, {
    node: look,
    edge: (i) => look(data.ends[i][1]),
    nothing: all,
    moved: () => {},
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") all();
  });
}

startCheck();
