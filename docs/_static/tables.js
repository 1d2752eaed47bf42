// Tables of class "sortable": click a heading to sort, type to filter. Toggles of the sidebar get names for screen readers.
document.addEventListener("DOMContentLoaded", () => {
  for (const toggle of document.querySelectorAll(".bd-sidebar-primary summary")) {
    toggle.ariaLabel = `Pages of ${toggle.closest("li").querySelector("a").textContent.trim()}`;
  }
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0], rows = [...body.rows];
    const scroll = document.createElement("div");
    scroll.className = "lb-scroll";
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "Table");
    const holder = table.closest(".pst-scrollable-table-container") ?? table;
    holder.replaceWith(scroll);
    scroll.append(table);
    const label = document.createElement("label"), input = document.createElement("input");
    label.className = "lb-filters";
    label.append("Filter ", input);
    input.type = "search";
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/);
      for (const row of rows) row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word));
    });
    scroll.before(label);
    [...table.tHead.rows[0].cells].forEach((cell, at) => {
      const press = document.createElement("button");
      press.type = "button";
      press.append(...cell.childNodes);
      cell.append(press);
      press.addEventListener("click", () => {
        const down = cell.getAttribute("aria-sort") === "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        cell.setAttribute("aria-sort", down ? "descending" : "ascending");
        const key = row => row.cells[at].textContent.trim();
        const numbers = rows.every(row => !key(row) || !Number.isNaN(Number(key(row).replace(/,/g, ""))));
        rows.sort((a, b) => {
          const [x, y] = [key(a), key(b)];
          if (!x || !y) return !x - !y;
          return (numbers ? Number(x.replace(/,/g, "")) - Number(y.replace(/,/g, "")) : x.localeCompare(y)) * (down ? -1 : 1);
        });
        body.append(...rows);
      });
    });
  }
});
