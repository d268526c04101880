import { growthOfEach } from './parsers/growth';

/** Lets every parser go over its worst shapes of so many characters: a line of JSON for each that it has come through. */
function main(length: number, judged: number, allowed: number): void {
  for (const grown of growthOfEach(length, judged, allowed))
    process.stdout.write(`${JSON.stringify(grown)}\n`);
}

const [, , length, judged, allowed] = process.argv;
main(Number(length), Number(judged), Number(allowed));
