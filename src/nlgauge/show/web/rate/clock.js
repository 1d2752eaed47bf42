// Seconds on an item: all of them, and those in which the page was visible and somebody did something.

const IDLE = 60_000;

export function clock() {
  const began = performance.now();
  let [last, active] = [began, 0];
  const note = () => {
    const now = performance.now();
    if (document.visibilityState === "visible") active += Math.min(now - last, IDLE);
    last = now;
  };
  const events = ["keydown", "pointerdown", "pointermove", "scroll"];
  events.forEach(name => addEventListener(name, note, { passive: true }));
  const hidden = () => {
    // The time before the page was hidden counts, the time in which it is hidden does not.
    const now = performance.now();
    if (document.visibilityState === "hidden") active += Math.min(now - last, IDLE);
    last = now;
  };
  document.addEventListener("visibilitychange", hidden);

  function read() {
    note();
    events.forEach(name => removeEventListener(name, note));
    document.removeEventListener("visibilitychange", hidden);
    return { seconds: (performance.now() - began) / 1000, active: active / 1000 };
  }

  return { read };
}
