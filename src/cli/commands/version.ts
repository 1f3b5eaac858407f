/** `hermes version`: what this build is and what it runs on. */
import { existsSync, readFileSync } from 'node:fs';
import { Command } from 'commander';
import * as z from 'zod';
import type { CliContext } from '../command.ts';

const packageJson = z.object({ version: z.string(), releaseDate: z.string() });

export function build(context: CliContext): Command {
  return new Command('version').action(() => printVersion(context));
}

/** The same lines as `hermes --version`, which the launcher answers by itself. */
export function printVersion({ io }: CliContext): void {
  const { version, releaseDate } = readPackage();
  const root = projectRoot();
  const lines = [
    `Hermes Agent v${version} (${dotted(releaseDate)})`,
    `Install directory: ${root}`,
    `Install method: ${installMethod(root)}`,
    `Node: ${process.version}`,
  ];
  io.stdout.write(`${lines.join('\n')}\n`);
}

/** A day as versions of the original name it: `2026.7.20`. */
function dotted(day: string): string {
  return day.split('-').map(Number).join('.');
}

/** How the program got here, which is how it is updated. */
function installMethod(root: string): 'git' | 'npm' | 'folder' {
  if (existsSync(`${root}/.git`)) return 'git';
  return root.includes('/node_modules/') ? 'npm' : 'folder';
}

/** Version and release date of this package. */
export function readPackage(): { version: string; releaseDate: string } {
  return packageJson.parse(JSON.parse(readFileSync(`${projectRoot()}/package.json`, 'utf8')), { jitless: true });
}

/** The folder that holds package.json: two levels up from a bundle in `dist/`, three from the sources. */
export function projectRoot(): string {
  const here = new URL('.', import.meta.url);
  const up = here.pathname.includes('/src/') ? '../../..' : '..';
  return new URL(up, here).pathname.replace(/\/$/, '');
}
