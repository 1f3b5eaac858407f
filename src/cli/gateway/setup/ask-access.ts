/** Asks who may talk to the agent on a platform, and where its home chat is. */
import { filled, firstSet } from '../../../config/env-values.ts';
import { accessLists, listOf } from '../../../gateway/intake/access-lists.ts';
import type { PlatformConfig } from '../../../gateway/platform/platform-config.ts';
import type { Platform } from '../../../gateway/platform/platform.ts';
import type { Choice } from '../../model/prompts.ts';
import type { Asking } from './answers.ts';

export interface Access {
  readonly variables: ReadonlyMap<string, string | undefined>;
  /** Nobody is let in yet. */
  readonly pairs: boolean;
}

type Who = 'list' | 'pairing' | 'everybody';

const choices: readonly (Choice & { readonly value: Who })[] = [
  { value: 'list', label: 'people whose ids I write down now' },
  { value: 'pairing', label: 'whoever I let in later', hint: 'they are told a code, which I approve in this terminal' },
  { value: 'everybody', label: 'everybody who finds it', hint: 'with all that the agent can do here' },
];

export async function askForAccess(asking: Asking, platform: Platform, config: PlatformConfig): Promise<Access> {
  const { context, prompts, loaded } = asking;
  const { allowedUsersVariable: usersName, allowAllVariable: allName } = platform;
  const lists = accessLists(platform, config, context.env);
  const pinned = [usersName, allName].filter((name) => loaded.managed.variables.includes(name));
  if (pinned.length > 0) {
    prompts.say(`Who may talk to it is set by the administrator (${pinned.join(', ')}).`);
    return { variables: new Map(), pairs: false };
  }
  const now: Who = lists.allowAll ? 'everybody' : lists.users === undefined ? 'pairing' : 'list';
  for (;;) {
    const who = await prompts.select('Who may talk to it?', choices, now);
    if (who === 'list') {
      const users = await askForUsers(asking, platform);
      return {
        variables: new Map([
          [usersName, users],
          [allName, undefined],
        ]),
        pairs: false,
      };
    }
    if (who === 'pairing') {
      const others =
        lists.everywhere === undefined
          ? ''
          : 'GATEWAY_ALLOWED_USERS is set: who is on that list may talk, and nobody else is told a code.';
      if (others !== '') prompts.say(others);
      return {
        variables: new Map([
          [usersName, undefined],
          [allName, undefined],
        ]),
        pairs: others === '',
      };
    }
    if (
      await prompts.confirm(
        'Strangers could have it run commands and read files on this machine. Do you want that?',
        false,
      )
    )
      return { variables: new Map([[allName, 'true']]), pairs: false };
  }
}

async function askForUsers({ context, prompts }: Asking, platform: Platform): Promise<string> {
  const name = platform.allowedUsersVariable;
  const variable = platform.requiredVariables.find((each) => each.name === name);
  const now = filled(firstSet(context.env, [name])?.value);
  const answer = await prompts.text({
    message: variable?.prompt ?? 'Their ids, with commas between them',
    ...(now ? { initial: now } : {}),
    check: (text) => (text === '' ? 'One id at least, please.' : variable?.check?.(text)),
  });
  return [...(listOf(answer) ?? [])].join(',');
}

/** `users`: who may talk, as they stand in the variable. */
export async function askForHome(
  { context, prompts, loaded }: Asking,
  platform: Platform,
  users: string | undefined,
): Promise<ReadonlyMap<string, string | undefined>> {
  const { homeVariable: name } = platform;
  const variable = platform.requiredVariables.find((each) => each.name === name);
  if (variable === undefined || loaded.managed.variables.includes(name)) return new Map();
  const now = filled(firstSet(context.env, [name])?.value);
  const [first] = listOf(users) ?? [];
  const own = platform.privateChatIsPerson === true && first !== '*' ? first : undefined;
  const initial = now ?? own;
  const answer = await prompts.text({
    message: `${variable.prompt} (leave it empty for none; /sethome in a chat says it too)`,
    ...(initial === undefined ? {} : { initial }),
    check: (text) => (text === '' ? undefined : variable.check?.(text)),
  });
  if (answer === (now ?? '')) return new Map();
  // They belong to the chat that was home before.
  return new Map([
    [name, answer || undefined],
    [`${name}_NAME`, undefined],
    [`${name}_THREAD_ID`, undefined],
  ]);
}
