/** The tool `computer_use` over a driver that speaks like the real one. */
import type { TestContext } from 'node:test';
import type { Human } from '../../../src/agent/human.ts';
import type { ToolOutcome } from '../../../src/agent/tool.ts';
import { createLocalEnvironment } from '../../../src/environments/local/local-environment.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { noLog } from '../../../src/lib/log.ts';
import { CuaDriver } from '../../../src/runtime/cua-driver.ts';
import { computerUseTool } from '../../../src/tools/computer-use/computer-use.ts';
import { CuaDesktop } from '../../../src/tools/computer-use/cua-desktop.ts';
import { DesktopSession } from '../../../src/tools/computer-use/desktop-session.ts';
import type { PolicyOptions } from '../../../src/tools/policy/policy.ts';
import type { Vision } from '../../../src/tools/vision/vision.ts';
import type { FakeDriver } from '../../fakes/cua-driver.ts';
import { jsonOf, person, policyWith, runTool, servicesOver } from '../support.ts';

export const seeing: Vision = {
  isNative: true,
  canDescribe: false,
  canWatch: false,
  describe: () => Promise.reject(new Error('nobody is asked')),
  watch: () => Promise.reject(new Error('nobody is asked')),
};

export interface UseOptions {
  readonly vision?: Vision;
  readonly human?: Human;
  readonly policy?: Partial<PolicyOptions>;
}

/** One session. A person says yes for the session unless the test says otherwise. */
export function usingComputer(t: TestContext, driver: FakeDriver, options: UseOptions = {}) {
  const { folder } = driver;
  const { vision, human = person('session'), policy = {} } = options;
  const env = { ...driver.env, PATH: process.env['PATH'], HOME: folder, OPENAI_API_KEY: 'sk-secret', DISPLAY: ':7' };
  const program = new CuaDriver({
    program: driver.path,
    homePath: folder,
    env,
    telemetry: false,
    network: {},
    version: '0',
    log: noLog,
  });
  const computer = new DesktopSession(() =>
    Promise.resolve(new CuaDesktop({ driver: program, platform: 'linux', session: 'hermes-test' })),
  );
  t.after(() => computer.close());
  const environment = createLocalEnvironment({ cwd: folder, homePath: folder, env: {}, sessionId: 'test' });
  const services = servicesOver(environment, { homePath: folder, root: folder, userHome: folder });
  const own = { ...services, state: { ...services.state, computer, ...(vision === undefined ? {} : { vision }) } };
  const door = policyWith(policy);
  const outcomeOf = async (args: JsonObject): Promise<ToolOutcome> =>
    await runTool(computerUseTool, args, own, { policy: door, human });
  return { outcomeOf, call: async (args: JsonObject) => jsonOf(await outcomeOf(args)) };
}

/** What an answer says under a name; nothing where that is no text. */
export function wordsIn(answer: JsonObject, name: string): string {
  const value = answer[name];
  return typeof value === 'string' ? value : '';
}
