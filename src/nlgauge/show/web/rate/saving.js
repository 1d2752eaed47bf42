// Ratings on their way to the server: one after another, again and again until each is saved.

const LONGEST_WAIT = 30;

export function saver(tell, answered) {
  const page = [...crypto.getRandomValues(new Uint8Array(6))].map(byte => byte.toString(16).padStart(2, "0")).join("");
  const waiting = [];
  let [count, running, wait] = [0, false, 1];
  addEventListener("beforeunload", event => { if (waiting.length) event.preventDefault(); });
  addEventListener("online", () => { wait = 0; });

  // The log says when a page was opened; nothing depends on it.
  function open() {
    posted({ kind: "opened", request: `${page}.open` });
  }

  function save(rating, refused) {
    waiting.push({ rating: { ...rating, request: `${page}.${count++}` }, refused });
    if (running) return;
    tell("Saving ...", waiting.length);
    send();
  }

  async function send() {
    running = true;
    while (waiting.length) {
      const { rating, refused } = waiting[0];
      const answer = await posted(rating);
      if (answer.ok) {
        waiting.shift();
        wait = 1;
        answered(answer);
        if (waiting.length) tell("Saving ...", waiting.length);
        else tell(answer.elsewhere ? "Saved. These items are also being rated in another window; the last rating of an item counts." : "Saved.", waiting.length);
      } else if (answer.again) {
        tell(answer.words, waiting.length);
        await pause(answer.seconds ?? wait);
        wait = Math.min(LONGEST_WAIT, Math.max(1, wait) * 2);
      } else {
        waiting.shift();
        tell(answer.words, waiting.length);
        refused(answer.words);
      }
    }
    running = false;
  }

  return { open, save, waiting: () => waiting.length };
}

async function posted(rating) {
  try {
    const answer = await fetch("/api/rate", { method: "POST", headers: { "content-type": "application/json", "x-nlgauge": "1" }, body: JSON.stringify(rating) });
    if (answer.ok) return { ok: true, ...(await answer.json()) };
    const words = await answer.text();
    if (answer.status === 429) return { again: true, words: "Not saved yet: too many ratings in a minute, trying again.", seconds: Number(answer.headers.get("retry-after")) || 1 };
    if (answer.status >= 500) return { again: true, words: `Not saved: ${words || "the server has an error."} Trying again.` };
    return { words: `Not saved: ${words}` };
  } catch {
    return { again: true, words: "Not saved yet, trying again. Keep this page open." };
  }
}

// A pause that ends early when the network is back.
function pause(seconds) {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, seconds * 1000);
    addEventListener("online", () => { clearTimeout(timer); resolve(); }, { once: true });
  });
}

// Without a server: ratings stay in this browser, and a button saves them as a file.
export function keeper(name, tell) {
  const page = [...crypto.getRandomValues(new Uint8Array(6))].map(byte => byte.toString(16).padStart(2, "0")).join("");
  const key = `nlgauge-${name}`;
  let kept = [];
  let unsaved = 0;
  try {
    kept = JSON.parse(localStorage.getItem(key) ?? "[]");
  } catch {
    kept = [];
  }
  addEventListener("beforeunload", event => { if (unsaved) event.preventDefault(); });

  function save(rating) {
    kept.push({ ...rating, request: `${page}.${kept.length}`, at: Date.now() / 1000 });
    unsaved += 1;
    try {
      localStorage.setItem(key, JSON.stringify(kept));
    } catch {
      // The file is the only copy then.
    }
    tell(`${unsaved} ${unsaved === 1 ? "change is" : "changes are"} not in a file yet.`, unsaved);
  }

  function file(annotator) {
    unsaved = 0;
    tell("The ratings were saved as a file. Send it to the organizer.", 0);
    return kept.map(rating => `${JSON.stringify({ campaign: name, annotator, ...rating })}\n`).join("");
  }

  return { save, file, kept, waiting: () => unsaved };
}
