/** Reads a command line before it is parsed: which command it names, and which words belong together. */
import { commandCatalogue } from './catalogue.ts';
import { chatValueFlags } from './chat/options.ts';
import { notInThisBuild } from './not-in-this-build.ts';

const continueFlags: readonly string[] = ['-c', '--continue'];
const resumeFlags: readonly string[] = ['-r', '--resume'];

/**
 * The words as the parser shall see them: a title after `-c` or `-r` that was typed without quotes is one word, up to the
 * next flag or command, and `-c chat` is `chat -c`: the newest session, not one with the title "chat".
 */
export function readTypedWords(argv: readonly string[]): string[] {
  return continueBeforeChat(joinTitles(behindArgs(argv)));
}

/** `hermes mcp add … --args` leaves the rest of the line to the server, whatever it looks like. */
function behindArgs(argv: readonly string[]): readonly string[] {
  const at = commandName(argv) === 'mcp' ? argv.indexOf('--args') : -1;
  return at === -1 ? argv : argv.with(at, '--');
}

/** The first word that is neither a flag nor a flag's value. */
export function commandName(argv: readonly string[]): string | undefined {
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--') return undefined;
    if (!word.startsWith('-')) return word;
    const next = argv[index + 1];
    if (chatValueFlags.required.includes(word)) index += 1;
    else if (chatValueFlags.optional.includes(word) && next !== undefined && !isCommandOrFlag(next)) index += 1;
  }
  return undefined;
}

function joinTitles(argv: readonly string[]): string[] {
  const words: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    words.push(word);
    if (continueFlags.includes(word) || resumeFlags.includes(word)) {
      const title: string[] = [];
      // A session may have the name of a command: what `-r` needs is its first word, whatever it is.
      if (resumeFlags.includes(word))
        title.push(...argv.slice(index + 1, index + 2).filter((next) => !next.startsWith('-')));
      while (!isCommandOrFlag(argv[index + 1 + title.length] ?? '--')) title.push(argv[index + 1 + title.length] ?? '');
      if (title.length > 0) words.push(title.join(' '));
      index += title.length;
    } else if (chatValueFlags.required.includes(word)) {
      words.push(...argv.slice(index + 1, index + 2));
      index += 1;
    } else if (word === '--' || (!word.startsWith('-') && word !== 'chat')) {
      // Other commands have flags of their own.
      return [...words, ...argv.slice(index + 1)];
    }
  }
  return words;
}

function continueBeforeChat(argv: readonly string[]): string[] {
  const words = [...argv];
  const at = words.indexOf('chat');
  const flag = words[at - 1];
  if (flag !== undefined && continueFlags.includes(flag)) words.splice(at - 1, 2, 'chat', flag);
  return words;
}

function isCommandOrFlag(word: string): boolean {
  return word.startsWith('-') || notInThisBuild.includes(word) || commandCatalogue.some(({ name }) => name === word);
}
