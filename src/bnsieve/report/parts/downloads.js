// Files made in the page itself: tables as CSV, the picture as SVG, PNG and PDF.

function save(name, type, content) {
  const link = element("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A name that every file system takes: that of the data, and what the file holds.
function fileName(what) {
  const title = document.querySelector("h1").textContent.replace(/\.(csv|parquet|xlsx?)$/i, "");
  const plain = title.normalize("NFKD").replace(/[^\w-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 40);
  return `${plain || "bnsieve"}-${what}`;
}

// Text that a spreadsheet would take for a formula gets an apostrophe, as in edges.csv.
function csvText(rows) {
  const field = (value) => {
    let text = String(value);
    if (typeof value !== "number" && /^'*[=+\-@\t\r]/.test(text)) text = "'" + text;
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return rows.map((row) => row.map(field).join(",") + "\n").join("");
}

// The cells of a table, figures as they are and not as they are shown; of edges, the ends apart.
function cellsOf(table, ends) {
  return [...table.rows].map((row) =>
    [...row.cells].flatMap((cell, i) => {
      if (i === 0 && row.dataset.edge !== undefined) return ends(+row.dataset.edge);
      if (cell.dataset.values) return JSON.parse(cell.dataset.values);
      if (cell.dataset.value === undefined) return [cell.textContent.trim()];
      return [cell.dataset.value === "" ? "" : +cell.dataset.value];
    }),
  );
}

// Above each long table a field to search its rows, and below it how many there are, and a file.
const SEARCHED_ROWS = 12;

function makeTableTools(box, name, ends) {
  const table = box.querySelector("table");
  const rows = [...table.tBodies[0].rows];
  const count = element("span", { class: "soft", role: "status" });
  const tell = (n) => {
    const all = `${rows.length.toLocaleString("en")} row${rows.length === 1 ? "" : "s"}`;
    count.textContent = n === rows.length ? all : `${n.toLocaleString("en")} of ${all}`;
  };
  const tools = element("div", { class: "table-tools" });
  if (rows.length > SEARCHED_ROWS) {
    const filter = element("input", { type: "search", placeholder: "Search rows", "aria-label": `Search the rows: ${box.getAttribute("aria-label")}`, autocomplete: "off", spellcheck: "false" });
    filter.addEventListener("input", () => {
      const wanted = filter.value.trim().toLocaleLowerCase();
      let n = 0;
      for (const row of rows) {
        row.hidden = wanted !== "" && !row.textContent.toLocaleLowerCase().includes(wanted);
        n += !row.hidden;
      }
      tell(n);
    });
    tools.append(filter);
  }
  const button = element("button", { type: "button", "data-csv": name, onclick: () => save(fileName(`${name}.csv`), "text/csv", csvText(cellsOf(table, ends))) }, "Download CSV");
  tools.append(count, button);
  box.before(tools);
  tell(rows.length);
}

// The picture as paths and texts, in the colours of paper, without what is hidden or chosen.
function shapesOf(svg, legend) {
  const root = document.documentElement;
  const theme = root.dataset.theme;
  root.dataset.theme = "light";
  const copy = svg.cloneNode(true);
  for (const part of copy.querySelectorAll(".node, .edge")) part.classList.remove("chosen", "aside", "match", "given", "done", "moved-1", "moved-2", "moved-3");
  for (const part of copy.querySelectorAll(".edge.hidden, .hit")) part.remove();
  copy.removeAttribute("id");
  const stage = element("div", { class: "export", "aria-hidden": "true" }, copy);
  document.body.append(stage);
  const shapes = [];
  const boxes = [...copy.querySelectorAll("rect")].map((rect) => ["x", "y", "width", "height"].map((name) => +rect.getAttribute(name)));
  const right = Math.max(...boxes.map(([x, , width]) => x + width)) + 16;
  const bottom = Math.max(...boxes.map(([, y, , height]) => y + height)) + 16;
  for (const part of copy.querySelectorAll("path, polygon, rect, text")) shapes.push(shapeOf(part, 0, 0));
  let [x, y, width] = [16, bottom + 6, right];
  for (const item of legend.querySelectorAll("li")) {
    const text = item.textContent.trim();
    const room = 34 + 6 + textWidth(text, 12) + 20;
    if (x > 16 && x + room > Math.max(right, 480)) [x, y] = [16, y + 18];
    for (const part of item.querySelectorAll("path, polygon")) shapes.push(shapeOf(part, x, y));
    shapes.push({ text, x: x + 40, y: y + 9, size: 12, fill: [82, 96, 109], anchor: "start" });
    x += room;
    width = Math.max(width, x);
  }
  stage.remove();
  if (theme === undefined) delete root.dataset.theme;
  else root.dataset.theme = theme;
  return { shapes: shapes.filter(Boolean), width, height: y + 22 };
}

function colour(text) {
  const numbers = (text.match(/[\d.]+/g) || []).map(Number);
  return text === "none" || numbers[3] === 0 || numbers.length < 3 ? null : numbers.slice(0, 3);
}

function shapeOf(part, dx, dy) {
  const style = getComputedStyle(part);
  const number = (name) => +part.getAttribute(name);
  const common = {
    fill: colour(style.fill),
    stroke: colour(style.stroke),
    width: parseFloat(style.strokeWidth) || 1,
    dash: style.strokeDasharray === "none" ? [] : style.strokeDasharray.match(/[\d.]+/g).map(Number),
  };
  if (part.tagName === "text") {
    return { text: part.textContent, x: number("x") + dx, y: number("y") + dy, size: parseFloat(style.fontSize), fill: common.fill, anchor: "middle" };
  }
  if (part.tagName === "rect") return { ...common, path: roundedBox(number("x") + dx, number("y") + dy, number("width"), number("height"), 5) };
  if (part.tagName === "polygon") {
    const points = part.getAttribute("points").trim().split(/\s+/).map((pair) => pair.split(",").map(Number));
    return { ...common, path: [...points.map(([x, y], i) => [i ? "L" : "M", x + dx, y + dy]), ["Z"]] };
  }
  const path = [];
  for (const [, letter, text] of part.getAttribute("d").matchAll(/([MLHVChv])([^MLHVChv]*)/g)) {
    const numbers = text.trim().split(/[\s,]+/).map(Number);
    const [x, y] = path.length ? path[path.length - 1].slice(-2) : [0, 0];
    if (letter === "H") path.push(["L", numbers[0] + dx, y]);
    else if (letter === "V") path.push(["L", x, numbers[0] + dy]);
    else if (letter === "h") path.push(["L", x + numbers[0], y]);
    else if (letter === "v") path.push(["L", x, y + numbers[0]]);
    else path.push([letter, ...numbers.map((value, i) => value + (i % 2 ? dy : dx))]);
  }
  return { ...common, path };
}

function roundedBox(x, y, width, height, r) {
  const [right, bottom, k] = [x + width, y + height, 0.45 * r];
  return [
    ["M", x + r, y], ["L", right - r, y], ["C", right - k, y, right, y + k, right, y + r],
    ["L", right, bottom - r], ["C", right, bottom - k, right - k, bottom, right - r, bottom],
    ["L", x + r, bottom], ["C", x + k, bottom, x, bottom - k, x, bottom - r],
    ["L", x, y + r], ["C", x, y + k, x + k, y, x + r, y], ["Z"],
  ];
}

const PICTURE_FONT = "Helvetica, Arial, sans-serif";

function textWidth(text, size) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = `${size}px ${PICTURE_FONT}`;
  return context.measureText(text).width;
}

function svgText({ shapes, width, height }) {
  const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/[\u0000-\u001f\ufffe\uffff]/g, " ");
  const paint = (rgb) => (rgb ? `rgb(${rgb.join(",")})` : "none");
  const parts = shapes.map((shape) =>
    shape.text !== undefined
      ? `<text x="${shape.x}" y="${shape.y}" font-size="${shape.size}" fill="${paint(shape.fill)}" text-anchor="${shape.anchor}">${escaped(shape.text)}</text>`
      : `<path d="${shape.path.map((step) => step[0] + step.slice(1).map((value) => +value.toFixed(2)).join(" ")).join("")}" fill="${paint(shape.fill)}" stroke="${paint(shape.stroke)}" stroke-width="${shape.width}"${shape.dash.length ? ` stroke-dasharray="${shape.dash.join(" ")}"` : ""}/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width)}" height="${Math.ceil(height)}" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" font-family="${PICTURE_FONT}"><rect width="100%" height="100%" fill="#fff"/>\n${parts.join("\n")}\n</svg>\n`;
}

// Three pixels to a unit, or as many as a browser's canvas holds.
function canvasOf({ shapes, width, height }) {
  const scale = Math.min(3, 8000 / Math.max(width, height));
  const canvas = element("canvas", { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(scale, scale);
  const paint = (rgb) => `rgb(${rgb.join(",")})`;
  for (const shape of shapes) {
    if (shape.text !== undefined) {
      context.font = `${shape.size}px ${PICTURE_FONT}`;
      context.textAlign = shape.anchor === "middle" ? "center" : "left";
      context.fillStyle = paint(shape.fill);
      context.fillText(shape.text, shape.x, shape.y);
      continue;
    }
    context.beginPath();
    for (const [letter, ...numbers] of shape.path) {
      if (letter === "M") context.moveTo(...numbers);
      else if (letter === "L") context.lineTo(...numbers);
      else if (letter === "C") context.bezierCurveTo(...numbers);
      else context.closePath();
    }
    if (shape.fill) {
      context.fillStyle = paint(shape.fill);
      context.fill();
    }
    if (shape.stroke) {
      context.strokeStyle = paint(shape.stroke);
      context.lineWidth = shape.width;
      context.setLineDash(shape.dash);
      context.stroke();
    }
  }
  return canvas;
}

// One page of the picture's size. Lines and letters stay lines and letters, unless there are letters
// that the fonts of every PDF reader lack: then the page holds the picture as pixels.
function pdfBytes(picture) {
  const { shapes, width, height } = picture;
  const size = `${Math.ceil(width)} ${Math.ceil(height)}`;
  const letters = shapes.every((shape) => shape.text === undefined || /^[\u0020-\u007e\u00a0-\u00ff\u2212\u2026]*$/.test(shape.text));
  const objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"];
  const page = (resources) => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size}] /Contents 4 0 R /Resources << ${resources} >> >>`;
  const stream = (head, bytes) => `<< ${head} /Length ${bytes.length} >>\nstream\n${bytes}\nendstream`;
  if (letters) {
    objects.push(page("/Font << /F 5 0 R >>"), stream("", pdfDrawing(shapes, Math.ceil(height))));
    objects.push("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  } else {
    const canvas = canvasOf(picture);
    const image = atob(canvas.toDataURL("image/jpeg", 0.95).split(",")[1]);
    objects.push(page("/XObject << /I 5 0 R >>"), stream("", `${Math.ceil(width)} 0 0 ${Math.ceil(height)} 0 0 cm /I Do`));
    objects.push(stream(`/Type /XObject /Subtype /Image /Width ${canvas.width} /Height ${canvas.height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode`, image));
  }
  let text = "%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n";
  const places = objects.map((object, i) => {
    const place = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const table = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  text += places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`;
  return Uint8Array.from(text, (sign) => sign.charCodeAt(0));
}

function pdfDrawing(shapes, height) {
  const number = (value) => +value.toFixed(3);
  const rgb = (colours) => colours.map((value) => number(value / 255)).join(" ");
  const lines = [`1 0 0 -1 0 ${height} cm`];
  for (const shape of shapes) {
    if (shape.text !== undefined) {
      const start = shape.x - (shape.anchor === "middle" ? textWidth(shape.text, shape.size) / 2 : 0);
      const coded = shape.text.replace(/\u2212/g, "\u0096").replace(/\u2026/g, "\u0085").replace(/[\\()]/g, "\\$&");
      lines.push(`BT /F ${shape.size} Tf ${rgb(shape.fill)} rg 1 0 0 -1 ${number(start)} ${number(shape.y)} Tm (${coded}) Tj ET`);
      continue;
    }
    if (shape.fill) lines.push(`${rgb(shape.fill)} rg`);
    if (shape.stroke) lines.push(`${rgb(shape.stroke)} RG ${shape.width} w [${shape.dash.join(" ")}] 0 d`);
    for (const [letter, ...numbers] of shape.path) {
      lines.push(`${numbers.map(number).join(" ")} ${{ M: "m", L: "l", C: "c", Z: "h" }[letter]}`);
    }
    lines.push(shape.fill && shape.stroke ? "B" : shape.fill ? "f" : "S");
  }
  return lines.join("\n");
}

function makePictureDownloads(svg, legend, buttons) {
  const writers = {
    svg: (picture) => save(fileName("graph.svg"), "image/svg+xml", svgText(picture)),
    png: (picture) => canvasOf(picture).toBlob((blob) => save(fileName("graph.png"), "image/png", blob)),
    pdf: (picture) => save(fileName("graph.pdf"), "application/pdf", pdfBytes(picture)),
  };
  for (const button of buttons) {
    button.addEventListener("click", () => writers[button.dataset.picture](shapesOf(svg, legend)));
  }
}

// Copy the text of an element; where the clipboard is closed to pages, select it for the reader.
function makeCopy(button, status) {
  const source = document.getElementById(button.dataset.copy);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      status.textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(source);
      status.textContent = document.execCommand("copy") ? "Copied." : "Selected: copy it with Ctrl+C.";
    }
  });
}
