// One tip for the whole page: it shows what data-tip says, the first line in bold, near the pointer or below what has the focus.
import { clear, h } from "./dom.js";

const AIR = 8;

export function tips() {
  const tip = h("div", { id: "tip", role: "tooltip", hidden: true });
  document.body.append(tip);
  const show = event => {
    const target = event.target.closest?.("[data-tip]");
    tip.hidden = !target;
    if (!target) return;
    clear(tip, target.dataset.tip.split("\n").map((line, number) => h(number ? "span" : "b", {}, line)));
    const focused = event.type === "focusin";
    const box = target.getBoundingClientRect();
    const own = tip.getBoundingClientRect();
    const left = focused ? box.left : event.clientX + 12;
    const top = focused ? box.bottom + 6 : event.clientY + 14;
    const above = (focused ? box.top : event.clientY) - own.height - AIR;
    tip.style.left = `${Math.max(AIR, Math.min(left, innerWidth - own.width - AIR))}px`;
    tip.style.top = `${top + own.height > innerHeight - AIR ? above : top}px`;
  };
  document.addEventListener("mousemove", show);
  document.addEventListener("focusin", show);
  document.addEventListener("scroll", () => { tip.hidden = true; }, true);
}
