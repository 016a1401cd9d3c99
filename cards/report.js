// Reads the episodes that lie in the page and shows one: turns, code with its changes, tests,
// feedback. It is put behind `code.js` in one script.

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const find = (id) => document.getElementById(id);
  const text = (place) => (place === null || place === undefined ? "" : data.texts[place]);
  const MARKS = { passed: "✓", failed: "✗", error: "✗", skipped: "–", missing: "·" };

  // --- small pieces of the page -----------------------------------------------------------

  const fold = (summary, ...children) =>
    node("details", {}, node("summary", {}, summary), ...children);

  function buttons(place, names, chosen, choose) {
    place.hidden = false;
    place.replaceChildren(
      ...names.map(([value, label, mood]) =>
        node(
          "button",
          {
            type: "button",
            class: mood || "",
            "aria-pressed": String(value === chosen),
            onclick: () => choose(value),
          },
          label,
        ),
      ),
    );
  }

  function options(select, values, chosen) {
    select.replaceChildren(
      ...values.map((value) => {
        const option = node("option", { value }, value);
        option.selected = value === chosen;
        return option;
      }),
    );
  }

  const distinct = (values) => [...new Set(values)];

  // Feedback: names between backticks and code below "The code …:" keep their fixed width.
  function prose(said) {
    let coded = false;
    return said.split(/(?<=\n)/).flatMap((line) => {
      if (coded || line.startsWith("    ")) return [node("span", { class: "fixed" }, line)];
      coded = /^the code\b.*:\n?$/i.test(line);
      return line
        .split("`")
        .map((part, at) => (at % 2 ? node("span", { class: "fixed" }, part) : part));
    });
  }

  // Tests of one file need not name it each time.
  function plainNames(names) {
    const files = distinct(names.map((name) => name.split("::")[0]));
    return (name) => (files.length === 1 ? name.replace(`${files[0]}::`, "") : name);
  }

  // --- one episode ------------------------------------------------------------------------

  const passed = (turn) => turn.tests.filter(([, outcome]) => outcome === "passed").length;
  const tally = (turn) => `${passed(turn)}/${turn.tests.length}`;

  function outcome(episode) {
    if (episode.verdict === "passed") return `turn ${episode.turns.length}`;
    if (episode.verdict === "failed") return "not solved";
    return { infra: "no verdict", tampered: "tampered", unfinished: "unfinished" }[episode.verdict];
  }

  function heading(episode) {
    const repeat = episode.seed ? ` · seed ${episode.seed}` : "";
    const ended = episode.verdict === "passed" ? `solved at ${outcome(episode)}` : outcome(episode);
    return node(
      "header",
      { class: "episode" },
      node("h3", {}, episode.task),
      node(
        "p",
        { class: "sub" },
        `${episode.model} · L${episode.level}${repeat} · `,
        node("span", { class: `verdict ${episode.verdict}` }, ended || episode.verdict),
        episode.verdict === "passed" || episode.reason === null ? "" : ` · ${text(episode.reason)}`,
      ),
    );
  }

  // Tests down, turns across: what got fixed, and what broke again.
  function matrix(episode) {
    const names = distinct(episode.turns.flatMap((turn) => turn.tests.map(([name]) => name)));
    if (!names.length) return null;
    const plain = plainNames(names.map(text));
    const head = episode.turns.map((turn, at) =>
      node("th", { scope: "col" }, node("a", { href: link(episode, at + 1) }, String(at + 1))),
    );
    const rows = names.map((name) =>
      node(
        "tr",
        {},
        node("th", { scope: "row", title: text(name) }, plain(text(name))),
        ...episode.turns.map((turn) => {
          const test = turn.tests.find(([other]) => other === name);
          const kind = test ? test[1] : "missing";
          return node("td", { class: `mark ${kind}`, title: kind }, MARKS[kind] || "?");
        }),
      ),
    );
    const sums = episode.turns.map((turn) => node("td", {}, tally(turn)));
    return node(
      "div",
      { class: "scroll" },
      node(
        "table",
        { class: "matrix" },
        node("thead", {}, node("tr", {}, node("th", { scope: "col" }, "Tests by turn"), ...head)),
        node("tbody", {}, ...rows),
        node("tfoot", {}, node("tr", {}, node("th", { scope: "row" }, "passed"), ...sums)),
      ),
    );
  }

  function turnView(episode, at) {
    const turn = episode.turns[at];
    const said = turn.tests.length ? `${tally(turn)} tests passed` : "not tested";
    const before = at ? "after feedback" : "before any feedback";
    return node(
      "section",
      { class: "turn", id: `turn-${at + 1}` },
      node(
        "h4",
        {},
        `Turn ${at + 1} `,
        node("span", { class: "when" }, before),
        node("span", { class: `verdict ${turn.verdict || "unfinished"}` }, said),
      ),
      conversation(turn),
      code(episode, at),
      tests(turn),
      turn.feedback === null
        ? null
        : node(
            "div",
            { class: "feedback" },
            node("h5", {}, `Feedback, L${episode.level}`),
            node("p", { class: "prose" }, ...prose(text(turn.feedback))),
          ),
    );
  }

  function conversation(turn) {
    const calls = turn.calls.flatMap((call) => [
      call.kept ? node("p", { class: "kept" }, `${call.kept} earlier messages, as before`) : null,
      ...call.messages.map(([role, content]) => message(role, text(content))),
      message("reply", text(call.reply), spent(call)),
    ]);
    if (!calls.length) return null;
    const count = turn.calls.length;
    return fold(count === 1 ? "Prompt and reply" : `Prompts and replies, ${count} calls`, ...calls);
  }

  function spent(call) {
    const [input, output] = call.tokens;
    const tokens = output === null || output === undefined ? "" : `${input} tokens in, ${output} out`;
    const ended = call.finish && call.finish !== "stop" ? `ended by ${call.finish}` : "";
    return [tokens, ended, call.reused ? "taken from an earlier call" : ""].filter(Boolean).join(", ");
  }

  const message = (role, content, note = "") =>
    node(
      "div",
      { class: `message ${role === "reply" ? "reply" : ""}` },
      node("p", { class: "role" }, role, note ? node("span", {}, note) : ""),
      node("pre", {}, content || "(empty)"),
    );

  function code(episode, at) {
    const now = episode.turns[at].code;
    if (now === null) {
      const why = text(episode.turns[at].reason) || "the turn was broken off";
      return node("p", { class: "nothing" }, `No code was submitted: ${why}`);
    }
    const earlier = episode.turns.slice(0, at).findLast((turn) => turn.code !== null);
    if (!earlier) return listing.whole(text(now));
    if (earlier.code === now) {
      return node("div", {}, node("p", { class: "nothing" }, "The same code as before."), fold("Code", listing.whole(text(now))));
    }
    return node("div", {}, listing.changed(text(earlier.code), text(now)), fold("Whole code", listing.whole(text(now))));
  }

  function tests(turn) {
    const failed = turn.tests.filter(([, kind]) => kind !== "passed");
    const rows = failed.map(([name, kind, raised, trace]) =>
      node(
        "li",
        {},
        node("span", { class: `mark ${kind}` }, MARKS[kind] || "?"),
        node("span", { class: "test" }, text(name)),
        raised === null ? (kind === "failed" ? null : node("span", { class: "raised" }, kind)) : node("span", { class: "raised" }, text(raised)),
        trace === null ? null : fold("Traceback", node("pre", {}, text(trace))),
      ),
    );
    const odd = turn.verdict !== "passed" && turn.verdict !== "failed" && turn.why !== null;
    if (!rows.length && turn.output === null && !odd) return null;
    return node(
      "div",
      { class: "tests" },
      odd ? node("p", { class: "nothing" }, text(turn.why)) : null,
      rows.length ? node("ul", {}, ...rows) : null,
      turn.output === null ? null : fold("Printed output", node("pre", {}, text(turn.output))),
    );
  }

  // --- choosing ---------------------------------------------------------------------------

  const link = (episode, turn) => `#episode=${episode.id}${turn ? `&turn=${turn}` : ""}`;

  function nearest(wanted) {
    const fits = (one, keys) => keys.every((key) => one[key] === wanted[key]);
    const order = [["model", "task", "level"], ["model", "task"], ["model"]];
    for (const keys of order) {
      const found = data.episodes.find((one) => fits(one, keys));
      if (found) return found;
    }
    return data.episodes[0];
  }

  function pick(shown, change) {
    location.hash = link(nearest({ ...shown, ...change }));
  }

  function controls(shown) {
    const mine = data.episodes.filter((one) => one.model === shown.model);
    options(find("pick-model"), distinct(data.episodes.map((one) => one.model)), shown.model);
    options(find("pick-task"), distinct(mine.map((one) => one.task)).sort(), shown.task);
    find("pick-model").onchange = (event) => pick(shown, { model: event.target.value });
    find("pick-task").onchange = (event) => pick(shown, { task: event.target.value });
    const levels = mine
      .filter((one) => one.task === shown.task)
      .sort((one, other) => one.level - other.level || one.seed - other.seed);
    buttons(
      find("pick-level"),
      levels.map((one) => [one.id, `L${one.level}${one.seed ? `·${one.seed}` : ""}`, one.verdict]),
      shown.id,
      (id) => (location.hash = `#episode=${id}`),
    );
    find("picker").hidden = false;
  }

  function show(episode) {
    controls(episode);
    const turns = episode.turns.map((_, at) => turnView(episode, at));
    const parts = [heading(episode), matrix(episode), ...turns];
    find("reader").replaceChildren(...parts.filter((part) => part !== null));
  }

  function follow() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const episode = data.episodes.find((one) => one.id === wanted.get("episode"));
    if (!episode) return;
    show(episode);
    (find(`turn-${wanted.get("turn")}`) || find("episodes")).scrollIntoView();
  }

  function gridTabs() {
    const grids = [...document.querySelectorAll(".grid")];
    const choose = (name) => {
      grids.forEach((grid) => (grid.hidden = grid.dataset.name !== name));
      const names = grids.map((grid) => [grid.dataset.name, grid.dataset.name]);
      buttons(find("grid-tabs"), names, name, choose);
    };
    if (find("grid-tabs")) choose(grids[0].dataset.name);
  }

  gridTabs();
  if (data.episodes.length) {
    const telling = (one) => one.verdict === "passed" && one.turns.length > 1 && one.level > 0;
    show(data.episodes.find(telling) || data.episodes[0]);
    addEventListener("hashchange", follow);
    follow();
  }
})();
