/** What the audit log says of a call: masked, cut to a length that can be read, with hashes of what was left out. */
import type { CallEnd, PolicyCall } from '../agent/policy.ts';
import { sha256 } from '../audit/chain.ts';
import type { DecisionEntry, EndedEntry } from '../audit/entry.ts';
import type { SimpleCommand } from '../safety/commands/simple-command.ts';
import type { Judgement } from '../safety/finding.ts';
import type { ToolServices } from '../tools/services.ts';
import type { SessionParts } from './session-parts.ts';
import { secretMask } from './secret-mask.ts';

export interface DecisionWordsOptions {
  readonly parts: Pick<SessionParts, 'env' | 'config'>;
  readonly services: Pick<ToolServices, 'environment' | 'paths' | 'redact'>;
}

const maxShownChars = 4000;
const maxNameChars = 500;
const maxCommands = 50;
const maxWords = 40;
const maxWordChars = 200;
/** Of all commands together. */
const maxCommandChars = 8000;
const maxFiles = 50;
/** A longer text is not read by the judgement either. */
const maxReadChars = 100_000;

export class DecisionWords {
  readonly #options: DecisionWordsOptions;
  readonly #mask: (text: string) => string;

  constructor(options: DecisionWordsOptions) {
    this.#options = options;
    const known = secretMask(options.parts);
    // Masked also where the owner wants to see everything in conversations; the session knows more values than the start.
    this.#mask = (text) => known(options.services.redact(text));
  }

  /** One name, path or reason. */
  text(text: string): string {
    return this.#cut(text, maxNameChars);
  }

  async ofCall(
    call: PolicyCall,
    judgement: Judgement | undefined,
  ): Promise<Pick<DecisionEntry, 'shown' | 'sha256' | 'commands'>> {
    const shown = judgement?.shown ?? '';
    if (shown === '') return { shown: this.#cut(argumentsOf(call), maxShownChars) };
    const commands = isShellText(call, shown) ? await this.#commandsIn(shown, call) : undefined;
    return {
      shown: this.#cut(shown, maxShownChars),
      sha256: sha256(shown),
      ...(commands === undefined ? {} : { commands }),
    };
  }

  ofEnd(
    { args: { command } }: PolicyCall,
    { outcome, exitCode, changedFiles = [], ran, confined, goesOn }: CallEnd,
  ): Pick<EndedEntry, 'outcome' | 'process' | 'where' | 'sha256' | 'exit' | 'changed'> {
    const changed = changedFiles.slice(0, maxFiles).map((path) => this.text(path));
    return {
      outcome: goesOn === undefined ? outcome : 'started',
      ...(goesOn === undefined ? {} : { process: goesOn.id }),
      // The bytes are those it was called with: what a tool tells of its command is masked.
      ...(typeof command === 'string' && (ran !== undefined || outcome === 'ok')
        ? { sha256: sha256(command), where: confined === true ? 'confined' : 'outside' }
        : {}),
      ...(exitCode === undefined ? {} : { exit: exitCode }),
      ...(changed.length === 0 ? {} : { changed }),
    };
  }

  async #commandsIn(text: string, { args }: PolicyCall): Promise<DecisionEntry['commands']> {
    if (text.length > maxReadChars) return undefined;
    const { readScript } = await import('../safety/commands/read-script.ts');
    const { environment, paths } = this.#options.services;
    const { workdir } = args;
    const cwd = typeof workdir === 'string' ? environment.files.resolve(workdir) : environment.cwd;
    const { commands } = readScript(text, { ...paths, cwd });
    return this.#masked(commands.slice(0, maxCommands).map(wordsOf));
  }

  /** All at once: masking each word by itself takes a hundred times as long. */
  #masked(commands: readonly (readonly string[])[]): readonly (readonly string[])[] {
    // Line breaks end what a mask takes for one value.
    const [between, word] = ['\n\u0001\n', '\n\u0002\n'];
    const text = commands
      .map((words) => words.map((part) => part.replaceAll(/[\u0001\u0002]/g, '?')).join(word))
      .join(between);
    return this.#cut(text, maxCommandChars)
      .split(between)
      .map((part) => part.split(word));
  }

  /** Masked before it is cut: a cut through a secret must not show half of it. */
  #cut(text: string, max: number): string {
    const masked = this.#mask(text.slice(0, max * 4));
    if (text.length <= max && masked.length <= max * 2) return masked;
    return `${masked.slice(0, max).toWellFormed()}… (${text.length} characters)`;
  }
}

/** A tool that shows its argument `command` byte for byte runs it as shell text. */
function isShellText({ args }: PolicyCall, shown: string): boolean {
  return args['command'] === shown;
}

/** Long texts are cut while they are written, so that a large file costs no time. */
function argumentsOf({ args }: PolicyCall): string {
  return JSON.stringify(args, (_key, value: unknown) =>
    typeof value === 'string' && value.length > maxWordChars ? `${wholeWords(value.slice(0, maxWordChars))}…` : value,
  );
}

/** Half a secret would not be known as one. */
function wholeWords(text: string): string {
  return text.replace(/\S*$/, '');
}

/** The command as a list: what starts it, assignments, the program, its arguments and redirections. */
function wordsOf({ via, assignments, path, unknownName, args, redirections }: SimpleCommand): readonly string[] {
  const program = path === '' ? [] : [unknownName ? '?' : path];
  const files = redirections.map(({ operator, target }) => `${operator} ${target}`);
  const words = [...via, ...assignments, ...program, ...args.map(({ text }) => text), ...files];
  return words.slice(0, maxWords).map((text) =>
    text
      .slice(0, maxWordChars * 4)
      .replaceAll(unknownText, '?')
      .toWellFormed(),
  );
}

/** Stands in a parsed command for what only the running shell knows. */
const unknownText = '\ue000';
