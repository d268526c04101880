import type { LoopFrame } from '../../agent/ports';

/** What a driven run does right now: published, never stored; a listener may drop any of it. */
export type LiveFrame = LoopFrame & { run: string };

/** Hands live frames to window and command line. A listener that throws is a bug: it is reported, and everybody else goes on. */
export class LiveEmitter {
  private readonly listeners = new Set<(frame: LiveFrame) => void>();

  constructor(private readonly failed: (frame: LiveFrame, thrown: unknown) => void) {}

  /** Returns the function that ends the subscription. */
  subscribe(listener: (frame: LiveFrame) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  emit(frame: LiveFrame): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(frame);
      } catch (thrown) {
        this.failed(frame, thrown);
      }
    }
  }
}
