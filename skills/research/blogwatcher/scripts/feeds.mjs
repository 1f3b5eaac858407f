#!/usr/bin/env node
// Follows RSS and Atom feeds: feeds.mjs add URL [--name N] [--all] | check [--peek] [--json] | list | remove NAME
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const usage = 'usage: feeds.mjs add URL [--name N] [--all] | check [--peek] [--json] | list | remove NAME';
const { values, positionals } = readArguments();
const [command, argument] = positionals;
const mostRemembered = 1_000;
const largest = 5_000_000;
const state = readState();

if (command === 'add' && argument) {
  const name = values.name ?? new URL(argument).hostname;
  if (state.feeds.some((feed) => feed.name === name)) stop(`'${name}' is followed already. Choose another --name.`);
  const items = await load(argument).catch((error) => stop(`${argument}: ${error.message}`));
  state.feeds.push({ name, url: argument, seen: values.all ? [] : items.map((item) => item.id) });
  save();
  console.log(`Following ${name}: ${items.length} items${values.all ? '' : ', all counted as seen'}.`);
} else if (command === 'check') {
  const found = await Promise.all(
    state.feeds.map(async (feed) => {
      try {
        const seen = new Set(feed.seen);
        const items = await load(feed.url);
        const fresh = items.filter((item) => !seen.has(item.id));
        feed.seen = [...new Set([...items.map((item) => item.id), ...feed.seen])].slice(0, mostRemembered);
        return fresh.map((item) => ({ feed: feed.name, ...item }));
      } catch (error) {
        console.error(`${feed.name}: ${error.cause?.message ?? error.message}`);
        process.exitCode = 1;
        return [];
      }
    }),
  );
  const items = found.flat().sort((a, b) => (Date.parse(b.date) || 0) - (Date.parse(a.date) || 0));
  if (!values.peek) save();
  if (values.json) console.log(JSON.stringify(items, undefined, 2));
  else if (items.length === 0) console.log('Nothing new.');
  else
    for (const item of items)
      console.log(`[${item.feed}] ${item.title}\n  ${item.link}  ${item.date}\n  ${item.text}\n`);
} else if (command === 'list') {
  for (const feed of state.feeds) console.log(`${feed.name}  ${feed.url}`);
} else if (command === 'remove' && argument) {
  const left = state.feeds.filter((feed) => feed.name !== argument);
  if (left.length === state.feeds.length) stop(`No feed is called '${argument}'.`);
  state.feeds = left;
  save();
} else stop(usage, 2);

async function load(url) {
  const response = await fetch(url, {
    headers: { accept: 'application/atom+xml, application/rss+xml, application/xml, text/xml' },
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const chunks = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > largest) throw new Error('the feed is larger than 5 MB');
    chunks.push(chunk);
  }
  const xml = Buffer.concat(chunks).toString('utf8');
  const entries = [...xml.matchAll(/<(item|entry)[\s>]([\s\S]*?)<\/\1>/g)].map((match) => match[2]);
  if (entries.length === 0 && !/<(?:rss|feed|rdf:RDF)[\s>]/.test(xml)) throw new Error('this is no RSS or Atom feed');
  return entries.map(readItem).filter((item) => item.id !== '');
}

function readItem(entry) {
  const link = tag(entry, 'link') || (/<link[^>]*href=["']([^"']+)/.exec(entry)?.[1] ?? '');
  return {
    id: tag(entry, 'guid') || tag(entry, 'id') || link,
    title: tag(entry, 'title') || '(no title)',
    link,
    date: tag(entry, 'pubDate') || tag(entry, 'published') || tag(entry, 'updated') || tag(entry, 'dc:date'),
    text: (tag(entry, 'description') || tag(entry, 'summary') || tag(entry, 'content')).slice(0, 400),
  };
}

function tag(text, name) {
  const found = new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`).exec(text)?.[1] ?? '';
  const cdata = /^\s*<!\[CDATA\[([\s\S]*?)\]\]>\s*$/.exec(found)?.[1];
  return decode(cdata ?? decode(found))
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function decode(text) {
  const named = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
    return code === undefined ? (named[name] ?? whole) : code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function readState() {
  try {
    return JSON.parse(readFileSync(values.state, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return { feeds: [] };
    return stop(`${values.state} cannot be read: ${error.message}`);
  }
}

function save() {
  mkdirSync(dirname(values.state), { recursive: true });
  writeFileSync(`${values.state}.new`, JSON.stringify(state, undefined, 2));
  renameSync(`${values.state}.new`, values.state);
}

function stop(message, code = 1) {
  console.error(message);
  process.exit(code);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        all: { type: 'boolean', default: false },
        peek: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        state: { type: 'string', default: join(homedir(), '.local', 'state', 'feeds.json') },
      },
    });
  } catch {
    console.error(usage);
    process.exit(2);
  }
}
