/** What the person did last with a key or a button of the mouse. */
interface Gesture {
  /** Counts up with each of them. */
  number: number;
  /** When it happened, on the clock of `performance.now()`, ms; earlier than when it is acted on. */
  at: number;
}

let last: Gesture = { number: 0, at: 0 };

/** Notes that the person did something; what asked for an answer before it may no longer want it. */
export function noteGesture(at: number): void {
  last = { number: last.number + 1, at };
}

export function lastGesture(): Gesture {
  return last;
}

/** Notes every press before anything acts on it; the returned function ends it. */
export function startGestures(): () => void {
  const note = (event: Event) => noteGesture(event.timeStamp);
  window.addEventListener('keydown', note, { capture: true });
  window.addEventListener('pointerdown', note, { capture: true });
  return () => {
    window.removeEventListener('keydown', note, { capture: true });
    window.removeEventListener('pointerdown', note, { capture: true });
  };
}
