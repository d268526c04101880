import { everyParser } from './parsers/every-parser';

/** Lets every parser go over its worst shapes of so many characters, and says which it has come through. */
function main(length: number): void {
  for (const { names, shapes, parse, most = length } of everyParser) {
    for (const shape of Object.values(shapes)) parse(shape(Math.min(length, most)));
    for (const name of names) process.stdout.write(`${name}\n`);
  }
}

main(Number(process.argv[2]));
