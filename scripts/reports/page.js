"use strict";
// All text of a record is set as text, never as markup. Nothing is fetched, nothing is stored.
(() => {
  const id = (name) => document.getElementById(name);
  const make = (tag, name, ...inside) => {
    const made = document.createElement(tag);
    if (name) made.className = name;
    made.append(...inside.filter((part) => part !== null && part !== undefined));
    return made;
  };
  const link = (text, href) => { const a = make("a", "", text); a.href = href; return a; };
  const MARK = { pass: "good", fail: "bad", inconclusive: "unsure", breach: "bad", attempt: "unsure" };

  // light or dark
  const theme = id("theme"), root = document.documentElement;
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  // search, filter, sort
  const rows = [...id("table").tBodies[0].rows].map((row) => ({ row, text: row.textContent.toLowerCase(), cells: [...row.cells].map((c) => c.textContent) }));
  const shown = () => {
    const words = id("words").value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = [[1, id("configuration").value], [2, id("outcome").value]];
    let count = 0;
    for (const { row, text, cells } of rows) {
      const fits = words.every((word) => text.includes(word)) && wanted.every(([at, value]) => !value || cells[at] === value);
      row.hidden = !fits;
      count += fits;
    }
    id("count").textContent = `${count} of ${rows.length} trials`;
  };
  id("filter").hidden = false;
  id("filter").addEventListener("input", shown);
  id("filter").addEventListener("submit", (event) => event.preventDefault());
  shown();
  const heads = [...id("table").tHead.rows[0].cells];
  const number = (text) => { const value = parseFloat(text.replaceAll(",", "")); return Number.isNaN(value) ? null : value; };
  heads.forEach((head, at) => {
    const button = make("button", "", head.textContent);
    button.type = "button";
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const compare = (one, other) => {
        const [a, b] = [number(one.cells[at]), number(other.cells[at])];
        if (a !== null && b !== null) return a - b;
        return a === b ? one.cells[at].localeCompare(other.cells[at]) : a === null ? 1 : -1;
      };
      rows.sort((one, other) => (down ? -1 : 1) * compare(one, other));
      id("table").tBodies[0].append(...rows.map(({ row }) => row));
    });
  });

  // one trial
  const part = (title, ...inside) => {
    const filled = inside.filter((piece) => piece !== null && piece !== undefined);
    return filled.length ? make("section", "", make("h2", "", title), ...filled) : null;
  };
  const pre = (text) => { const made = make("pre", "", text); made.tabIndex = 0; return made; };
  const fold = (open, title, ...inside) => { const made = make("details", "", make("summary", "", title), ...inside); made.open = open; return made; };
  const facts = (pairs) => pairs.length ? make("dl", "facts", ...pairs.flatMap(([name, value]) => [make("dt", "", name), make("dd", "", value)])) : null;
  const table = (heads, lines, marked) => lines.length ? make("div", "wide", make("table", "",
    make("thead", "", make("tr", "", ...heads.map((head) => make("th", "", head)))),
    make("tbody", "", ...lines.map((line) => make("tr", "", ...line.map((cell, at) => make("td", at === marked ? MARK[cell] || "" : "", cell))))))) : null;

  const timeline = (phases) => {
    if (!phases.length) return null;
    const end = Math.max(...phases.map(([, start, secs]) => start + secs), 0.001);
    return make("div", "plot", ...phases.map(([phase, start, secs]) => {
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      svg.setAttribute("height", "14");
      for (const [name, x, width] of [["empty", 0, 1], [phase, start / end, secs / end]]) {
        const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
        rect.setAttribute("class", name);
        rect.setAttribute("x", `${100 * x}%`);
        rect.setAttribute("width", `${100 * width}%`);
        rect.setAttribute("height", "14");
        svg.append(rect);
      }
      return make("div", "row thin", make("span", "name", phase), svg, make("span", "value", `${secs} s, from ${start} s`));
    }));
  };
  const diff = ([path, how, text, note]) => {
    const lines = text.split("\n").map((line) => {
      const kind = { "+": "plus", "-": "minus", "@": "hunk" }[line[0]] || "";
      return make("span", kind, line);
    });
    const shown = text ? make("pre", "diff", ...lines) : null;
    if (shown) shown.tabIndex = 0;
    return fold(true, `${path}${how ? ` (${how})` : ""}`, note ? make("p", "note", note) : null, shown);
  };
  const LOUD = ["say", "call", "result"];
  const entry = ([line, kind, title, text, failed]) => {
    const head = make("div", "", make("b", "", title), " ", make("span", "at", `line ${line}`));
    const long = !LOUD.includes(kind) || text.length > 1500;
    const body = !text ? null : long ? fold(false, `${text.length.toLocaleString("en")} characters`, pre(text)) : pre(text);
    return make("div", `entry ${kind}${failed ? " failed" : ""}`, head, body);
  };
  const events = (list, whole, file) => {
    if (!list.length) return [];
    const said = make("div", "", ...list.map(entry));
    const quiet = make("label", "", make("input", ""), " also what the client logs (hooks, status)");
    quiet.firstChild.type = "checkbox";
    const show = () => [...said.children].forEach((child, at) => { child.hidden = !quiet.firstChild.checked && ["system", "other"].includes(list[at][1]) && !list[at][4]; });
    quiet.firstChild.addEventListener("change", show);
    show();
    const rest = whole ? null : make("p", "note", "More than is embedded here; all of it: ", link("transcript.jsonl", file));
    return [quiet, said, rest];
  };
  const order = rows.map(({ row }) => row.cells[0].firstChild.hash.slice(1));
  const nameOf = (name) => { try { return decodeURIComponent(name); } catch { return name; } };

  const opened = (name) => {
    const data = JSON.parse(id(name).textContent), at = order.indexOf(name);
    const row = rows.find(({ row }) => row.cells[0].firstChild.hash.slice(1) === name);
    const title = make("h1", "", name, row ? `: ${row.cells[2]}` : "");
    title.tabIndex = -1;
    const step = (text, to) => to === undefined ? null : link(text, `#${to}`);
    const place = Object.fromEntries(data.files);
    const bar = make("nav", "bar", link("all trials (Esc)", "#trials"), step("previous (k)", order[at - 1]), step("next (j)", order[at + 1]));
    bar.setAttribute("aria-label", "trials");
    id("trial").replaceChildren(...[
      bar, title, facts(data.facts),
      part("Checks", ...data.checks.map(([check, verdict, detail, output]) => {
        const failed = verdict !== "pass";
        const head = make("span", "", make("b", "", check), " ", verdict);
        return fold(failed, head, detail ? make("p", "", detail) : null, output ? pre(output) : null);
      })),
      part("What it changed", ...data.diff.map(diff)),
      part("What Symposium did", table(["expectation", "verdict", "evidence"], data.expected, 1)),
      part("Looked like a way out", table(["kind", "what", "where"], data.audit, 0)),
      part("Findings", data.findings.length ? make("ul", "", ...data.findings.map((text) => make("li", "", text))) : null),
      part("From set-up to grading", timeline(data.phases)),
      part("What was said and done", ...events(data.events, data.whole, place["transcript.jsonl"] || "")),
      part("Evidence", ...data.evidence.map(([file, text]) => fold(false, file, pre(text)))),
      part("Versions and hashes", facts(data.versions)),
      part("Files beside this page", data.files.length ? make("p", "", ...data.files.flatMap(([file, href]) => [link(file, href), " "])) : null),
    ].filter(Boolean));
    return title;
  };

  let from = null;
  const show = () => {
    const name = nameOf(location.hash.slice(1)), data = name && id(name);
    const trial = data && data.tagName === "SCRIPT" && data.type === "application/json";
    id("batch").hidden = Boolean(trial);
    id("trial").hidden = !trial;
    if (trial) {
      from = name;
      opened(name).focus({ preventScroll: true });
      scrollTo({ top: 0, behavior: "instant" });
    } else if (from) {
      const back = document.querySelector(`#table a[href="#${CSS.escape(from)}"]`);
      from = null;
      if (back) { back.focus({ preventScroll: true }); back.scrollIntoView({ block: "center", behavior: "instant" }); }
    }
  };
  addEventListener("hashchange", show);
  addEventListener("keydown", (event) => {
    if (id("trial").hidden || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "Escape") location.hash = "trials";
    const at = order.indexOf(from), to = { j: order[at + 1], k: order[at - 1] }[event.key];
    if (to) location.hash = to;
  });
  show();
})();
