/** The number that a person wrote in decimal, such as `3`, `.5` or `1e-7`; NaN for anything else, hexadecimal included. */
export function readDecimal(text: string): number {
  return /^\d*\.?\d+(?:e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : Number.NaN;
}
