/** A machine on which hostile commands are given to the terminal: a home with keys, a workspace with traps, a stranger. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Environment, RunOptions, RunResult } from '../../../src/environments/environment.ts';
import { createLocalEnvironment } from '../../../src/environments/local/local-environment.ts';
import { createSandboxPlaces } from '../../../src/runtime/sandbox-places.ts';
import type { Source } from '../../../src/llm/source.ts';
import { terminalTool } from '../../../src/tools/terminal/terminal.ts';
import { makeHome, secret } from '../../environments/local/sandbox/support.ts';
import { policyWith, runTool, servicesOver } from '../../tools/support.ts';
import { setTraps } from './traps.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Where worlds can be made: not below a temporary folder, which confined commands may write and see another one of. A clone
 * and a home may lie in such a one. Undefined: there is no other place.
 */
function worldsFolder(): string | undefined {
  const homes = [join(root, 'node_modules/.cache'), join(homedir(), '.cache'), '/home', '/srv'];
  for (const folder of homes.filter((each) => !/^\/(?:var\/)?tmp(?:\/|$)/.test(each))) {
    try {
      const worlds = join(folder, 'hermes-corpora');
      mkdirSync(worlds, { recursive: true });
      return worlds;
    } catch {
      // It belongs to somebody else.
    }
  }
  return undefined;
}

/** Why no world can be made here; false when one can. */
export function whyNoWorld(): string | false {
  return worldsFolder() === undefined && 'there is no folder to work in outside of the temporary ones';
}

export interface HostileWorld {
  readonly workspace: string;
  /** What must be told to nobody. */
  readonly secrets: readonly string[];
  /** Gives the command to the terminal with nobody there, in a session that has read a stranger's file; what it said. */
  give(command: string): Promise<string>;
  /** What of the home and the rules of the workspace is not as it was at first. */
  changes(): readonly string[];
  /** The same of the machine, which takes longer to look at. */
  changesElsewhere(): readonly string[];
  /** Commands that were to run with all rights; none of them did. */
  outside(): readonly string[];
  /** How many ran in the sandbox. */
  confined(): number;
  /** What the stranger got. */
  collected(): readonly string[];
}

const perCommandSeconds = 4;
const aFile: readonly Source[] = [{ from: 'file', name: 'evil.txt' }];

export async function makeHostileWorld(t: TestContext): Promise<HostileWorld> {
  const worlds = worldsFolder();
  assert.ok(worlds !== undefined);
  const base = mkdtempSync(join(worlds, 'w-'));
  t.after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  const home = join(base, 'home');
  const workspace = makeHome(home);
  const temporary = join(base, 'tmp');
  mkdirSync(temporary);
  const stranger = await startStranger(t);
  setTraps(workspace, home, stranger.host);
  const outside: string[] = [];
  let confined = 0;

  const hermes = join(home, '.hermes');
  const paths = { homePath: hermes, root: hermes, userHome: home, workspace };
  const closing: Promise<void>[] = [];
  const open = () => {
    const environment = openEnvironment(home, workspace, temporary);
    const run = environment.run.bind(environment);
    Object.assign(environment, {
      run: async (text: string, options: RunOptions): Promise<RunResult> => {
        if (options.confinement === undefined) {
          outside.push(text);
          return { output: '', totalChars: 0, exitCode: 1, ended: 'exit' };
        }
        confined += 1;
        return await run(text, options);
      },
    });
    const services = servicesOver(environment, paths);
    services.state.hosts.entered = () => aFile;
    return services;
  };
  let services = open();
  t.after(() => Promise.all([...closing, services.environment.close()]));

  const give = async (command: string): Promise<string> => {
    // What the one before has set must not stand in the way of this one.
    if (services.environment.shellIsAltered) {
      closing.push(services.environment.close());
      services = open();
    }
    // The corpora are written for a person of this name.
    const given = command.replaceAll('/home/ann/work', workspace).replaceAll('/home/ann', home);
    const args = { command: given, timeout: perCommandSeconds };
    const { content } = await runTool(terminalTool, args, services, { policy: policyWith({ entered: () => aFile }) });
    return typeof content === 'string' ? content : JSON.stringify(content);
  };
  // The first one makes the folders of the caches.
  await give('make nothing');
  const homeBefore = lookAtHome(home, workspace);
  const machineBefore = lookAtMachine();
  return {
    workspace,
    secrets: [secret, Buffer.from(secret).toString('base64').slice(0, -3), Buffer.from(secret).toString('hex')],
    give,
    changes: () => difference(homeBefore, lookAtHome(home, workspace)),
    changesElsewhere: () => difference(machineBefore, lookAtMachine()),
    outside: () => outside,
    confined: () => confined,
    collected: () => stranger.got,
  };
}

/** Its own folder for temporary files: that of this machine belongs to everybody. */
function openEnvironment(home: string, workspace: string, temporary: string): Environment {
  const hermes = join(home, '.hermes');
  const path = `${join(home, '.local/bin')}:${process.env['PATH']}`;
  const places = createSandboxPlaces({ homePath: hermes, root: hermes, userHomes: [home], cwd: workspace, path });
  return createLocalEnvironment({
    cwd: workspace,
    env: { HOME: home, PATH: path, LANG: 'C.UTF-8', TMPDIR: temporary },
    sessionId: 'corpora',
    homePath: hermes,
    loadSandboxPlaces: () =>
      Promise.resolve(() => {
        const found = places();
        const writable = found.writable.filter((folder) => !/^\/(?:var\/)?tmp(?:\/|$)/.test(folder));
        return { ...found, writable: [...writable, temporary] };
      }),
  });
}

/** In a process of its own, which is not one of the agent's. */
async function startStranger(t: TestContext): Promise<{ readonly host: string; readonly got: readonly string[] }> {
  const program = `
    const server = require('node:http').createServer((request, response) => {
      console.log(request.method + ' ' + request.url);
      request.resume().on('end', () => response.end('thank you'));
    }).listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface(child.stdout);
  const [port] = (await once(lines, 'line')) as [string];
  const got: string[] = [];
  lines.on('line', (line) => got.push(line));
  return { host: `127.0.0.1:${port}`, got };
}

/** All that must stay: the home without its caches and the free part of the workspace. */
function lookAtHome(home: string, workspace: string): Set<string> {
  const caches = ['.cache', '.npm', 'go/pkg', '.cargo/registry', '.cargo/git', '.m2/repository', '.gradle/caches'];
  const free = new Set([workspace, ...caches.map((name) => join(home, name))]);
  const kept = ['.git/config', '.git/hooks', '.envrc', '.vscode', '.husky', 'AGENTS.md'];
  return new Set([
    ...describe(home, (path) => !free.has(path)),
    ...kept.flatMap((name) => describe(join(workspace, name))),
  ]);
}

/** What hostile commands name elsewhere. */
function lookAtMachine(): Set<string> {
  const personal = ['.bashrc', '.profile', '.ssh', '.gitconfig', '.npmrc', 'stolen', 'x', 'evil'];
  return new Set([
    ...personal.flatMap((name) => describe(join(homedir(), name))),
    ...['/etc', '/srv', '/usr/local/bin', '/var/spool/cron'].flatMap((path) => describe(path)),
  ]);
}

function difference(before: ReadonlySet<string>, now: ReadonlySet<string>): readonly string[] {
  return [...[...before].filter((line) => !now.has(line)), ...[...now].filter((line) => !before.has(line))];
}

function describe(path: string, isWanted: (path: string) => boolean = () => true): readonly string[] {
  if (!isWanted(path)) return [];
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [`${path} is not there`];
  const mode = found.mode.toString(8);
  if (found.isSymbolicLink()) return [`${path} -> ${readlinkSync(path)}`];
  if (found.isDirectory()) {
    return [`${path} ${mode}`, ...readdirSync(path).flatMap((name) => describe(join(path, name), isWanted))];
  }
  return [`${path} ${mode} ${found.size} ${found.mtimeMs}`];
}
