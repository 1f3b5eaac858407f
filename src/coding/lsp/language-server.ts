/** What there is to know of a language server, as data. */
import type { JsonObject } from '../../lib/json.ts';

/** Where a server is started. Absolute paths. */
export interface ServerPlace {
  /** The root of the project it looks at. */
  readonly root: string;
  /** The home's own `lsp` directory. */
  readonly folder: string;
  /** The server itself. */
  readonly program: string;
}

export interface LanguageServer {
  /** Its name in `lsp.servers` and in `hermes lsp`. */
  readonly id: string;
  /** The protocol's name of the language, by the end of a file's name (`.py`) or by a whole name (`Dockerfile`). */
  readonly languages: Readonly<Record<string, string>>;
  /** Files whose directory is the root of a project; the nearest upward counts, else the root of the git tree. */
  readonly roots: readonly string[];
  /** The program; of several names the first that is found. */
  readonly programs: readonly string[];
  readonly args?: readonly string[];
  readonly install: InstallRecipe;
  /** It says little before the user has set up more; so it does not come unasked. */
  readonly needsMore?: true;
  /** What it is told at its start, as `initializationOptions`; the user's come on top. */
  readonly options?: (place: ServerPlace) => JsonObject;
  /** What it reads as its settings, by section. */
  readonly settings?: (place: ServerPlace) => JsonObject;
  /** Its answers come from a request of its own instead of the protocol's. */
  readonly asks?: 'tsserver';
}

export type InstallRecipe =
  | { readonly by: 'npm'; readonly packages: readonly [string, ...string[]] }
  | { readonly by: 'go'; readonly module: string }
  /** `how` completes "to install it: …". */
  | { readonly by: 'hand'; readonly how: string };
