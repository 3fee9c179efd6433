// Charts say what is under the pointer.
for (const svg of document.querySelectorAll("svg[data-chart]")) {
  const { frame, lines } = JSON.parse(svg.dataset.chart);
  const [left, right, low, high] = frame;
  const cross = svg.querySelector(".cross");
  const output = svg.parentElement.querySelector("output");
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
    const x = low + ((at - left) / (right - left)) * (high - low);
    let step = null;
    const said = lines.filter((l) => l.points.length).map((line) => {
      const near = line.points.reduce((a, b) => (Math.abs(b[0] - x) < Math.abs(a[0] - x) ? b : a));
      step = step ?? near[0];
      return `${line.name} ${near[1]}`;
    });
    const place = left + ((step - low) / (high - low)) * (right - left);
    cross.setAttribute("x1", place);
    cross.setAttribute("x2", place);
    cross.style.visibility = "visible";
    output.textContent = `step ${step.toLocaleString("en")}: ${said.join(", ")}`;
  });
  svg.addEventListener("pointerleave", () => {
    cross.style.visibility = "hidden";
    output.textContent = "";
  });
}

// Words show where the model looked.
for (const block of document.querySelectorAll(".aligned")) {
  const weights = JSON.parse(block.dataset.weights);
  const area = block.querySelector(".words");
  const sources = [...block.querySelectorAll(".chip.source")];
  const targets = [...block.querySelectorAll(".chip.target")];
  const ribbons = block.querySelector(".ribbons");
  const draw = () => {
    const origin = area.getBoundingClientRect();
    const place = (chip) => {
      const box = chip.getBoundingClientRect();
      const x = (box.left + box.right) / 2 - origin.left + area.scrollLeft;
      return { x, top: box.top - origin.top, bottom: box.bottom - origin.top };
    };
    ribbons.style.width = `${area.scrollWidth}px`;
    ribbons.replaceChildren();
    weights.forEach((row, t) => row.forEach((weight, s) => {
      if (weight < 0.07) return;
      const { x: x1, bottom: y1 } = place(sources[s]);
      const { x: x2, top: y2 } = place(targets[t]);
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      const middle = (y1 + y2) / 2;
      path.setAttribute("d", `M${x1} ${y1} C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`);
      path.setAttribute("stroke-width", 1 + 5 * weight);
      path.setAttribute("stroke-opacity", 0.12 + 0.6 * weight);
      path.dataset.t = t;
      path.dataset.s = s;
      path.dataset.weight = weight;
      ribbons.append(path);
    }));
  };
  const show = (t, s) => {
    for (const path of ribbons.children) {
      const mine = t === null && s === null
        || path.dataset.t === String(t) || path.dataset.s === String(s);
      path.setAttribute("stroke-opacity", mine ? 0.12 + 0.6 * path.dataset.weight : 0.03);
    }
    sources.forEach((chip, i) => {
      const weight = t === null ? 0 : weights[t][i];
      chip.style.background = weight > 0.02
        ? `color-mix(in srgb, var(--accent) ${Math.round(70 * weight)}%, var(--wash))` : "";
      chip.title = weight > 0.02 ? weight.toFixed(2) : "";
      chip.classList.toggle("on", i === s);
    });
    targets.forEach((chip, i) => {
      const weight = s === null ? 0 : weights[i][s];
      chip.style.background = weight > 0.02
        ? `color-mix(in srgb, var(--accent) ${Math.round(70 * weight)}%, var(--wash))` : "";
      chip.classList.toggle("on", i === t);
    });
  };
  draw();
  window.addEventListener("resize", draw);
  targets.forEach((chip, t) => chip.addEventListener("pointerenter", () => show(t, null)));
  sources.forEach((chip, s) => chip.addEventListener("pointerenter", () => show(null, s)));
  area.addEventListener("pointerleave", () => show(null, null));
}
