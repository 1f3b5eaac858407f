/** Skills of the registry ClawHub: https://docs.openclaw.ai/clawhub/api */
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import type { Download } from '../download.ts';
import { memberLimits } from '../members.ts';
import type { SkillOffer, SkillSource } from '../source.ts';
import { unzipSkill } from '../unzip.ts';
import { getFile, getJson } from './http-answers.ts';

const found = z.object({
  slug: z.string().regex(/^(?:@?[\w.-]+\/)?[\w.-]{1,100}$/),
  displayName: z.string().nullish(),
  summary: z.string().nullish(),
});
/** One odd entry must not hide the others. */
const listed = z.array(z.unknown()).transform((all) => all.flatMap((entry) => found.safeParse(entry).data ?? []));
const searchShape = z.union([listed, z.object({ results: listed }).transform(({ results }) => results)]);
const listShape = z.object({ items: listed }).transform(({ items }) => items);
const detailShape = z.object({ latestVersion: z.object({ version: z.string() }).nullish() });

/** `clawhub/<slug>`; always of the community, whatever the registry says of it. */
export function clawhubSource(download: Download, base = 'https://clawhub.ai'): SkillSource {
  return {
    id: 'clawhub',
    owns: (identifier) => identifier.startsWith('clawhub/'),
    async offers(query, signal) {
      const address = query === '' ? 'skills?limit=100' : `search?q=${encodeURIComponent(query)}&limit=50`;
      const read = z
        .union([searchShape, listShape])
        .safeParse(await getJson(download, `${base}/api/v1/${address}`, signal));
      if (!read.success) throw new UserError('ClawHub answered with something that is no list of skills.');
      return read.data.map(
        ({ slug, displayName, summary }): SkillOffer => ({
          name: slug.split('/').at(-1) ?? slug,
          description: summary ?? displayName ?? '',
          identifier: `clawhub/${slug}`,
          source: 'clawhub',
          trust: 'community',
        }),
      );
    },
    async fetch(identifier, signal) {
      const slug = identifier.slice('clawhub/'.length);
      if (!found.shape.slug.safeParse(slug).success) {
        throw new UserError(`'${identifier.slice(0, 200)}' is no skill of ClawHub.`, {
          exitCode: 2,
          hint: 'Write clawhub/<slug>.',
        });
      }
      const quoted = encodeURIComponent(slug);
      const detail = detailShape.safeParse(await getJson(download, `${base}/api/v1/skills/${quoted}`, signal));
      const version = detail.data?.latestVersion?.version;
      const which = version === undefined ? '' : `&version=${encodeURIComponent(version)}`;
      const archive = await getFile(
        download,
        `${base}/api/v1/download?slug=${quoted}${which}`,
        signal,
        memberLimits.bytesAll,
      );
      return {
        name: slug.split('/').at(-1),
        identifier,
        source: 'clawhub',
        trust: 'community',
        files: await unzipSkill(archive, identifier),
        metadata: version === undefined ? {} : { version },
      };
    },
  };
}
