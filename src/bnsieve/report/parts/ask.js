// Observe a variable or set it, and see the marginal probabilities change.
//
// The network of the answers may have more variables than the page shows: those shown come first.

const SHOWN_CARDS = window.innerWidth < 640 ? 8 : 24;
const SHOWN_LABELS = 8;

function makeAsk(data, actions) {
  if (!data.answers.cliques) return null;
  const nodes = data.answers.nodes || data.nodes;
  const network = makeNetwork(nodes, data.answers.cliques);
  const before = network.margins(new Map());
  const observed = new Map();
  const set = new Map();
  const whole = new Set(); // variables of many states, all of which are shown
  let now = before;
  let wanted = null;
  let mode = "observe";
  let nCards = SHOWN_CARDS;
  const box = document.getElementById("answers");
  const status = document.getElementById("given");
  const caution = document.getElementById("caution");
  const more = document.getElementById("more");
  const forget = document.getElementById("forget");

  const chosen = (v) => (set.has(v) ? set.get(v) : observed.get(v));
  const anything = () => observed.size + set.size > 0;

  // How far a variable's probabilities have changed: half the sum of the differences.
  const moved = (v) => now[v].reduce((sum, value, k) => sum + Math.abs(value - before[v][k]), 0) / 2;

  const distanceWords = (far) => (far < 0.0005 ? "unchanged" : `changes by ${percent(far)}`);

  // Observe or set a variable; null takes that back.
  function give(v, k, how) {
    const had = [new Map(observed), new Map(set)];
    observed.delete(v);
    set.delete(v);
    if (k !== null) (how === "set" ? set : observed).set(v, k);
    const found = network.margins(observed, set);
    if (!found) {
      [observed, set].forEach((map, i) => {
        map.clear();
        had[i].forEach((value, key) => map.set(key, value));
      });
      status.textContent = "This is impossible given the rest: it was not added.";
      return false;
    }
    now = found;
    update();
    return true;
  }

  function press(v, k) {
    const same = chosen(v) === k && set.has(v) === (mode === "set");
    give(v, same ? null : k, mode);
  }

  function clear() {
    observed.clear();
    set.clear();
    now = before;
    update();
  }

  function update() {
    const focused = document.activeElement && document.activeElement.dataset.bar;
    const panel = document.activeElement && document.activeElement.closest("#details");
    tell();
    cards();
    actions.changed(observed, set, moved);
    if (focused) {
      const place = panel ? "#details" : "#ask";
      const again = document.querySelector(`${place} [data-bar="${focused}"]`);
      if (again) again.focus({ preventScroll: true });
    }
  }

  function pairs(map) {
    return [...map].flatMap(([v, k], i) => [i ? ", " : "", nameElement(shortened(nodes[v].name, 40)), " = ", nameElement(shortened(nodes[v].labels[k], 40))]);
  }

  function tell() {
    forget.hidden = !anything();
    caution.replaceChildren(...cautionWords());
    caution.hidden = !caution.childNodes.length;
    if (!anything()) {
      status.textContent = "Nothing is observed or set.";
      return;
    }
    const parts = [];
    if (observed.size) parts.push(element("span", { class: "tag given" }, "observed"), " ", ...pairs(observed), ". ");
    if (set.size) parts.push(element("span", { class: "tag done" }, "set"), " ", ...pairs(set), ". ");
    const others = data.nodes.map((_, v) => v).filter((v) => chosen(v) === undefined);
    const far = others.filter((v) => moved(v) >= 0.01).length;
    status.replaceChildren(...parts, `${far} of ${others.length} other variables change by a percentage point or more.`);
  }

  // The directions that the effect of setting a variable rests on, where they are not confirmed.
  function cautionWords() {
    const open = data.open.filter(([tail, head]) => set.has(tail) || set.has(head));
    if (!open.length) return [];
    const words = open.flatMap(([tail, head, word], i) => [i ? ", " : "", nameElement(shortened(nodes[tail].name, 40)), " → ", nameElement(shortened(nodes[head].name, 40)), ` (${word})`]);
    return ["The data do not confirm these directions, on which the answer rests: ", ...words, "."];
  }

  function bars(v) {
    const node = nodes[v];
    let order = node.labels.map((_, k) => k);
    const many = order.length > SHOWN_LABELS + 4;
    if (many && !whole.has(v)) {
      const likely = (k) => (chosen(v) === k ? 2 : now[v][k]);
      const kept = new Set([...order].sort((a, b) => likely(b) - likely(a)).slice(0, SHOWN_LABELS));
      order = order.filter((k) => kept.has(k));
    }
    const items = order.map((k) => {
      const fill = element("span", { class: "fill" });
      fill.style.width = `${100 * now[v][k]}%`;
      const was = element("span", { class: "was", hidden: !anything() });
      was.style.left = `calc(${100 * before[v][k]}% - 1px)`;
      return element(
        "li",
        {},
        element(
          "button",
          { type: "button", class: set.has(v) ? "done" : "", "aria-pressed": String(chosen(v) === k), "data-bar": `${v}-${k}`, onclick: () => press(v, k) },
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
    let order = nodes.map((_, v) => v).filter((v) => v < data.nodes.length || chosen(v) !== undefined);
    if (wanted) order = order.filter((v) => wanted.has(v) || chosen(v) !== undefined);
    const distance = new Map(order.map((v) => [v, chosen(v) !== undefined ? 2 : Math.round(moved(v) * 1e6) / 1e6]));
    order.sort((a, b) => distance.get(b) - distance.get(a) || a - b);
    more.hidden = order.length <= nCards;
    more.textContent = `Show more variables (${(order.length - nCards).toLocaleString("en")} not shown)`;
    box.replaceChildren(
      ...order.slice(0, nCards).map((v) => {
        const kind = set.has(v) ? "done" : observed.has(v) ? "given" : "";
        const note = kind ? { done: "set", given: "observed" }[kind] : anything() ? distanceWords(moved(v)) : "";
        const name = nameElement(shortened(nodes[v].name, 40));
        return element(
          "div",
          { class: `card ${kind}` },
          element(
            "h3",
            {},
            v < data.nodes.length ? element("button", { type: "button", class: "link", onclick: () => actions.node(v) }, name) : name,
            element("span", { class: kind ? `tag ${kind}` : "soft" }, note),
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
  for (const input of document.querySelectorAll('input[name="mode"]')) {
    input.checked = input.value === mode;
    input.addEventListener("change", () => (mode = input.value));
  }
  more.addEventListener("click", () => {
    nCards += SHOWN_CARDS;
    cards();
  });
  forget.addEventListener("click", clear);
  // The margin of a variable if what is set had been observed; null if nothing is set.
  function ifObserved(v) {
    if (!set.size) return null;
    const found = network.margins(new Map([...observed, ...set]));
    return found && found[v];
  }

  return { bars, give, clear, chosen, ifObserved, isSet: (v) => set.has(v), margin: (v) => now[v], before: (v) => before[v], nodes, update };
}
