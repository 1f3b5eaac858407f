/** The names of toolsets: those made of others, those of older configurations, and all that the original knows. */

const core = [
  'web',
  'terminal',
  'file',
  'browser',
  'vision',
  'image_gen',
  'tts',
  'skills',
  'todo',
  'memory',
  'session_search',
  'clarify',
  'delegation',
  'cronjob',
  'code_execution',
  'messaging',
  'homeassistant',
  'computer_use',
];
const notForCoding = new Set(['image_gen', 'tts', 'cronjob', 'messaging', 'homeassistant', 'computer_use']);
const coding = core.filter((name) => !notForCoding.has(name));
const notOverHttp = new Set(['clarify', 'tts', 'messaging', 'computer_use']);

/** Surfaces whose set is the core and nothing else. */
const plainSurfaces = `cli cron telegram whatsapp slack signal bluebubbles homeassistant email mattermost matrix dingtalk
  weixin qqbot wecom wecom-callback sms`;

/** Sets made of other sets or single tools. */
export const composites: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(plainSurfaces.split(/\s+/).map((name) => [`hermes-${name}`, core])),
  'hermes-discord': [...core, 'discord', 'discord_admin'],
  'hermes-feishu': [...core, 'feishu_doc', 'feishu_drive'],
  'hermes-yuanbao': [...core, 'yuanbao'],
  // Anybody may send to a webhook: nothing that changes anything.
  'hermes-webhook': ['web', 'vision', 'clarify'],
  'hermes-acp': coding.filter((name) => name !== 'clarify'),
  'hermes-api-server': core.filter((name) => !notOverHttp.has(name)),
  'hermes-gateway': [...core, 'discord', 'discord_admin', 'feishu_doc', 'feishu_drive', 'yuanbao'],
  debugging: ['terminal', 'web', 'file'],
  safe: ['web', 'vision', 'image_gen'],
  coding,
  search: ['web_search'],
};

/**
 * What is left of a disabled name: the set of a platform or a posture shares the core with every other one, so disabling it
 * takes away only what it has besides.
 */
export function disabledNames(name: string): readonly string[] {
  if (name !== 'coding' && !name.startsWith('hermes-')) return [name];
  return composites[name]?.filter((member) => !core.includes(member)) ?? [name];
}

/** Whether a name stands for all that a chat may have: what the configuration lists for all chats comes with it. */
export function isWholeSet(name: string): boolean {
  if (name === 'all' || name === '*') return true;
  const members = name.startsWith('hermes-') ? (composites[name] ?? []) : [];
  return core.every((member) => members.includes(member));
}

/** Names that older configurations use. */
export const legacyNames: Readonly<Record<string, string>> = {
  web_tools: 'web',
  terminal_tools: 'terminal',
  vision_tools: 'vision',
  image_tools: 'image_gen',
  skills_tools: 'skills',
  browser_tools: 'browser',
  cronjob_tools: 'cronjob',
  file_tools: 'file',
  tts_tools: 'tts',
  moa_tools: 'moa',
  rl_tools: 'rl',
};

/** Sets that hold tools themselves, besides those of this build: what has to be named for nothing to be on. */
export const singleSets: readonly string[] = [
  ...core,
  ...'discord discord_admin feishu_doc feishu_drive yuanbao search'.split(' '),
  ...'video video_gen x_search kanban project spotify context_engine'.split(' '),
];

/** Sets and tools of the original that this build may have nothing for; naming one is not a mistake. */
export const knownNames: ReadonlySet<string> = new Set([
  ...Object.values(composites).flat(),
  ...'video video_gen x_search kanban project spotify context_engine moa rl no_mcp'.split(' '),
]);

/** True for a name that people take for a skill now and then. */
export function isToolsetName(written: string): boolean {
  const name = written.toLowerCase();
  return singleSets.includes(name) || Object.hasOwn(composites, name);
}

/** Every name that can be written, for whoever looks for the nearest. */
export function allToolsetNames(ours: Iterable<string>): readonly string[] {
  return [...new Set([...ours, ...Object.keys(composites), ...Object.keys(legacyNames), ...knownNames, 'all'])];
}
