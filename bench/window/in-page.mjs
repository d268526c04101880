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

export function readPainted() {
  return globalThis.painted;
}

/** Addresses of everything the page has loaded. */
export function loadedResources() {
  return performance.getEntriesByType('resource').map(({ name }) => name);
}
