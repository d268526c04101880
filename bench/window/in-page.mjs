/** Functions that run in the measured page; Playwright carries their text over. Plain JavaScript: no DOM types here. */

/** Times are since the key's own time stamp. The result is `globalThis.latency`: a promise of `{ painted, durable }`. */
export function watchRow(step) {
  globalThis.latency = new Promise((resolve) => {
    let pressed = 0;
    let painted = 0;
    let durable = 0;
    let seen = false;
    const done = () => {
      if (painted > 0 && durable > 0) resolve({ painted, durable });
    };
    const onKey = (event) => {
      pressed = event.timeStamp;
    };
    addEventListener('keydown', onKey, { capture: true, once: true });
    const observer = new MutationObserver(() => {
      const row = document.querySelector(`[role=row][data-step="${step}"] [data-label]`);
      if (row === null || pressed === 0) return;
      if (!seen && row.dataset.pending === 'true') {
        seen = true;
        // The second frame begins when the first one, with the change in it, has been handed over.
        requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            painted = performance.now() - pressed;
            done();
          }),
        );
      } else if (seen && row.dataset.pending === 'false') {
        observer.disconnect();
        durable = performance.now() - pressed;
        done();
      }
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true });
  });
}

export function readLatency() {
  return globalThis.latency;
}

/** The same for a page that only appends the key: `globalThis.painted` is a promise of ms. */
export function answerKey() {
  globalThis.painted = new Promise((resolve) => {
    const answer = (event) => {
      document.body.append(event.key);
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - event.timeStamp)));
    };
    addEventListener('keydown', answer, { once: true });
  });
}

/** `globalThis.painted` is a promise of ms from the next key's own time stamp until the frame after the one that it led to. */
export function watchKey() {
  globalThis.painted = new Promise((resolve) => {
    const paint = ({ timeStamp }) => {
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - timeStamp)));
    };
    addEventListener('keydown', paint, { capture: true, once: true });
  });
}

export function readPainted() {
  return globalThis.painted;
}

/** Addresses of everything the page has loaded. */
export function loadedResources() {
  return performance.getEntriesByType('resource').map(({ name }) => name);
}

/**
 * The next key's echo in the terminal that is typed into: `globalThis.echo` is a promise of ms from the key's own time
 * stamp to the frame that shows one more of this character than before.
 */
export function watchEcho(character) {
  globalThis.echo = new Promise((resolve, reject) => {
    const screen = document.querySelector('.terminal-view-own .xterm-rows');
    const count = () => screen.textContent.split(character).length;
    const before = count();
    let pressed = 0;
    const onKey = (event) => {
      pressed = event.timeStamp;
    };
    addEventListener('keydown', onKey, { capture: true, once: true });
    const observer = new MutationObserver(() => {
      if (pressed === 0 || count() <= before) return;
      observer.disconnect();
      clearTimeout(late);
      // The screen is drawn in a frame's own callback; the next frame begins when this one has been handed over.
      requestAnimationFrame(() => resolve(performance.now() - pressed));
    });
    const late = setTimeout(() => {
      observer.disconnect();
      reject(new Error('A key was not echoed within 20 s.'));
    }, 20_000);
    observer.observe(screen, { subtree: true, childList: true, characterData: true });
  });
}

export function readEcho() {
  return globalThis.echo;
}

/** One command of the page's own contract, `order`: `{ command, input }`. */
export async function invokeCommand(order) {
  const bridge = globalThis.waymark ?? globalThis.waymarkOwnTerminal;
  const reply = await bridge.invoke(order.command, order.input);
  if (!reply.ok) throw new Error(`${order.command}: ${reply.error.message}`);
  // Long answers cross as JSON.
  return 'text' in reply ? JSON.parse(reply.text) : reply.value;
}

/** Types a text into a terminal that need not be shown; in the view of own terminals. */
export async function typeInto({ id, text }) {
  const bytes = new TextEncoder().encode(text);
  const reply = await globalThis.waymarkOwnTerminal.invoke('own.write', { id, bytes });
  if (!reply.ok) throw new Error(reply.error.message);
}

/** Writes one character into a terminal that is watched but not shown; ms until its next bytes are in the view. */
export function echoOf({ id, character }) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const over = (settle, value) => {
      clearTimeout(late);
      stop();
      settle(value);
    };
    const late = setTimeout(() => over(reject, new Error('A key was not echoed within 20 s.')), 20_000);
    const stop = globalThis.waymarkOwnTerminal.on('live.own', (frame) => {
      if (frame.id === id && frame.bytes.length > 0) over(resolve, performance.now() - start);
    });
    globalThis.waymarkOwnTerminal
      .invoke('own.write', { id, bytes: new TextEncoder().encode(character) })
      .then((reply) => {
        if (!reply.ok) over(reject, new Error(reply.error.message));
      });
  });
}

/**
 * `globalThis.shown` is a promise of ms, one for each selector: from the next key's own time stamp to the frame after the one in which
 * something that fits the selector stands in the page and did not before.
 */
export function watchFor(selectors) {
  globalThis.shown = new Promise((resolve, reject) => {
    let pressed = 0;
    const onKey = (event) => {
      pressed = event.timeStamp;
    };
    addEventListener('keydown', onKey, { capture: true, once: true });
    const found = new Set();
    const painted = [];
    const observer = new MutationObserver(() => {
      if (pressed === 0) return;
      for (const selector of selectors) {
        if (found.has(selector) || document.querySelector(selector) === null) continue;
        found.add(selector);
        const at = selectors.indexOf(selector);
        requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            painted[at] = performance.now() - pressed;
            if (Object.keys(painted).length < selectors.length) return;
            clearTimeout(late);
            resolve(painted);
          }),
        );
      }
      if (found.size === selectors.length) observer.disconnect();
    });
    const late = setTimeout(() => {
      observer.disconnect();
      reject(new Error(`Of ${selectors.join(', ')} not all were shown within 20 s.`));
    }, 20_000);
    observer.observe(document.body, { subtree: true, childList: true });
  });
}

export function readShown() {
  return globalThis.shown;
}

/**
 * Scrolls the list for so many frames and tells how long each took, ms: `by` px every frame, turning at the ends; 0 = to
 * anywhere every eighth frame.
 */
export function scrollFrames({ frames, by }) {
  return new Promise((resolve) => {
    const list = document.querySelector('.steps');
    const times = [];
    let speed = by;
    let seed = 7;
    let before = 0;
    const step = (now) => {
      if (before > 0) times.push(now - before);
      before = now;
      if (times.length >= frames) return resolve(times);
      const end = list.scrollHeight - list.clientHeight;
      if (by === 0 && times.length % 8 === 0) {
        seed = (seed * 48271) % 2147483647;
        list.scrollTop = (seed / 2147483647) * end;
      } else if (by !== 0) {
        if ((speed > 0 && list.scrollTop >= end - 1) || (speed < 0 && list.scrollTop <= 0)) speed = -speed;
        list.scrollTop += speed;
      }
      requestAnimationFrame(step);
    };
    list.scrollTop = list.scrollHeight / 2;
    requestAnimationFrame(() => requestAnimationFrame(step));
  });
}

/** Scrolls from one end to the other, a view at a time, waiting until the rows of each are there or 300 ms are over. */
export async function scrollThrough({ views }) {
  const list = document.querySelector('.steps');
  const end = list.scrollHeight - list.clientHeight;
  const filled = () => {
    const rows = [...list.querySelectorAll('[data-step]')];
    return rows.length > 0 && rows.every((row) => row.querySelector('[data-label]') !== null);
  };
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  let seen = 0;
  for (let view = 0; view <= views; view += 1) {
    list.scrollTop = (view / views) * end;
    const late = performance.now() + 300;
    do await frame();
    while (!filled() && performance.now() < late);
    if (filled()) seen += 1;
  }
  return seen / (views + 1);
}

/**
 * `globalThis.filled` is a promise of ms from the next key's or pointer's own time stamp to the frame after the one in which
 * every row in the view has its text and the first of them is another than before; with `rows`, only once the list has so many.
 */
export function watchFilled({ rows }) {
  globalThis.filled = new Promise((resolve, reject) => {
    const list = () => document.querySelector('.steps');
    const inView = () => {
      const box = list()?.getBoundingClientRect();
      if (box === undefined) return [];
      return [...list().querySelectorAll('[data-step]')].filter((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        return bottom > box.top && top < box.bottom;
      });
    };
    const before = inView()[0];
    const old = before === undefined ? '' : `${list().getAttribute('aria-rowcount')}/${before.dataset.step}`;
    let begun = 0;
    const start = (event) => {
      begun = begun || event.timeStamp;
    };
    addEventListener('keydown', start, { capture: true, once: true });
    addEventListener('pointerdown', start, { capture: true, once: true });
    const late = setTimeout(() => {
      const there = inView();
      const blank = there.filter((row) => row.querySelector('[data-label]') === null).length;
      const now = `${list()?.getAttribute('aria-rowcount')}/${there[0]?.dataset.step}`;
      reject(new Error(`After 30 s ${blank} of ${there.length} rows were blank; ${old} before, ${now} now.`));
    }, 30_000);
    const look = () => {
      const there = begun > 0 ? inView() : [];
      const count = list()?.getAttribute('aria-rowcount');
      const ready =
        there.length > 0 &&
        there.every((row) => row.querySelector('[data-label]') !== null) &&
        `${count}/${there[0].dataset.step}` !== old &&
        (rows === null || Number(count) === rows);
      if (!ready) return requestAnimationFrame(look);
      // What is there now is handed over in this frame; the next one begins when it has been.
      requestAnimationFrame(() => {
        clearTimeout(late);
        resolve(performance.now() - begun);
      });
    };
    requestAnimationFrame(look);
  });
}

export function readFilled() {
  return globalThis.filled;
}

/** Tells on the console of every label that the window shows as decided: `acked STEP LABEL`. */
export function tellAcknowledged() {
  const told = new Set();
  const look = () => {
    for (const row of document.querySelectorAll('[role=row][data-step]')) {
      const state = row.querySelector('[data-label]');
      const ring = row.querySelector('.glyph-ring');
      if (state === null || ring === null || state.dataset.pending !== 'false') continue;
      const word = `acked ${row.dataset.step} ${state.dataset.label}`;
      if (told.has(word)) continue;
      told.add(word);
      console.log(word);
    }
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
}
