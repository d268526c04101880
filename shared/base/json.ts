/**
 * Where a text that is no JSON goes wrong, as the end of a sentence. The parser's own words change with the runtime, quote what it
 * read, and do not always say where it stopped.
 */
export function jsonFault(text: string, { message }: Error): string {
  if (/end of JSON|[Uu]nterminated/.test(message)) return 'it ends before its JSON does';
  const position = /position (\d+)/.exec(message)?.[1];
  if (position === undefined) return 'it holds words or signs that JSON does not know';
  const before = text.slice(0, Number(position));
  const line = before.split('\n').length;
  return `the text at line ${line}, character ${before.length - before.lastIndexOf('\n')}, does not belong there`;
}

/** Whether a value is of a type that JSON Schema names; of an unknown name every value is. */
export function isOfJsonType(value: unknown, type: string): boolean {
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'null':
      return value === null;
    default:
      return true;
  }
}
