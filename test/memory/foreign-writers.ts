/** Another program that saves MEMORY.md again and again without our lock, in place or by renaming: `node foreign-writers.ts FILE HOW`, until its input ends. */
import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const [path = '', how = ''] = process.argv.slice(2);
const over = new AbortController();
process.stdin.once('end', () => over.abort());
process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));
for (let index = 0; !over.signal.aborted; index += 1) {
  const text = `${readWhole()}\n§\n${how} ${index}`;
  if (how === 'rename') {
    writeFileSync(`${path}.other`, text);
    renameSync(`${path}.other`, path);
  } else {
    // As an editor does: emptied first, written a little later, in two pieces.
    const file = openSync(path, 'w');
    await sleep(index % 4);
    writeSync(file, text.slice(0, text.length / 2));
    writeSync(file, text.slice(text.length / 2));
    closeSync(file);
  }
  await sleep(15 + (index % 20));
}

function readWhole(): string {
  for (;;) {
    const text = readFileSync(path, 'utf8');
    if (text !== '') return text;
  }
}
