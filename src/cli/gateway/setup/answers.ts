/** What the answers about one platform come to, and how they are stored: the variables in one step. */
import { join } from 'node:path';
import { readEnvFile } from '../../../config/dotenv.ts';
import { setEnvValues } from '../../../config/dotenv-edit.ts';
import { type Change, updateConfig } from '../../../config/edit.ts';
import type { LoadedConfig } from '../../../config/load.ts';
import { refusePinnedVariable } from '../../../config/managed.ts';
import type { AdapterNotes } from '../../../gateway/platform/adapter-host.ts';
import type { CliContext } from '../../command.ts';
import type { Prompts } from '../../model/prompts.ts';

/** Whom to ask, and what is set so far. */
export interface Asking {
  readonly context: CliContext;
  readonly prompts: Prompts;
  readonly loaded: LoadedConfig;
}

export interface Answers {
  /** For `.env`; undefined takes a variable out. */
  readonly variables: ReadonlyMap<string, string | undefined>;
  /** For config.yaml. */
  readonly changes: readonly Change[];
  /** What the person may do now, one line each. */
  readonly next: readonly string[];
  /** What was learned while the credentials were tried, such as a login that was made. */
  readonly notes?: NotesInMind;
}

/** The variables first: credentials that nothing speaks of do no harm. Throws `UserError`, and then nothing is written. */
export async function storeAnswers({ context, loaded }: Asking, { variables, changes }: Answers): Promise<void> {
  const { home } = context;
  const path = join(home.path, '.env');
  // A variable of the shell is none of a service.
  const { values } = readEnvFile(path);
  const changed = new Map([...variables].filter(([name, value]) => values.get(name) !== value));
  for (const name of changed.keys()) refusePinnedVariable(loaded.managed, name);
  if (changed.size > 0) setEnvValues(path, changed);
  if (changes.length > 0) await updateConfig(context, changes);
  context.reloadVariables();
}

/** Notes that an adapter makes while it is tried; written down when the answers are stored. */
export class NotesInMind implements AdapterNotes {
  readonly #kept: AdapterNotes;
  readonly #made = new Map<string, string>();

  constructor(kept: AdapterNotes) {
    this.#kept = kept;
  }

  async get(name: string): Promise<string | undefined> {
    return this.#made.get(name) ?? (await this.#kept.get(name));
  }

  async set(name: string, value: string): Promise<void> {
    this.#made.set(name, value);
    await Promise.resolve();
  }

  async keep(): Promise<void> {
    for (const [name, value] of this.#made) await this.#kept.set(name, value);
  }
}
