/** Merging of skills outside of a conversation: the model, the tools and the books it needs. */
import { noHooks } from '../../agent/hooks.ts';
import type { Consolidate, Curator } from '../../curator/curator.ts';
import { noLog } from '../../lib/log.ts';
import { chooseTools } from '../choose-tools.ts';
import { openOutside } from '../open-outside.ts';
import { openSkills } from '../open-skills.ts';
import type { Source } from '../../llm/source.ts';
import type { ProgramOptions } from '../program-options.ts';
import { InlineCommands } from '../run-inline.ts';
import { runSettings } from '../run-settings.ts';
import { SessionBooks } from '../session-books.ts';
import type { SessionParts } from '../session-parts.ts';
import { SessionPolicy } from '../session-policy.ts';
import { SessionSideModels } from '../session-side.ts';
import { runBeside, type SideRunPorts } from '../side-run.ts';
import { createToolServices } from '../tool-services.ts';
import { createConsolidate } from './consolidate.ts';

export interface ConsolidationOptions extends Pick<ProgramOptions, 'home' | 'env' | 'config' | 'cwd' | 'log'> {
  /** Told one line when another model than the configured one did the work, or none could. */
  readonly onWarning?: (line: string) => void;
}

/** Throws `UserError` when no model is set up. `close` ends what was opened. */
export async function openConsolidation(
  options: ConsolidationOptions,
  curator: Pick<Curator, 'archive'>,
): Promise<{ readonly consolidate: Consolidate; close(): Promise<void> }> {
  const { config, log = noLog } = options;
  const { made, close } = await openOutside(options, async ({ models, store, route }) => {
    const { tools } = await chooseTools(config.config, { surface: 'cli', toolsets: ['skills'] });
    const about = { log, hooks: noHooks, surface: 'cli', models, store, tools, route, prompt: {} };
    const parts: SessionParts = { ...options, ...about };
    const sessionId = () => 'curator';
    const books = new SessionBooks(parts, sessionId);
    const warn = (line: string): void => options.onWarning?.(line);
    const side = new SessionSideModels({ parts, books, route: () => route, warn });
    const basic = createToolServices(parts, 'curator');
    // What is made of somebody else's skill is not the agent's own words.
    let read: readonly Source[] = [];
    basic.state.hosts.entered = () => read;
    // It reads the agent's own skills only.
    const policy = new SessionPolicy({ parts, services: basic, yolo: false, sources: () => [], warn });
    const inline = new InlineCommands(basic, sessionId);
    inline.decideBy(policy);
    const skills = await openSkills({ parts, services: basic, runInline: inline.run, origin: 'background_review' });
    const services = { ...basic, knowledge: skills === undefined ? {} : { skills } };
    const settings = runSettings(config);
    const ports: SideRunPorts = {
      ladders: side,
      settings,
      books,
      sessionId,
      entered: (sources) => void (read = sources),
      main: () => ({ route, reasoningEffort: settings.reasoningEffort }),
    };
    const consolidate = createConsolidate({
      run: (run, signal) => runBeside(ports, run, signal),
      tools: {
        list: tools,
        services,
        policy,
      },
      archive: (name) => curator.archive(name),
      writeApproval: config.config.skills.write_approval,
    });
    return { consolidate, environment: basic.environment };
  });
  return {
    consolidate: made.consolidate,
    async close() {
      await made.environment.close();
      await close();
    },
  };
}
