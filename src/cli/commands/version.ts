/** `hermes version`: what this build is and what it runs on. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import * as z from 'zod';
import type { CliContext } from '../command.ts';

const packageJson = z.object({ version: z.string(), releaseDate: z.string() });

export function build(context: CliContext): Command {
  return new Command('version').action(() => printVersion(context));
}

/** The same first line as `hermes --version`, which the launcher answers by itself. */
export function printVersion({ io }: CliContext): void {
  const { version, releaseDate } = readPackage();
  io.stdout.write(`Hermes Agent v${version} (${releaseDate})\nProject: ${projectRoot()}\nNode: ${process.version}\n`);
}

/** Version and release date of this package. */
export function readPackage(): { version: string; releaseDate: string } {
  return packageJson.parse(JSON.parse(readFileSync(`${projectRoot()}/package.json`, 'utf8')));
}

/** The folder that holds package.json: two levels up from a bundle in `dist/`, three from the sources. */
export function projectRoot(): string {
  const here = new URL('.', import.meta.url);
  const up = here.pathname.includes('/src/') ? '../../..' : '..';
  return new URL(up, here).pathname.replace(/\/$/, '');
}
