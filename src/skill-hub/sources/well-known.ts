/** Skills that a site lists at `/.well-known/skills/index.json` (Agent Skills Discovery, draft 0.1). */
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import type { Download } from '../download.ts';
import { checkMembers, memberLimits } from '../members.ts';
import type { SkillSource } from '../source.ts';
import { getFile, getJson } from './http-answers.ts';

/** Searched only when the query is the address of a site: there is no list of sites. */
export function wellKnownSource(download: Download): SkillSource {
  async function readIndex(base: string, signal: AbortSignal) {
    const parsed = indexShape.safeParse(await getJson(download, `${base}/.well-known/skills/index.json`, signal));
    if (!parsed.success) throw new UserError(`The index of ${new URL(base).host} does not list skills.`);
    return parsed.data.skills;
  }
  return {
    id: 'well-known',
    owns: (identifier) => identifier.startsWith('well-known:'),
    async offers(query, signal) {
      if (!/^https?:\/\/\S+$/i.test(query)) return [];
      const base = query.replace(/\/\.well-known\/.*$/, '').replace(/\/+$/, '');
      return (await readIndex(base, signal)).map(({ name, description }) => ({
        name,
        description,
        identifier: `well-known:${base}/.well-known/skills/${name}`,
        source: 'well-known',
        trust: 'community',
      }));
    },
    async fetch(identifier, signal) {
      const [, base, name] =
        /^well-known:(https?:\/\/.+?)\/\.well-known\/skills\/([a-z0-9-]{1,64})\/?$/i.exec(identifier) ?? [];
      if (base === undefined || name === undefined) {
        throw new UserError(`'${identifier.slice(0, 200)}' is not the address of a skill.`, {
          exitCode: 2,
          hint: 'Write well-known:https://example.com/.well-known/skills/<name>',
        });
      }
      const entry = (await readIndex(base, signal)).find((skill) => skill.name === name);
      const names = entry?.files ?? ['SKILL.md'];
      // Judged by name before anything is asked for: a name becomes part of an address.
      checkMembers(new Map(names.map((path) => [path, { length: 0 }])));
      const files = new Map<string, Buffer>();
      let total = 0;
      for (const path of names) {
        const address = path.split('/').map(encodeURIComponent).join('/');
        const body = await getFile(download, `${base}/.well-known/skills/${name}/${address}`, signal);
        total += body.length;
        if (total > memberLimits.bytesAll) throw new UserError(`The skill '${name}' is too large.`);
        files.set(path, body);
      }
      return { name, identifier, source: 'well-known', trust: 'community', files, metadata: {} };
    },
  };
}

const indexShape = z.object({
  skills: z
    .array(
      z.object({
        name: z.string().regex(/^[a-z0-9-]{1,64}$/),
        description: z.string().catch(''),
        files: z.array(z.string()).min(1).max(memberLimits.files).optional(),
      }),
    )
    .max(2_000),
});
