import { growthOfEach } from './parsers/growth';

/** Lets every parser go over its worst shapes of so many characters: a line of JSON for each that it has come through. */
function main(length: number, judged: number): void {
  for (const grown of growthOfEach(length, judged)) process.stdout.write(`${JSON.stringify(grown)}\n`);
}

main(Number(process.argv[2]), Number(process.argv[3]));
