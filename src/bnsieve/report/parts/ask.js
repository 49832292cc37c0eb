// Choose evidence, see the marginal probabilities change.

const SHOWN_CARDS = window.innerWidth < 640 ? 8 : 24;
const SHOWN_LABELS = 8;

function makeAsk(data, actions) {
  if (!data.answers.cliques) return null;
  const { nodes } = data;
  const network = makeNetwork(nodes, data.answers.cliques);
  const before = network.margins(new Map());
  const given = new Map();
  const whole = new Set(); // variables of many states, all of which are shown
  let now = before;
  let wanted = null;
  let nCards = SHOWN_CARDS;
  const box = document.getElementById("answers");
  const status = document.getElementById("given");
  const more = document.getElementById("more");
  const forget = document.getElementById("forget");

  // How far a variable's probabilities have changed: half the sum of the differences.
  const moved = (v) => now[v].reduce((sum, value, k) => sum + Math.abs(value - before[v][k]), 0) / 2;

  const distanceWords = (far) => (far < 0.0005 ? "unchanged" : `changes by ${percent(far)}`);

  function give(v, k) {
    const had = given.get(v);
    if (k === null || had === k) given.delete(v);
    else given.set(v, k);
    const found = network.margins(given);
    if (!found) {
      if (had === undefined) given.delete(v);
      else given.set(v, had);
      status.textContent = "This is impossible given the rest of the evidence: it was not added.";
      return;
    }
    now = found;
    update();
  }

  function clear() {
    given.clear();
    now = before;
    update();
  }

  function update() {
    const focused = document.activeElement && document.activeElement.dataset.bar;
    const panel = document.activeElement && document.activeElement.closest("#details");
    tell();
    cards();
    actions.changed(given, moved);
    if (focused) {
      const place = panel ? "#details" : "#ask";
      const again = document.querySelector(`${place} [data-bar="${focused}"]`);
      if (again) again.focus({ preventScroll: true });
    }
  }

  function tell() {
    forget.hidden = given.size === 0;
    if (!given.size) {
      status.textContent = "No evidence.";
      return;
    }
    const parts = ["Given "];
    [...given].forEach(([v, k], i) => {
      parts.push(i ? ", " : "", nameElement(shortened(nodes[v].name, 40)), " = ", nameElement(shortened(nodes[v].labels[k], 40)));
    });
    const others = nodes.map((_, v) => v).filter((v) => !given.has(v));
    const far = others.filter((v) => moved(v) >= 0.01).length;
    status.replaceChildren(...parts, `. ${far} of ${others.length} other variables change by a percentage point or more.`);
  }

  function bars(v) {
    const node = nodes[v];
    let order = node.labels.map((_, k) => k);
    const many = order.length > SHOWN_LABELS + 4;
    if (many && !whole.has(v)) {
      const likely = (k) => (given.get(v) === k ? 2 : now[v][k]);
      const kept = new Set([...order].sort((a, b) => likely(b) - likely(a)).slice(0, SHOWN_LABELS));
      order = order.filter((k) => kept.has(k));
    }
    const items = order.map((k) => {
      const fill = element("span", { class: "fill" });
      fill.style.width = `${100 * now[v][k]}%`;
      const was = element("span", { class: "was", hidden: given.size === 0 });
      was.style.left = `calc(${100 * before[v][k]}% - 1px)`;
      return element(
        "li",
        {},
        element(
          "button",
          { type: "button", "aria-pressed": String(given.get(v) === k), "data-bar": `${v}-${k}`, onclick: () => give(v, k) },
          fill,
          was,
          element("span", { class: "text", title: node.labels[k] }, nameElement(shortened(node.labels[k], 60))),
          element("span", { class: "percent" }, percent(now[v][k])),
        ),
      );
    });
    const made = element("div", {}, element("ul", { class: "bars" }, ...items));
    if (many) {
      const toggle = () => {
        if (!whole.delete(v)) whole.add(v);
        update();
      };
      const text = whole.has(v) ? `The ${SHOWN_LABELS} most likely states only` : `All ${node.labels.length.toLocaleString("en")} states`;
      made.append(element("button", { type: "button", class: "link", "data-bar": `${v}-all`, onclick: toggle }, text));
    }
    return made;
  }

  function cards() {
    let order = nodes.map((_, v) => v);
    if (wanted) order = order.filter((v) => wanted.has(v) || given.has(v));
    const distance = new Map(order.map((v) => [v, given.has(v) ? 2 : Math.round(moved(v) * 1e6) / 1e6]));
    order.sort((a, b) => distance.get(b) - distance.get(a) || a - b);
    more.hidden = order.length <= nCards;
    more.textContent = `Show more variables (${(order.length - nCards).toLocaleString("en")} not shown)`;
    box.replaceChildren(
      ...order.slice(0, nCards).map((v) => {
        const note = given.has(v) ? "given" : given.size ? distanceWords(moved(v)) : "";
        return element(
          "div",
          { class: given.has(v) ? "card given" : "card" },
          element(
            "h3",
            {},
            element("button", { type: "button", class: "link", onclick: () => actions.node(v) }, nameElement(shortened(nodes[v].name, 40))),
            element("span", { class: "soft" }, note),
          ),
          bars(v),
        );
      }),
    );
  }

  document.getElementById("ask-find").addEventListener("input", (event) => {
    const names = nodes.map((node) => node.name);
    wanted = event.target.value.trim() ? new Set(matchesOf(names, event.target.value)) : null;
    cards();
  });
  more.addEventListener("click", () => {
    nCards += SHOWN_CARDS;
    cards();
  });
  forget.addEventListener("click", clear);
  update();
  return { bars, give, clear };
}
