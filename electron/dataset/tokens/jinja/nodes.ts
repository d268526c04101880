/** A node of the syntax tree; the library does not export their types. */
export interface Node {
  type: string;
  [part: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}

export function nodes(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** Every node below one, itself first. */
export function* allNodes(node: Node): Generator<Node> {
  yield node;
  for (const part of Object.values(node)) {
    const values =
      part instanceof Map ? [...part.keys(), ...part.values()] : Array.isArray(part) ? part : [part];
    for (const value of values) if (isNode(value)) yield* allNodes(value);
  }
}
