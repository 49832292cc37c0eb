// Find a variable: a text field with a list below it, as the ARIA pattern of a combobox has it.

const SHOWN_MATCHES = 8;

function matchesOf(names, text) {
  const wanted = text.trim().toLocaleLowerCase();
  if (!wanted) return [];
  const found = [];
  names.forEach((name, i) => {
    const at = name.toLocaleLowerCase().indexOf(wanted);
    if (at >= 0) found.push([at > 0 ? 1 : 0, name.length, i]);
  });
  return found.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]).map((one) => one[2]);
}

function makeSearch(input, box, names, actions) {
  let found = [];
  let active = -1;

  function show() {
    box.replaceChildren(
      ...found.slice(0, SHOWN_MATCHES).map((number, i) =>
        element(
          "li",
          { role: "option", id: `found-${i}`, "aria-selected": String(i === active), "data-found": i },
          nameElement(shortened(names[number], 60)),
        ),
      ),
    );
    const asked = input.value.trim() !== "";
    if (asked && (found.length > SHOWN_MATCHES || !found.length)) {
      const text = found.length ? `and ${found.length - SHOWN_MATCHES} more` : "no variable has this name";
      box.append(element("li", { class: "none", role: "option", "aria-disabled": "true", "aria-selected": "false" }, text));
    }
    box.hidden = !asked;
    input.setAttribute("aria-expanded", String(asked));
    if (active >= 0) input.setAttribute("aria-activedescendant", `found-${active}`);
    else input.removeAttribute("aria-activedescendant");
  }

  function close() {
    box.hidden = true;
    input.setAttribute("aria-expanded", "false");
  }

  function take(i) {
    if (found[i] === undefined) return;
    close();
    actions.take(found[i]);
  }

  input.addEventListener("input", () => {
    found = matchesOf(names, input.value);
    active = found.length ? 0 : -1;
    show();
    actions.found(found);
  });
  input.addEventListener("keydown", (event) => {
    const last = Math.min(found.length, SHOWN_MATCHES) - 1;
    if (event.key === "ArrowDown") active = Math.min(active + 1, last);
    else if (event.key === "ArrowUp") active = Math.max(active - 1, 0);
    else if (event.key === "Enter") return take(active);
    else if (event.key === "Escape") {
      input.value = "";
      found = [];
      close();
      return actions.found(found);
    } else return undefined;
    event.preventDefault();
    return show();
  });
  box.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const item = event.target.closest("[data-found]");
    if (item) take(+item.dataset.found);
  });
  input.addEventListener("blur", close);
  input.addEventListener("focus", () => found.length && show());
}
