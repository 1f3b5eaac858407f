#!/usr/bin/env node
// Turns captions (.vtt or .srt) into readable text: captions.mjs FILE [--every SECONDS] [--no-times]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const usage = 'usage: captions.mjs FILE [--every SECONDS] [--no-times]';
const { values, positionals } = readArguments();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
if (positionals.length !== 1) {
  console.error(usage);
  process.exit(2);
}

const paragraphs = [];
let last = '';
for (const block of readFileSync(positionals[0], 'utf8')
  .replace(/\r/g, '')
  .split(/\n{2,}/)) {
  const lines = block.split('\n');
  const timing = lines.findIndex((line) => line.includes('-->'));
  const [, hours = '0', minutes, seconds] = /(?:(\d+):)?(\d\d):(\d\d)[.,]\d{3}\s*-->/.exec(lines[timing] ?? '') ?? [];
  if (minutes === undefined) continue;
  const at = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  for (const line of lines.slice(timing + 1)) {
    const text = decode(line.replace(/<[^>]*>/g, ''))
      .replace(/\s+/g, ' ')
      .trim();
    // Rolling captions show every line again while the next one comes.
    if (text === '' || text === last) continue;
    last = text;
    const open = paragraphs.at(-1);
    if (open === undefined || at - open.at >= Number(values.every)) paragraphs.push({ at, words: [text] });
    else open.words.push(text);
  }
}
for (const { at, words } of paragraphs)
  console.log(`${values['no-times'] ? '' : `[${clock(at)}] `}${words.join(' ')}\n`);

function clock(total) {
  const two = (value) => String(Math.floor(value)).padStart(2, '0');
  return total >= 3600
    ? `${Math.floor(total / 3600)}:${two((total % 3600) / 60)}:${two(total % 60)}`
    : `${two(total / 60)}:${two(total % 60)}`;
}

function decode(text) {
  const named = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" };
  return text.replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name) => named[name]);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        every: { type: 'string', default: '60' },
        'no-times': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    console.error(`${error.message}\n${usage}`);
    process.exit(2);
  }
}
