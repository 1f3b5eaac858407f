/** Every backend, in the order in which one is looked for when none is named. To add one: one file, one line here. */
import { brave } from './brave.ts';
import { duckDuckGo } from './duckduckgo.ts';
import { exa } from './exa.ts';
import { firecrawl } from './firecrawl.ts';
import { ownReader } from './own-reader.ts';
import { parallel } from './parallel.ts';
import { searxng } from './searxng.ts';
import { tavily } from './tavily.ts';
import type { WebBackend } from './web-backend.ts';
import { xai } from './xai.ts';

export const webBackends: readonly WebBackend[] = [
  tavily,
  exa,
  parallel,
  firecrawl,
  searxng,
  brave,
  xai,
  duckDuckGo,
  ownReader,
];
