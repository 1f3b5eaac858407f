/** The identity a home begins with: the built-in paragraph, the `SOUL.md` that holds it, and what of that file is sent. */

/** Who the agent is when the owner says nothing else. How it works is told apart from it, so that no SOUL.md loses that. */
export const builtInIdentity = `You are Hermes Agent, an AI assistant that works on its owner's machine: questions, writing, code, research and everyday tasks. Be direct, warm and useful; be brief unless depth is wanted. Say so when you are unsure or when something failed. Explore with a purpose.`;

const note = `<!-- This is who your agent is. Make it your own: name, tone, what matters to you. It is read when a
     conversation begins. An empty file brings the built-in text back. This note is for you and is not sent. -->`;

/** The `SOUL.md` of a new home. */
export const soulSeed = `${builtInIdentity}\n\n${note}\n`;

/** What earlier builds wrote into a new home; whoever never changed it chose nothing. */
const earlierSeeds: readonly string[] = [
  `# Who you are

You are Hermes, a capable assistant who works on the user's own machine.
Be direct and warm, say what you do and why, and admit what you do not know.

Edit this file to change the personality; it is read at the start of every session.`,
];

/** The owner's identity out of the trimmed text of a `SOUL.md`; empty where only a seed of ours stands there. */
export function identityIn(text: string): string {
  return earlierSeeds.includes(text) ? '' : text.replace(note, '').trim();
}
