/** Skills for single sites from the catalogue of https://browse.sh */
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import { readDocument } from '../../skills/frontmatter.ts';
import { readSummary } from '../../skills/skill-header.ts';
import type { Download } from '../download.ts';
import type { SkillOffer, SkillSource } from '../source.ts';
import { getFile, getJson } from './http-answers.ts';

const slug = z.string().regex(/^[a-z0-9.-]{1,100}\/[\w.-]{1,150}$/i);
const entryShape = z.object({
  slug,
  name: z.string().nullish(),
  title: z.string().nullish(),
  description: z.string().nullish(),
  category: z.string().nullish(),
});
const all = z.array(z.unknown()).max(20_000);
const catalogueShape = z.union([all, z.object({ skills: all }).transform(({ skills }) => skills)]);
const detailShape = z.object({ skillMdUrl: z.url().nullish(), skillMd: z.string().nullish() });

/** `browse-sh/<host>/<task>` */
export function browseShSource(download: Download, base = 'https://browse.sh'): SkillSource {
  return {
    id: 'browse-sh',
    owns: (identifier) => identifier.startsWith('browse-sh/'),
    async offers(_query, signal) {
      const catalogue = catalogueShape.safeParse(await getJson(download, `${base}/api/skills`, signal));
      if (!catalogue.success) throw new UserError('browse.sh answered with something that is no list of skills.');
      return catalogue.data.flatMap((entry): SkillOffer[] => {
        const read = entryShape.safeParse(entry);
        if (!read.success) return [];
        const { name, title, description, category } = read.data;
        const offer: SkillOffer = {
          name: name ?? read.data.slug.split('/').at(-1) ?? read.data.slug,
          description: description ?? title ?? '',
          identifier: `browse-sh/${read.data.slug}`,
          source: 'browse-sh',
          trust: 'community',
        };
        return [category === null || category === undefined ? offer : { ...offer, category }];
      });
    },
    async fetch(identifier, signal) {
      const path = identifier.slice('browse-sh/'.length);
      if (!slug.safeParse(path).success || path.includes('..')) {
        throw new UserError(`'${identifier.slice(0, 200)}' is no skill of browse.sh.`, {
          exitCode: 2,
          hint: 'Write browse-sh/<host>/<task>.',
        });
      }
      const detail = detailShape.safeParse(await getJson(download, `${base}/api/skills/${path}`, signal)).data;
      const body =
        typeof detail?.skillMd === 'string'
          ? Buffer.from(detail.skillMd)
          : typeof detail?.skillMdUrl === 'string'
            ? await getFile(download, detail.skillMdUrl, signal)
            : undefined;
      if (body === undefined) throw new UserError(`browse.sh has no text of the skill '${path}'.`);
      const { header, body: text } = await readDocument(body.toString('utf8'));
      const name = readSummary(header, text).name ?? path.split('/').at(-1);
      const files = new Map([['SKILL.md', body]]);
      return { name, identifier, source: 'browse-sh', trust: 'community', files, metadata: {} };
    },
  };
}
