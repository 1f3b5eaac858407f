/** What is to be known of a language to run scripts in it. */
import type { PreparedProgram } from '../../../environments/environment.ts';
import type { Source } from '../../../llm/source.ts';
import type { ScriptTool } from '../script-tools.ts';

/** Where programs are looked for on this machine. */
export interface ProgramPlaces {
  /** The virtual environment of Python that counts where it is new enough. */
  readonly environment: string | undefined;
  /** Folders in which programs are looked for. */
  readonly searched: readonly string[];
}

export interface ScriptLanguage {
  readonly id: 'python' | 'javascript';
  /** For people and models. */
  readonly name: string;
  /** What nobody can see into may have read anything. */
  readonly source: Source & { readonly from: 'program' };
  /** What the program that runs its scripts may be called. */
  readonly programs: readonly string[];
  /** The one of this machine, if there is one. */
  find(places: ProgramPlaces): string | undefined;
  /** What to do where there is none. */
  readonly install: string;
  /** How a script imports the functions, and calls one. */
  importing(names: readonly string[]): string;
  signature(tool: ScriptTool): string;
  /** Of what the functions give back. */
  readonly results: string;
  /** Files of a script's folder by their names, which may hold folders. */
  files(code: string, names: ReadonlySet<string>): Readonly<Record<string, string>>;
  /** How `program` runs them, when they lie in `folder`. */
  command(program: string, folder: string): Pick<PreparedProgram, 'argv' | 'variables'>;
}
