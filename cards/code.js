// Shows code, whole or with its changes, as tables of lines. Every text is put in as text, never as
// HTML, since models wrote most of it.
"use strict";

function node(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") made.className = value;
    else if (name === "onclick") made.addEventListener("click", value);
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

const listing = (() => {
  const PYTHON = new RegExp(
    [
      /([rbfuRBFU]{0,2}(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))/,
      /(#[^\n]*)/,
      /\b(and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield|None|True|False)\b/,
      /\b(\d[\w.]*)/,
    ]
      .map((part) => part.source)
      .join("|"),
    "g",
  );
  const KINDS = ["", "string", "comment", "keyword", "number"];

  // The lines of a code, each a list of [kind, text].
  function painted(code) {
    const lines = [[]];
    const put = (kind, piece) => {
      piece.split("\n").forEach((part, index) => {
        if (index) lines.push([]);
        if (part) lines.at(-1).push([kind, part]);
      });
    };
    let end = 0;
    for (const match of code.matchAll(PYTHON)) {
      put("", code.slice(end, match.index));
      put(KINDS[match.findIndex((group, index) => index > 0 && group !== undefined)], match[0]);
      end = match.index + match[0].length;
    }
    put("", code.slice(end));
    if (code.endsWith("\n")) lines.pop();
    return lines;
  }

  // The longest common subsequence of two lists of lines, as rows of [sign, old, new] places.
  function changes(before, after) {
    let head = 0;
    while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
    let tail = 0;
    const room = Math.min(before.length, after.length) - head;
    while (tail < room && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
    const rows = [];
    for (let i = 0; i < head; i += 1) rows.push([" ", i, i]);
    rows.push(...middle(before, after, head, tail));
    for (let i = tail; i > 0; i -= 1) rows.push([" ", before.length - i, after.length - i]);
    return rows;
  }

  function middle(before, after, head, tail) {
    const [m, n] = [before.length - head - tail, after.length - head - tail];
    const rows = [];
    // Where a table of lengths would be huge, everything in between counts as rewritten.
    const lengths = m * n > 4e6 ? null : table(before, after, head, m, n);
    let [i, j] = [0, 0];
    while (i < m || j < n) {
      if (i < m && j < n && lengths && before[head + i] === after[head + j]) {
        rows.push([" ", head + i++, head + j++]);
      } else if (i < m && (j === n || !lengths || lengths[i + 1][j] >= lengths[i][j + 1])) {
        rows.push(["−", head + i++, null]);
      } else {
        rows.push(["+", null, head + j++]);
      }
    }
    return rows;
  }

  function table(before, after, head, m, n) {
    const lengths = Array.from({ length: m + 1 }, () => new Uint32Array(n + 1));
    for (let i = m - 1; i >= 0; i -= 1) {
      for (let j = n - 1; j >= 0; j -= 1) {
        lengths[i][j] =
          before[head + i] === after[head + j]
            ? lengths[i + 1][j + 1] + 1
            : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
      }
    }
    return lengths;
  }

  const lines = (code) => code.replace(/\n$/, "").split("\n");

  function codeRow(sign, old, now, pieces) {
    const kind = { "+": "added", "−": "removed" }[sign] || "";
    const place = (at) => (at === null ? "" : String(at + 1));
    return node(
      "tr",
      { class: kind },
      node("td", { class: "no" }, place(old)),
      node("td", { class: "no" }, place(now)),
      node("td", { class: "sign" }, sign),
      node(
        "td",
        { class: "code" },
        ...pieces.map(([paint, piece]) => (paint ? node("span", { class: paint }, piece) : piece)),
      ),
    );
  }

  const codeTable = (kind, rows) =>
    node("div", { class: "scroll" }, node("table", { class: `source ${kind}` }, node("tbody", {}, ...rows)));

  function wholeCode(code) {
    const rows = painted(code).map((pieces, at) => codeRow("", null, at, pieces));
    return codeTable("whole", rows);
  }

  function changedCode(before, after) {
    const [old, now] = [painted(before), painted(after)];
    const rows = changes(lines(before), lines(after));
    const near = rows.map((_, at) =>
      rows.slice(Math.max(0, at - 3), at + 4).some(([sign]) => sign !== " "),
    );
    const shown = [];
    let hidden = [];
    const close = () => {
      shown.push(...(hidden.length > 3 ? [gap(hidden)] : hidden));
      hidden = [];
    };
    rows.forEach(([sign, from, to], at) => {
      const row = codeRow(sign, from, to, (sign === "−" ? old[from] : now[to]) || []);
      if (near[at]) close();
      (near[at] ? shown : hidden).push(row);
    });
    close();
    return codeTable("diff", shown);
  }

  function gap(hidden) {
    const row = node("tr", { class: "gap" });
    const label = `${hidden.length} unchanged ${hidden.length === 1 ? "line" : "lines"}`;
    const open = node("button", { type: "button", onclick: () => row.replaceWith(...hidden) }, label);
    row.append(node("td", { colspan: "4" }, open));
    return row;
  }

  return { whole: wholeCode, changed: changedCode };
})();
