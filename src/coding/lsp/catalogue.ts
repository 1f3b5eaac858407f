/** Every language server that is known. To add one: an entry in a file of `servers/`. */
import { basename } from 'node:path';
import type { LanguageServer } from './language-server.ts';
import { compiledServers } from './servers/compiled.ts';
import { configurationServers } from './servers/configuration.ts';
import { functionalServers } from './servers/functional.ts';
import { scriptServers } from './servers/scripts.ts';
import { webServers } from './servers/web.ts';

export const languageServers: readonly LanguageServer[] = [
  ...scriptServers,
  ...webServers,
  ...compiledServers,
  ...functionalServers,
  ...configurationServers,
];

export interface Language {
  readonly server: LanguageServer;
  /** The protocol's name of it. */
  readonly name: string;
}

/** Undefined for files that no server looks at. */
export function languageOf(path: string): Language | undefined {
  const file = basename(path);
  const dot = file.lastIndexOf('.');
  const ending = dot === -1 ? '' : file.slice(dot).toLowerCase();
  return byEnding.get(file) ?? byEnding.get(ending);
}

const byEnding: ReadonlyMap<string, Language> = new Map(
  languageServers.flatMap((server) =>
    Object.entries(server.languages).map(([ending, name]): [string, Language] => [ending, { server, name }]),
  ),
);
