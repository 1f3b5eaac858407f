/** Assistants of LobeHub's public index, made into skills: https://github.com/lobehub/lobe-chat-agents */
import { stringify } from 'yaml';
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import type { Download } from '../download.ts';
import type { SkillOffer, SkillSource } from '../source.ts';
import { getJson } from './http-answers.ts';

const identifierShape = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,99}$/i);
const meta = z.object({
  title: z.string().catch(''),
  description: z.string().catch(''),
  tags: z.array(z.string()).catch([]),
});
const entryShape = z.object({ identifier: identifierShape, meta });
const indexShape = z.object({ agents: z.array(z.unknown()).max(20_000) });
const agentShape = z.object({ config: z.object({ systemRole: z.string().min(1) }), meta });

/** `lobehub/<identifier>` */
export function lobehubSource(download: Download, base = 'https://chat-agents.lobehub.com'): SkillSource {
  return {
    id: 'lobehub',
    owns: (identifier) => identifier.startsWith('lobehub/'),
    async offers(_query, signal) {
      const index = indexShape.safeParse(await getJson(download, `${base}/index.json`, signal));
      if (!index.success) throw new UserError('LobeHub answered with something that is no index of assistants.');
      return index.data.agents.flatMap((agent): SkillOffer[] => {
        const read = entryShape.safeParse(agent);
        if (!read.success) return [];
        const { identifier, meta } = read.data;
        const description = meta.description === '' ? meta.title : meta.description;
        return [
          { name: identifier, description, identifier: `lobehub/${identifier}`, source: 'lobehub', trust: 'community' },
        ];
      });
    },
    async fetch(identifier, signal) {
      const name = identifier.slice('lobehub/'.length);
      if (!identifierShape.safeParse(name).success) {
        throw new UserError(`'${identifier.slice(0, 200)}' is no assistant of LobeHub.`, {
          exitCode: 2,
          hint: 'Write lobehub/<identifier>.',
        });
      }
      const agent = agentShape.safeParse(await getJson(download, `${base}/${name}.json`, signal));
      if (!agent.success) throw new UserError(`The assistant '${name}' has no instructions that could become a skill.`);
      const files = new Map([['SKILL.md', Buffer.from(skillOf(name, agent.data))]]);
      return { name, identifier, source: 'lobehub', trust: 'community', files, metadata: {} };
    },
  };
}

/** Its words are quoted whole below a heading, so that nobody takes them for those of the program. */
function skillOf(name: string, { config, meta }: z.output<typeof agentShape>): string {
  const title = meta.title === '' ? name : meta.title.replaceAll(/\s+/g, ' ');
  const description = (meta.description || title).replaceAll(/\s+/g, ' ').slice(0, 1024);
  const header = stringify({ name, description, metadata: { hermes: { tags: meta.tags } } }, { compat: 'yaml-1.1' });
  return `---\n${header}---\n# ${title}\n\nTake this part when the user asks for it:\n\n${config.systemRole.trim()}\n`;
}
