// Small helpers. Text goes into the page as text only, never as markup.

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// A name or label, in a direction of its own.
function nameElement(text) {
  return element("bdi", {}, text.trim() ? text : "(no name)");
}

// A sentence whose names stand between the marks U+2068 and U+2069.
function sentence(text) {
  return text.split(/\u2068([^\u2069]*)\u2069/).map((part, i) => (i % 2 ? nameElement(part) : part));
}

function list(items) {
  return element("ul", {}, ...items.map((item) => element("li", {}, ...[item].flat())));
}

function percent(value) {
  if (value > 0 && value < 0.001) return "<\u00a00.1\u00a0%";
  if (value < 1 && value > 0.999) return ">\u00a099.9\u00a0%";
  if (value === 0 || value === 1) return `${100 * value}\u00a0%`;
  return (100 * value).toFixed(value < 0.1 || value > 0.9 ? 1 : 0) + "\u00a0%";
}

function nats(value) {
  return value.toLocaleString("en", { maximumFractionDigits: 1 }) + " nats";
}

function shortened(text, longest) {
  const signs = Array.from(text.replace(/\s+/g, " ").trim() || "(no name)");
  return signs.length <= longest ? signs.join("") : signs.slice(0, longest - 1).join("") + "…";
}
