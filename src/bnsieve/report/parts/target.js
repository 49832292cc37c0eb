// The target panel: sliders that set drivers, and the target's probabilities.

function makeTarget(data, ask) {
  const panel = document.getElementById("whatif");
  const tornado = document.querySelector(".tornado svg");
  if (tornado) {
    document.querySelector("[data-tornado]").addEventListener("click", () =>
      save(fileName("drivers.svg"), "image/svg+xml", new XMLSerializer().serializeToString(tornado)),
    );
  }
  if (!panel || !ask || !data.target) return { refresh() {} };
  const { node: target, drivers } = data.target;
  const { nodes } = ask;
  const box = document.getElementById("sliders");
  const words = document.getElementById("target-words");
  const sliders = drivers.map((v) => {
    const id = `slide-${v}`;
    const shown = element("output", { for: id });
    const input = element("input", { type: "range", id, min: 0, max: nodes[v].labels.length, step: 1, value: 0, "data-slide": v });
    input.addEventListener("input", () => ask.give(v, +input.value ? +input.value - 1 : null, "set") || refresh());
    box.append(element("div", { class: "slider" }, element("label", { for: id }, nameElement(shortened(nodes[v].name, 40))), shown, input));
    return { v, input, shown };
  });

  function refresh() {
    for (const { v, input, shown } of sliders) {
      const k = ask.chosen(v);
      input.value = k === undefined ? 0 : k + 1;
      const text = k === undefined ? "not set" : shortened(nodes[v].labels[k], 30);
      const kind = k === undefined ? "" : ask.isSet(v) ? "done" : "given";
      shown.replaceChildren(kind === "given" ? "observed: " : "", nameElement(text));
      shown.className = kind ? `tag ${kind}` : "soft";
      input.setAttribute("aria-valuetext", text);
    }
    document.getElementById("target-bars").replaceChildren(ask.bars(target));
    tell();
  }

  // What the same states would say if they had only been observed.
  function tell() {
    const seen = ask.ifObserved(target);
    if (!seen) {
      words.replaceChildren();
      return;
    }
    const [now, was] = [ask.margin(target), ask.before(target)];
    const far = (i) => Math.abs(now[i] - was[i]) + Math.abs(seen[i] - was[i]);
    const named = nodes[target].labels.indexOf(data.target.label);
    const k = named >= 0 ? named : nodes[target].labels.reduce((best, _, i) => (far(i) > far(best) ? i : best), 0);
    words.replaceChildren(
      nameElement(shortened(nodes[target].name, 40)), " = ", nameElement(shortened(nodes[target].labels[k], 40)),
      `: ${percent(was[k])} before, ${percent(now[k])} with what is `, element("span", { class: "tag done" }, "set"),
      `. Cases in which the same was only `, element("span", { class: "tag given" }, "observed"), ` have ${percent(seen[k])}.`,
    );
  }

  panel.hidden = false;
  refresh();
  return { refresh };
}
