// The picture: pan, zoom, go from node to node with the keyboard, choose, hide.

function makePicture(svg, actions) {
  const whole = svg.viewBox.baseVal;
  const full = { x: whole.x, y: whole.y, width: whole.width, height: whole.height };
  let view = { ...full };
  const nodes = [];
  for (const group of svg.querySelectorAll(".node")) {
    const box = group.querySelector("rect");
    const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => +box.getAttribute(name));
    nodes[+group.dataset.node] = { group, x: x + width / 2, y: y + height / 2 };
  }
  const edges = [];
  for (const group of svg.querySelectorAll(".edge")) {
    edges[+group.dataset.edge] = group;
    // A thin line is hard to hit: a wide, invisible one lies over it.
    const hit = group.querySelector("path").cloneNode();
    hit.removeAttribute("stroke-width");
    hit.setAttribute("class", "hit");
    group.append(hit);
  }
  if (nodes[0]) nodes[0].group.setAttribute("tabindex", "0");

  function show() {
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
    if (actions.moved) actions.moved(view);
  }

  // Pixels per unit of the picture, and the unit at the upper left corner of the element.
  function geometry() {
    const rect = svg.getBoundingClientRect();
    const scale = Math.min(rect.width / view.width, rect.height / view.height) || 1;
    return {
      rect,
      scale,
      left: view.x - (rect.width / scale - view.width) / 2,
      top: view.y - (rect.height / scale - view.height) / 2,
    };
  }

  function zoom(factor, clientX, clientY) {
    const { rect, scale, left, top } = geometry();
    const atX = clientX === undefined ? view.x + view.width / 2 : left + (clientX - rect.left) / scale;
    const atY = clientY === undefined ? view.y + view.height / 2 : top + (clientY - rect.top) / scale;
    const least = Math.min(full.width, 120) / view.width;
    const most = (1.5 * full.width) / view.width;
    const by = Math.min(Math.max(1 / factor, least), most);
    view = {
      x: atX - (atX - view.x) * by,
      y: atY - (atY - view.y) * by,
      width: view.width * by,
      height: view.height * by,
    };
    show();
  }

  function fit() {
    view = { ...full };
    show();
  }

  function pan(dx, dy) {
    view = { ...view, x: view.x + dx, y: view.y + dy };
    show();
  }

  // Bring a node to the middle, large enough to be read.
  function centre(number) {
    const node = nodes[number];
    if (!node) return;
    const { rect, scale } = geometry();
    const readable = Math.max(scale, 1);
    const width = rect.width / readable;
    const height = rect.height / readable;
    // Not further out than the picture goes.
    const within = (at, size, start, length) =>
      size >= length ? start + (length - size) / 2 : Math.min(Math.max(at - size / 2, start), start + length - size);
    view = {
      x: within(node.x, width, full.x, full.width),
      y: within(node.y, height, full.y, full.height),
      width,
      height,
    };
    show();
  }

  function focusNode(number) {
    const before = svg.querySelector('.node[tabindex="0"]');
    if (before) before.setAttribute("tabindex", "-1");
    const { group, x, y } = nodes[number];
    group.setAttribute("tabindex", "0");
    group.focus({ preventScroll: true });
    const { left, top, scale, rect } = geometry();
    const seen = x > left && y > top && x < left + rect.width / scale && y < top + rect.height / scale;
    if (!seen) centre(number);
  }

  // The nearest node to the right, left, below or above.
  function nextNode(from, right, down) {
    let best = -1;
    let least = Infinity;
    nodes.forEach((node, i) => {
      const dx = node.x - nodes[from].x;
      const dy = node.y - nodes[from].y;
      const ahead = dx * right + dy * down;
      if (i === from || ahead <= 1) return;
      const distance = ahead + 2.5 * Math.abs(dx * down - dy * right);
      if (distance < least) [best, least] = [i, distance];
    });
    return best;
  }

  const arrows = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  svg.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const group = event.target.closest(".node");
    if (event.key in arrows && group) {
      const next = nextNode(+group.dataset.node, ...arrows[event.key]);
      if (next >= 0) focusNode(next);
    } else if ((event.key === "Enter" || event.key === " ") && group) actions.node(+group.dataset.node);
    else if (event.key === "+" || event.key === "=") zoom(1.3);
    else if (event.key === "-") zoom(1 / 1.3);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  });

  // One pointer pans, two zoom; a pointer that hardly moved is a click.
  const pointers = new Map();
  let travelled = 0;
  svg.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    if (!pointers.size) travelled = 0;
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  svg.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) return;
    const now = [event.clientX, event.clientY];
    travelled += Math.hypot(now[0] - last[0], now[1] - last[1]);
    if (travelled < 4) return;
    if (!svg.hasPointerCapture(event.pointerId)) svg.setPointerCapture(event.pointerId);
    svg.classList.add("dragged");
    if (pointers.size === 1) {
      const { scale } = geometry();
      pan((last[0] - now[0]) / scale, (last[1] - now[1]) / scale);
    } else {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const apart = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]);
      zoom(apart(now) / Math.max(1, apart(last)), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    }
    pointers.set(event.pointerId, now);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    svg.addEventListener(end, (event) => {
      pointers.delete(event.pointerId);
      svg.classList.remove("dragged");
    });
  }
  svg.addEventListener("click", (event) => {
    if (travelled >= 4) return;
    const node = event.target.closest(".node");
    const edge = event.target.closest(".edge");
    if (node) actions.node(+node.dataset.node);
    else if (edge) actions.edge(+edge.dataset.edge);
    else if (actions.nothing) actions.nothing();
  });
  // The wheel alone scrolls the page; with Ctrl or Cmd, as a pinch on a touchpad has it, it zooms.
  svg.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
    },
    { passive: false },
  );
  for (const button of svg.closest(".stage").querySelectorAll("[data-zoom]")) {
    const change = { in: () => zoom(1.4), out: () => zoom(1 / 1.4), fit }[button.dataset.zoom];
    button.addEventListener("click", change);
  }

  return {
    nodes,
    edges,
    centre,
    focusNode,
    follow(other) {
      view = { ...other };
      svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
    },
    // Set aside all but some nodes and edges; null shows all alike.
    spotlight(keptNodes, keptEdges) {
      nodes.forEach(({ group }, i) => group.classList.toggle("aside", !!keptNodes && !keptNodes.has(i)));
      edges.forEach((group, i) => group.classList.toggle("aside", !!keptEdges && !keptEdges.has(i)));
    },
    choose(kind, number) {
      for (const old of svg.querySelectorAll(".chosen")) old.classList.remove("chosen");
      const group = kind === "node" ? nodes[number] && nodes[number].group : edges[number];
      if (group) group.classList.add("chosen");
    },
  };
}
