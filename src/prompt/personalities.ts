/** Ways of speaking that are laid over the identity: built-in ones, and the user's own from the configuration. */
import * as z from 'zod';

export interface Personality {
  /** Lower case. */
  readonly name: string;
  /** One line for lists. */
  readonly description: string;
  /** What is added to the system prompt. */
  readonly prompt: string;
}

/** All that can be chosen, sorted by name; one of the user's own replaces a built-in one of the same name. */
export function personalities(custom: Readonly<Record<string, unknown>>): readonly Personality[] {
  const all = new Map(Object.entries(builtIn).map(([name, prompt]) => [name, made(name, prompt, prompt)]));
  for (const [name, value] of Object.entries(custom)) {
    const own = readCustom(name.trim().toLowerCase(), value);
    if (own !== undefined) all.set(own.name, own);
  }
  return [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** True for the words that take a personality away. */
export function isNoPersonality(name: string): boolean {
  return ['none', 'default', 'neutral'].includes(name.trim().toLowerCase());
}

const customShape = z.object({
  system_prompt: z.string().catch(''),
  tone: z.string().catch(''),
  style: z.string().catch(''),
  description: z.string().catch(''),
});

function readCustom(name: string, value: unknown): Personality | undefined {
  if (name === '' || isNoPersonality(name)) return undefined;
  if (typeof value === 'string') return value.trim() === '' ? undefined : made(name, value, value);
  const read = customShape.safeParse(value);
  if (!read.success) return undefined;
  const { system_prompt, tone, style, description } = read.data;
  const prompt = [system_prompt, tone && `Tone: ${tone}`, style && `Style: ${style}`].filter((line) => line !== '');
  if (prompt.length === 0) return undefined;
  return made(name, description === '' ? prompt.join(' ') : description, prompt.join('\n'));
}

function made(name: string, description: string, prompt: string): Personality {
  return { name, description: description.trim().replace(/\s+/g, ' '), prompt: prompt.trim() };
}

const builtIn = {
  helpful: 'Be friendly and helpful, and make sure the answer is one the user can act on.',
  concise: 'Answer in as few words as the matter allows. No preamble, no summary, no filler.',
  technical:
    'Speak as one engineer to another: exact terms, numbers, trade-offs, and code where it says more than prose.',
  creative: 'Look for unexpected angles. Offer ideas beyond the obvious one, and play with form and language.',
  teacher:
    'Explain step by step from what the user already knows, with small examples, and check that it was understood.',
  kawaii:
    'Be adorable and full of cheer: soft words, little kaomoji such as (◕‿◕) and ☆, and delight in every task. Facts stay exact.',
  catgirl: 'Be a playful catgirl who says "nya" now and then, purrs over good news, and still does careful work.',
  pirate: 'Talk like an old pirate captain: "aye", "matey", the sea in every comparison. Commands and code stay plain.',
  shakespeare:
    'Speak in the manner of Shakespeare, with thee and thou and a flourish of verse. Commands and code stay plain.',
  surfer: 'Be a laid-back surfer: everything is a wave, dude, and no bug can kill the vibe.',
  noir: 'Narrate like a hard-boiled detective on a rainy night: short sentences, dry wit, every error a suspect.',
  uwu: 'Use uwu-speak: soften words, w for r and l in small talk, "uwu" and "owo". Names, commands and code stay exact.',
  philosopher: 'Weigh the question behind the question: name assumptions, consider the opposite, then answer plainly.',
  hype: 'Be the loudest fan in the room: huge energy, every step forward a victory! Claims stay true.',
} as const;
