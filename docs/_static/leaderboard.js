// Sortable and filterable table of agreement; filters are part of the address.
(() => {
  const { rows, pages, languages } = window.nlgaugeLeaderboard;
  const columns = [
    { title: "metric", at: 5 }, { title: "agreement", at: 6 }, { title: "cluster", at: 9 }, { title: "s per 1,000", at: 11 },
    { title: "language", at: 12, filter: "language" }, { title: "task", at: 0, filter: "task" }, { title: "benchmark", at: 1, filter: "benchmark" }, { title: "dimension", at: 2, filter: "dimension" },
    { title: "segments", at: 3, filter: "segments" }, { title: "level", at: 4, filter: "level" },
  ];
  const filters = columns.filter(column => column.filter);
  const state = { language: "", task: "summarization", benchmark: "summeval", dimension: "relevance", segments: "all", level: "texts", metric: "", sort: "agreement", order: "down" };
  if (!rows.length) for (const { filter } of filters) state[filter] = "";
  if (location.search.length > 1) for (const { filter } of filters) state[filter] = "";
  for (const [key, value] of new URLSearchParams(location.search)) if (key in state) state[key] = value;
  const form = document.querySelector(".lb-filters"), head = document.querySelector(".lb-table thead"), body = document.querySelector(".lb-table tbody"), count = document.querySelector(".lb-count");
  const element = (name, properties = {}, ...children) => { const made = Object.assign(document.createElement(name), properties); made.append(...children); return made; };
  // The texts of a benchmark may have several languages.
  const valuesOf = (row, { at, filter }) => filter === "language" ? row[at] : [String(row[at])];
  const matches = (row, chosen = filters) => chosen.every(column => !state[column.filter] || valuesOf(row, column).includes(state[column.filter]));
  const inWords = codes => codes.map(code => languages[code]).join(", ");
  const shownValue = (filter, value) => filter === "language" ? languages[value] : value;
  const named = row => row[5].toLowerCase().includes(state.metric.toLowerCase());
  const selects = {};
  for (const { title, filter } of filters) {
    selects[filter] = element("select", { ariaLabel: title });
    selects[filter].addEventListener("change", event => { state[filter] = event.target.value; draw(); });
    form.append(element("label", {}, element("span", { textContent: title }), selects[filter]));
  }
  const search = element("input", { type: "search", value: state.metric, ariaLabel: "metric" });
  search.addEventListener("input", () => { state.metric = search.value; draw(); });
  form.append(element("label", {}, element("span", { textContent: "metric" }), search));
  form.addEventListener("submit", event => event.preventDefault());
  // Each filter offers the values that the filters before it leave; a value that they exclude is reset.
  const options = () => {
    filters.forEach((column, number) => {
      const { filter } = column, values = [...new Set(rows.filter(row => matches(row, filters.slice(0, number))).flatMap(row => valuesOf(row, column)))];
      if (!values.includes(state[filter])) state[filter] = "";
      selects[filter].replaceChildren(...["", ...values].map(value => element("option", { value, textContent: value ? shownValue(filter, value) : "any", selected: value === state[filter] })));
    });
  };
  const shownColumns = () => columns.filter(column => !column.filter || !state[column.filter]);
  const draw = () => {
    options();
    const order = columns.find(column => column.title === state.sort) ?? columns[1], sign = state.order === "down" ? -1 : 1;
    const sortable = value => Array.isArray(value) ? inWords(value) : value;
    const shown = rows.filter(row => matches(row) && named(row)).sort((a, b) => {
      const [x, y] = [sortable(a[order.at]), sortable(b[order.at])];
      if (x === null || y === null) return (x === null) - (y === null);
      return (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y))) * sign;
    });
    count.textContent = `${shown.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} values` + (shown.length > 300 ? "; the first 300 are shown" : "");
    const visible = shownColumns();
    head.replaceChildren(element("tr", {}, ...visible.map(column => {
      const press = element("button", { type: "button", textContent: column.title });
      press.addEventListener("click", () => { state.order = state.sort === column.title && state.order === "down" ? "up" : "down"; state.sort = column.title; draw(); });
      const cell = element("th", { scope: "col" }, press);
      if (column.title === state.sort) cell.setAttribute("aria-sort", state.order === "down" ? "descending" : "ascending");
      return cell;
    })));
    body.replaceChildren(...shown.slice(0, 300).map(row => element("tr", {}, ...visible.map(({ title, at }) => {
      if (title === "metric") {
        const code = element("code", { textContent: row[5] }), name = row[5].split(/[(.]/)[0];
        return element("th", { scope: "row" }, pages.includes(name) ? element("a", { href: `../metrics/${name}/` }, code) : code);
      }
      if (title === "agreement") return element("td", { textContent: row[6].toFixed(2) + (row[7] === null ? "" : ` [${row[7].toFixed(2)}, ${row[8].toFixed(2)}]`) + (row[10] ? " •" : "") });
      if (title === "language") return element("td", { textContent: inWords(row[at]) });
      return element("td", { textContent: row[at] ?? "" });
    }))));
    const query = new URLSearchParams(Object.entries(state).filter(([, value]) => value));
    history.replaceState(null, "", `?${query}${location.hash}`);
  };
  draw();
})();
