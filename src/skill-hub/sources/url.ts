/** One SKILL.md behind an http or https address. */
import { readDocument } from '../../skills/frontmatter.ts';
import { readSummary } from '../../skills/skill-header.ts';
import type { Download } from '../download.ts';
import type { SkillSource } from '../source.ts';
import { getFile, slugOf } from './http-answers.ts';

/** Always of the community, whoever's address it is. */
export function urlSource(download: Download): SkillSource {
  return {
    id: 'url',
    owns: (identifier) => /^https?:\/\//i.test(identifier),
    offers: () => Promise.resolve([]),
    async fetch(identifier, signal) {
      const body = await getFile(download, identifier, signal);
      const { header, body: text } = await readDocument(body.toString('utf8'));
      const { pathname } = new URL(identifier);
      const above = pathname.slice(0, pathname.lastIndexOf('/'));
      const name = readSummary(header, text).name ?? slugOf(above);
      const files = new Map([['SKILL.md', body]]);
      return { name, identifier, source: 'url', trust: 'community', files, metadata: {} };
    },
  };
}
