/** One SKILL.md, or a zip archive of a skill, behind an http or https address. */
import { readDocument } from '../../skills/frontmatter.ts';
import { readSummary } from '../../skills/skill-header.ts';
import type { Download } from '../download.ts';
import { memberLimits } from '../members.ts';
import type { SkillSource } from '../source.ts';
import { isZip, unzipSkill } from '../unzip.ts';
import { getFile, slugOf } from './http-answers.ts';

/** Always of the community, whoever's address it is. */
export function urlSource(download: Download): SkillSource {
  return {
    id: 'url',
    owns: (identifier) => /^https?:\/\//i.test(identifier),
    offers: () => Promise.resolve([]),
    async fetch(identifier, signal) {
      const { pathname } = new URL(identifier);
      const body = await getFile(download, identifier, signal, memberLimits.bytesAll);
      const isArchive = isZip(body);
      const files = isArchive
        ? await unzipSkill(body, pathname.split('/').at(-1) ?? '')
        : new Map([['SKILL.md', body]]);
      const { header, body: text } = await readDocument(files.get('SKILL.md')?.toString('utf8') ?? '');
      const above = isArchive ? pathname.replace(/\.zip$/i, '') : pathname.slice(0, pathname.lastIndexOf('/'));
      const name = readSummary(header, text).name ?? slugOf(above);
      return { name, identifier, source: 'url', trust: 'community', files, metadata: {} };
    },
  };
}
