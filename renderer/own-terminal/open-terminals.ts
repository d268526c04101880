/** The person's terminals on the screen: what the paste sheet gives its text to. */
const takers = new Map<string, (text: string) => void>();

/** Registers how a terminal takes a paste; the returned function ends it. */
export function giveTerminal(id: string, take: (text: string) => void): () => void {
  takers.set(id, take);
  return () => {
    if (takers.get(id) === take) takers.delete(id);
  };
}

export function pasteInto(id: string, text: string): void {
  takers.get(id)?.(text);
}
