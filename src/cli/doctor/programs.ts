/** Doctor: the runtime, the programs that tools need, and which tools can run. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { browserVariables } from '../../config/browser-variables.ts';
import { camofoxVariables } from '../../config/camofox-variables.ts';
import { firstSet } from '../../config/env-values.ts';
import type { Home } from '../../config/home.ts';
import { type MakerWay, mediaVariables, wayToMaker } from '../../config/media-variables.ts';
import { speechOutput } from '../../config/speech-output.ts';
import type { ToolGateway } from '../../config/tool-gateway.ts';
import type { Variables } from '../../config/variables.ts';
import { storedLogins } from '../../credentials/stored-logins.ts';
import { canUseComputer } from '../../runtime/session-computer.ts';
import { searchPathOf } from '../../environments/local/search-path.ts';
import { toolGateway } from '../../runtime/tool-gateway.ts';
import { speechProblem } from '../../speech/can-speak.ts';
import { findChromium } from '../../tools/browser/find-chromium.ts';
import { toolCatalogue } from '../../tools/catalogue.ts';
import { findProgram } from '../find-program.ts';
import type { Check, CheckContext, Finding } from './finding.ts';
import { backendFindings } from './terminal-backend.ts';

const MIN_NODE_MAJOR = 24;
const PACKAGES = ['commander', 'yaml', 'zod', 'diff', 'eventsource-parser'] as const;

export const runtime: Check = {
  title: 'Runtime',
  run() {
    const major = Number(process.versions.node.split('.')[0]);
    const node: Finding =
      major >= MIN_NODE_MAJOR
        ? { status: 'ok', text: `Node ${process.version}` }
        : {
            status: 'fail',
            text: `Node ${process.version} is too old`,
            remedy: `Install Node ${MIN_NODE_MAJOR} or newer.`,
          };
    return [node, { status: 'info', text: `${process.platform} ${process.arch}` }];
  },
};

export const packages: Check = {
  title: 'Required Packages',
  run() {
    const missing = PACKAGES.filter((name) => !resolves(name));
    if (missing.length === 0) return [{ status: 'ok', text: 'all installed' }];
    return [{ status: 'fail', text: `missing: ${missing.join(', ')}`, remedy: 'Reinstall Hermes.' }];
  },
};

export const programs: Check = {
  title: 'External Tools',
  async run({ cli, loaded }) {
    const { env, home } = cli;
    const { terminal } = loaded.config;
    const { backend, sandbox: confinement } = terminal;
    const findings = [
      program('git', env, 'warn', 'Install git to use worktrees and checkpoints.'),
      program('bash', env, backend === 'local' ? 'fail' : 'warn', 'Install bash: commands run in it.'),
      await ripgrep(env),
      ...(backend === 'local' ? [await sandbox(confinement)] : []),
    ];
    const gateway = gatewayOf(home, env);
    findings.push(...(await backendFindings({ terminal, env, docker: cli.settings.docker, gateway })));
    return findings;
  },
};

export const toolAvailability: Check = {
  title: 'Tool Availability',
  run(context) {
    const toolsets = Map.groupBy(toolCatalogue, (entry) => entry.toolset);
    return [...toolsets].map(([toolset, tools]): Finding => {
      if (toolset === 'tts') return speech(context);
      const missing = missingFor(toolset, context);
      const names = tools.map((tool) => tool.name).join(', ');
      if (missing === undefined) return { status: 'ok', text: toolset, detail: names };
      return {
        status: 'info',
        text: `${toolset} is off`,
        detail: `needs ${missing.length === 1 ? '' : 'one of '}${missing.join(', ')}`,
      };
    });
  },
};

/** Who speaks, or why nobody does. */
function speech({ cli: { env, home }, loaded }: CheckContext): Finding {
  const logins = isLoggedIn(home.path, 'xai') ? ['xai'] : [];
  const output = speechOutput(loaded.config.tts, env, { gateway: gatewayOf(home, env), logins: new Set(logins) });
  const problem = speechProblem(output, searchPathOf(env));
  if (output.kind === 'none' || problem !== undefined)
    return { status: 'info', text: 'tts is off', detail: problem ?? '' };
  const converts = findProgram('ffmpeg', env) === undefined ? '; without ffmpeg no sound changes its format' : '';
  return { status: 'ok', text: 'tts', detail: `text_to_speech by ${output.speaker.name}${converts}` };
}

/** Toolsets that need a key of these. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  image_gen: ['FAL_KEY', 'KREA_API_KEY', 'OPENAI_API_KEY', 'XAI_API_KEY', 'OPENROUTER_API_KEY', 'DEEPINFRA_API_KEY'],
  video_gen: ['FAL_KEY', 'XAI_API_KEY', 'DEEPINFRA_API_KEY'],
  homeassistant: ['HASS_TOKEN'],
};

function missingFor(toolset: string, { cli, loaded }: CheckContext): readonly string[] | undefined {
  const { env, home } = cli;
  if (toolset === 'browser') {
    const { executable, playwright } = browserVariables(env);
    const places = { named: executable, playwright, searched: searchPathOf(env), userHome: homedir() };
    const isSetUp = loaded.config.browser.cdp_url !== '' || camofoxVariables(env).url !== undefined;
    const isLight = loaded.config.browser.engine === 'lightpanda' && findProgram('lightpanda', env) !== undefined;
    const isThere = isSetUp || isLight || findChromium(places) !== undefined;
    return isThere ? undefined : ['Chromium, Chrome, Brave or Edge', 'browser.cdp_url', 'CAMOFOX_URL'];
  }
  if (toolset === 'computer_use') return canUseComputer(env) ? undefined : ['cua-driver: hermes computer-use install'];
  if (toolset === 'x_search') {
    const isThere = firstSet(env, ['XAI_API_KEY']) !== undefined || hasLogin(home.path, 'xai-oauth');
    return isThere ? undefined : ['XAI_API_KEY', 'hermes auth add xai-oauth'];
  }
  const { image_gen, video_gen } = loaded.config;
  const makers = mediaVariables(env);
  const gateway = gatewayOf(home, env);
  const own = { gateway, logins: new Set(['xai', 'nous', 'openai-codex'].filter((id) => isLoggedIn(home.path, id))) };
  const isReached = ({ kind }: MakerWay): boolean => kind === 'gateway' || kind === 'login';
  if (toolset === 'image_gen' && isReached(wayToMaker('image', image_gen, makers, own))) return undefined;
  if (toolset === 'video_gen' && isReached(wayToMaker('video', video_gen, makers, own))) return undefined;
  const names = NEEDS[toolset] ?? [];
  return names.length === 0 || firstSet(env, names) !== undefined ? undefined : names;
}

function gatewayOf(home: Home, env: Variables): ToolGateway {
  const stored = storedLogins(join(home.path, 'auth.json'));
  return toolGateway({ home, env, models: { settings: { stored } } });
}

/** xAI has logins and stored keys. */
function isLoggedIn(homePath: string, id: string): boolean {
  return (id === 'xai' ? ['xai-oauth', 'xai'] : [id]).some((provider) => hasLogin(homePath, provider));
}

function hasLogin(homePath: string, provider: string): boolean {
  try {
    return storedLogins(join(homePath, 'auth.json')).has(provider);
  } catch {
    // That the file is damaged is told by the check of it.
    return false;
  }
}

function program(name: string, env: CheckContext['cli']['env'], ifMissing: 'warn' | 'fail', remedy: string): Finding {
  const path = findProgram(name, env);
  return path === undefined
    ? { status: ifMissing, text: `${name} is not on PATH`, remedy }
    : { status: 'ok', text: name, detail: path };
}

/** A copy comes with the program; one on PATH will do where that is missing. */
async function ripgrep(env: CheckContext['cli']['env']): Promise<Finding> {
  const { rgPath } = await import('@vscode/ripgrep');
  const path = findProgram(rgPath, env) ?? findProgram('rg', env);
  if (path !== undefined) return { status: 'ok', text: 'ripgrep', detail: path };
  return { status: 'warn', text: 'ripgrep is missing', remedy: 'Install ripgrep to search files quickly.' };
}

async function sandbox(mode: CheckContext['loaded']['config']['terminal']['sandbox']): Promise<Finding> {
  if (mode === 'off') return { status: 'info', text: 'commands are not confined (terminal.sandbox is off)' };
  const { probeSandbox } = await import('../../environments/local/sandbox/probe.ts');
  const found = await probeSandbox();
  if (found === undefined)
    return {
      status: 'ok',
      text: 'sandbox for commands',
      detail: process.platform === 'darwin' ? 'sandbox-exec' : 'bubblewrap',
    };
  return { status: 'warn', text: `commands cannot be confined: ${found.problem}`, remedy: found.remedy };
}

function resolves(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    // The question was whether it is there.
    return false;
  }
}
