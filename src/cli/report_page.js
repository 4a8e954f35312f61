"use strict";
(() => {
  const slots = JSON.parse(document.getElementById("slots").textContent);
  const told = document.getElementById("told");
  const plots = [...document.querySelectorAll(".plot")];
  if (!told || slots.rows.length === 0) return;
  const hairs = plots.map((plot) => plot.appendChild(Object.assign(document.createElement("div"), { className: "hair" })));
  const changes = [...document.querySelectorAll(".change")];
  const slider = document.querySelector("[role=slider]");
  let at = 0;

  const bytes = (value) => {
    let unit = 0;
    const units = ["B", "kB", "MB", "GB", "TB"];
    while (value >= 999.5 && unit < 4) { value /= 1000; ++unit; }
    return (unit === 0 ? value.toFixed(0) : value.toPrecision(3)) + " " + units[unit];
  };
  const mark = (share) => hairs.forEach((hair) => { hair.style.left = share * 100 + "%"; hair.style.display = "block"; });
  const unpress = () => changes.forEach((change) => change.setAttribute("aria-pressed", "false"));

  const show = (index) => {
    at = Math.max(0, Math.min(slots.rows.length - 1, index));
    const row = slots.rows[at];
    const value = (name) => row[slots.columns.indexOf(name)];
    const limits = slots.limits.map((name, i) => [name, value(slots.keys[i])]).filter((pair) => pair[1] >= 0.005)
      .sort((a, b) => b[1] - a[1]).map((pair) => pair[0] + " " + Math.round(pair[1] * 100) + " %");
    const level = value("level");
    told.textContent = value("end").toPrecision(3) + " s: " + bytes(value("data")) + "/s of data, " + bytes(value("wire")) +
      "/s on the wire, " + (level === null ? "no block" : "level " + level) + ", queue " + bytes(value("queue")) +
      (slots.priced ? ", price " + value("price").toFixed(2) : "") +
      (value("streams") > 1 ? ", " + value("streams") + " connections" : "") + "; waited for: " + (limits.join(", ") || "nothing");
    slider.setAttribute("aria-valuenow", at);
    slider.setAttribute("aria-valuetext", told.textContent);
    unpress();
    mark((at + 0.5) / slots.rows.length);
  };

  for (const cursor of document.querySelectorAll(".cursor")) {
    const move = (event) => {
      const box = cursor.getBoundingClientRect();
      show(Math.floor((event.clientX - box.left) / box.width * slots.rows.length));
    };
    cursor.addEventListener("pointermove", move);
    cursor.addEventListener("pointerdown", move);
    cursor.addEventListener("focus", () => show(at));
    cursor.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -1e6, End: 1e6 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      show(at + step);
    });
  }

  changes.forEach((change, i) => {
    const tell = () => {
      unpress();
      change.setAttribute("aria-pressed", "true");
      told.textContent = change.title;
      mark(parseFloat(change.style.left) / 100);
    };
    change.tabIndex = i === 0 ? 0 : -1;
    for (const name of ["pointerenter", "focus", "click"]) change.addEventListener(name, tell);
    change.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, Home: -1e6, End: 1e6 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const next = changes[Math.max(0, Math.min(changes.length - 1, i + step))];
      changes.forEach((other) => { other.tabIndex = other === next ? 0 : -1; });
      next.focus();
    });
  });

  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
})();
