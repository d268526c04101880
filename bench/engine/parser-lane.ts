import { growthOfEach } from '../../electron/testing/parsers/growth';

/** Child: every parser over its worst shapes at so many characters; a line of JSON on stdout for each shape. */
export async function parseInLane([length]: readonly string[]): Promise<void> {
  for (const grown of growthOfEach(Number(length))) process.stdout.write(`${JSON.stringify(grown)}\n`);
}
