#!/usr/bin/env node
// Looks through a wiki folder for links that lead nowhere, pages nobody links to, and pages missing in index.md.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: check-wiki.mjs FOLDER');
  process.exit(2);
}

const files = globSync('**/*.md', { cwd: folder }).sort();
const names = new Map(files.map((file) => [basename(file, '.md'), file]));
const linked = new Set();
const problems = [];
if (!names.has('index')) problems.push('index.md is missing');
if (names.size < files.length) problems.push('two pages have the same file name; links cannot tell them apart');

for (const file of files) {
  const text = readFileSync(join(folder, file), 'utf8').replace(/```[\s\S]*?```/g, '');
  for (const [, target] of text.matchAll(/\[\[([^\]|#]+)(?:[|#][^\]]*)?\]\]/g)) {
    const name = target.trim();
    if (!names.has(name)) problems.push(`${file}: [[${name}]] leads nowhere`);
    else if (file !== 'log.md') linked.add(`${file === 'index.md' ? 'index' : 'page'}:${name}`);
  }
  if (/^> conflict:/m.test(text)) problems.push(`${file}: has an open conflict`);
}
for (const [name, file] of names) {
  if (name === 'index' || name === 'log') continue;
  if (!linked.has(`index:${name}`)) problems.push(`${file}: not in index.md`);
  if (!linked.has(`page:${name}`)) problems.push(`${file}: no other page links here`);
}
for (const problem of problems) console.log(problem);
console.log(`${files.length} pages, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;
