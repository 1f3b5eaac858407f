/** `/curator`: looks after the skills that the agent made. */
import { UserError } from '../../lib/errors.ts';
import type { ChatCommand } from './chat-command.ts';

/** With the options that each may have; what asks first, and what takes many skills away, is for a terminal. */
const verbs: ReadonlyMap<string, readonly string[]> = new Map([
  ['status', []],
  ['usage', []],
  ['run', ['--dry-run', '--consolidate']],
  ['pause', []],
  ['resume', []],
  ['list-archived', []],
]);
const verbsOfSkill: ReadonlySet<string> = new Set(['pin', 'unpin', 'archive', 'restore']);

export const curator: ChatCommand = {
  name: 'curator',
  category: 'Tools & Skills',
  description: 'look after the skills that the agent made',
  argumentHint:
    '[status | usage | run | pause | resume | pin NAME | unpin NAME | archive NAME | restore NAME | list-archived]',
  atOnce: false,
  ofOwner: true,
  async run({ chat, hermes, print }, args) {
    print(await hermes.run(['curator', ...wordsOf(args)]));
    chat.worker?.session.knowledge.skills?.reload();
  },
};

/** Options of the whole program may stand anywhere on its command line, and none of them is for a chat. */
function wordsOf(args: string): readonly string[] {
  const [verb = 'status', ...rest] = args.split(/\s+/).filter((word) => word !== '');
  if (verbsOfSkill.has(verb)) {
    const [name, ...more] = rest;
    if (name !== undefined && !name.startsWith('-') && more.length === 0) return [verb, name];
    throw new UserError(`Usage: /curator ${verb} NAME`);
  }
  const options = verbs.get(verb);
  if (options === undefined) {
    throw new UserError(`/curator ${verb.slice(0, 40)} is not for chats.`, {
      hint: `Here there are ${[...verbs.keys(), ...verbsOfSkill].join(', ')}; in a terminal: hermes curator --help`,
    });
  }
  const odd = rest.find((word) => !options.includes(word));
  if (odd === undefined) return [verb, ...rest];
  throw new UserError(`/curator ${verb} does not take '${odd.slice(0, 40)}'.`, {
    hint: options.length === 0 ? 'It takes nothing.' : `It takes: ${options.join(', ')}`,
  });
}
