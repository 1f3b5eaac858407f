/** What a spec comes to with the configuration of its program: the model, the tools, the folder. */
import type { ModelRoute } from '../llm/protocol.ts';
import { absentToolsets } from './absent-toolsets.ts';
import { chooseTools } from './choose-tools.ts';
import { folderOf } from './new-session.ts';
import type { Program } from './program.ts';
import { boardWorker } from './session-board.ts';
import type { SessionParts } from './session-parts.ts';
import type { SessionSpec } from './session-spec.ts';
import { fitToWindow } from './small-window.ts';
import { speechLogins } from './speech-access.ts';
import { hasXai } from './xai-access.ts';

export interface SpecParts {
  readonly parts: SessionParts;
  /** The stand-in answers, as no model is set up. */
  readonly demo: boolean;
  /** One line for each thing that could not be used. */
  readonly warnings: readonly string[];
}

/** Throws `UserError` when there is no model, and when none of the tools that were named is known. */
export async function specParts(program: Program, spec: SessionSpec): Promise<SpecParts> {
  const { options, models, store, log, fileWrites, browsers, findings, scanner, servers, hooks, plugins } = program;
  const { config, process } = options.config;
  const [{ route, demo }, chosen] = await Promise.all([
    resolveModel(program, spec),
    chooseTools(
      config,
      { ...spec, cwd: spec.cwd ?? options.cwd },
      {
        plugged: plugins.tools,
        joining: hasXai(options.env, models) ? ['x_search'] : [],
        worksOnTask: boardWorker(options) !== undefined,
        absent: absentToolsets(config, options.env, speechLogins({ ...options, models, plugins }), plugins.added),
      },
    ),
  ]);
  const small = fitToWindow(route, { config: options.config, tools: chosen.tools }, spec);
  const folder = folderOf(options.cwd, spec);
  const elsewhere = spec.mode?.elsewhere === true;
  const parts: SessionParts = {
    ...options,
    ...small,
    ...(elsewhere ? { elsewhere, config: await configElsewhere(small.config) } : {}),
    cwd: folder.cwd,
    surface: spec.surface,
    ...(spec.mode?.jobId === undefined ? {} : { jobId: spec.mode.jobId }),
    models,
    store,
    fileWrites,
    browsers,
    findings,
    scanner,
    ...(elsewhere ? {} : { servers: { all: servers, choice: chosen.servers } }),
    hooks,
    plugins,
    log: log.forSession(spec.resume?.id ?? ''),
    route,
    prompt: { ...spec.prompt, ignoreRules: spec.prompt?.ignoreRules === true || process.ignoreRules },
  };
  const moved = folder.warning === undefined ? [] : [folder.warning];
  return { parts, demo, warnings: [...moved, ...(await models.checkRoom(route)), ...chosen.warnings] };
}

async function resolveModel(
  { models }: Program,
  { route: request = {}, mode = {} }: SessionSpec,
): Promise<{ readonly route: ModelRoute; readonly demo: boolean }> {
  if ('protocol' in request) return { route: request, demo: request.provider === 'demo' };
  try {
    const route = await models.resolve(request);
    return { route, demo: route.provider === 'demo' };
  } catch (error) {
    const { NotConfiguredError } = await import('../providers/not-configured.ts');
    if (!(error instanceof NotConfiguredError) || mode.allowDemo !== true) throw error;
    return { route: await models.resolve({ provider: 'demo' }), demo: true };
  }
}

async function configElsewhere(config: SessionParts['config']): Promise<SessionParts['config']> {
  const { settingsElsewhere } = await import('./elsewhere.ts');
  return settingsElsewhere(config);
}
