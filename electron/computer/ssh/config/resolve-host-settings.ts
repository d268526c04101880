/** What `ssh -G` printed: every setting with its values in order. */
export class ResolvedSettings {
  private readonly values = new Map<string, string[]>();

  constructor(output: string) {
    for (const line of output.split('\n')) {
      const space = line.indexOf(' ');
      if (space <= 0) continue;
      const name = line.slice(0, space).toLowerCase();
      const value = line.slice(space + 1).trim();
      const known = this.values.get(name);
      if (known) known.push(value);
      else this.values.set(name, [value]);
    }
  }

  /** The setting is one this version of ssh knows and prints. */
  has(name: string): boolean {
    return this.values.has(name);
  }

  /** First value as it is, also where it reads `none`. */
  text(name: string): string | undefined {
    return this.values.get(name)?.[0];
  }

  /** First value; undefined when ssh printed none, or `none`. */
  get(name: string): string | undefined {
    const value = this.values.get(name)?.[0];
    return value === '' || value === 'none' ? undefined : value;
  }

  all(name: string): string[] {
    return (this.values.get(name) ?? []).filter((value) => value !== 'none');
  }

  list(name: string): string[] {
    return this.get(name)?.split(',') ?? [];
  }

  /** ssh prints yes and true for the same, by setting and version. */
  yes(name: string): boolean {
    const value = this.get(name);
    return value === 'yes' || value === 'true';
  }

  number(name: string, otherwise: number): number {
    const value = Number(this.get(name) ?? Number.NaN);
    return Number.isFinite(value) ? value : otherwise;
  }
}
