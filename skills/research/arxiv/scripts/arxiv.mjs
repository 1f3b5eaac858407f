#!/usr/bin/env node
// Searches arXiv through its public query interface and prints what was found.
// usage: arxiv.mjs 'QUERY' [--id A,B] [--max 10] [--start 0] [--sort relevance|date] [--json]
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const usage = "usage: arxiv.mjs 'QUERY' [--id A,B] [--max 10] [--start 0] [--sort relevance|date] [--json]";
const { values, positionals } = readArguments();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
if (positionals.length === 0 && values.id === undefined) {
  console.error(usage);
  process.exit(2);
}

const url = new URL(values.base);
if (positionals.length > 0) url.searchParams.set('search_query', positionals.join(' '));
if (values.id !== undefined) url.searchParams.set('id_list', values.id);
url.searchParams.set('start', values.start);
url.searchParams.set('max_results', String(Math.min(100, Number(values.max) || 10)));
url.searchParams.set('sortBy', values.sort === 'date' ? 'submittedDate' : 'relevance');
url.searchParams.set('sortOrder', 'descending');

const feed = await load(url);
const papers = [...feed.matchAll(/<entry>([\s\S]*?)<\/entry>/g)].map(([, entry]) => ({
  id: (tag(entry, 'id') ?? '').replace(/^https?:\/\/arxiv\.org\/abs\//, ''),
  title: tag(entry, 'title'),
  authors: [...entry.matchAll(/<author>([\s\S]*?)<\/author>/g)].map(([, author]) => tag(author, 'name')),
  published: tag(entry, 'published')?.slice(0, 10),
  updated: tag(entry, 'updated')?.slice(0, 10),
  categories: [...entry.matchAll(/<category[^>]*term="([^"]+)"/g)].map(([, term]) => term),
  comment: tag(entry, 'arxiv:comment'),
  abstract: tag(entry, 'summary'),
}));
const total = Number(tag(feed, 'opensearch:totalResults') ?? papers.length);

if (values.json) console.log(JSON.stringify({ total, papers }, undefined, 2));
else {
  console.log(`${total} found, ${papers.length} shown`);
  for (const paper of papers) {
    const authors = paper.authors.length > 6 ? [...paper.authors.slice(0, 5), 'and others'] : paper.authors;
    console.log(`\n${paper.id}  ${paper.title}\n  ${authors.join(', ')}`);
    console.log(`  ${paper.published}, updated ${paper.updated}  [${paper.categories.join(' ')}]`);
    if (paper.comment) console.log(`  ${paper.comment}`);
    console.log(`  ${paper.abstract}`);
  }
}

async function load(address) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(address, { signal: AbortSignal.timeout(30_000) });
      if (response.ok) return await response.text();
      if (attempt === 3 || response.status < 429) throw new Error(`arXiv answered with status ${response.status}`);
    } catch (error) {
      if (attempt === 3 || /answered with/.test(error.message)) {
        console.error(`The search failed: ${error.cause?.message ?? error.message}`);
        process.exit(1);
      }
    }
    await wait(3_000);
  }
}

function tag(text, name) {
  const found = new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`).exec(text)?.[1];
  return found === undefined ? undefined : plain(found);
}

function plain(text) {
  const named = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/&(amp|lt|gt|quot|apos);/g, (_, name) => named[name]);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        id: { type: 'string' },
        max: { type: 'string', default: '10' },
        start: { type: 'string', default: '0' },
        sort: { type: 'string', default: 'relevance' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        base: { type: 'string', default: 'https://export.arxiv.org/api/query' },
      },
    });
  } catch (error) {
    console.error(`${error.message}\n${usage}`);
    process.exit(2);
  }
}
