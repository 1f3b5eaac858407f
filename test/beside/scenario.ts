/** One scripted one-shot that the original and this program both run: what the model says, and what lies in the folder. */
import type { Step } from '../fakes/model-server.ts';

export interface Scenario {
  /** Unique; `docs/differences.md` may name it. */
  readonly name: string;
  /** Answers of the model in order. When they are used up it says `done`. */
  readonly steps: readonly Step[];
  /** Default `-z "do it" --yolo`. */
  readonly args?: readonly string[];
  /** Files of the working folder by their path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files of the home, beside a `config.yaml` that names the model server. */
  readonly home?: Readonly<Record<string, string>>;
  /** Lines for the end of `config.yaml`, which is the section `agent`. */
  readonly agentSettings?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Parts in which this program differs on purpose, each with the first column of its row in `docs/differences.md`. */
  readonly differs?: Readonly<Partial<Record<Compared, string>>>;
}

/** Roles of all requests, keys of all tool results, the exit code. */
export type Compared = 'roles' | 'keys' | 'exit';

/** A model's answer that calls one tool. */
export function call(name: string, args: object | string): Step {
  return { toolCalls: [{ name, arguments: args }] };
}

/** A model's answer that calls several tools at once. */
export function calls(...list: readonly (readonly [name: string, args: object | string])[]): Step {
  return { toolCalls: list.map(([name, args]) => ({ name, arguments: args })) };
}

/** Scenarios whose tool results differ on purpose: their names, and the first column of the row that says why. */
export function withDifferences(scenarios: readonly Scenario[], keys: Readonly<Record<string, string>>): Scenario[] {
  const names = new Set(scenarios.map(({ name }) => name));
  const unknown = Object.keys(keys).filter((name) => !names.has(name));
  if (unknown.length > 0) throw new Error(`no such scenario: ${unknown.join(', ')}`);
  return scenarios.map((scenario) => {
    const row = keys[scenario.name];
    return row === undefined ? scenario : { ...scenario, differs: { keys: row, ...scenario.differs } };
  });
}

/** Scenarios that differ in one tool's calls only: their names, and the calls that are made one after another. */
export function ofTool(
  tool: string,
  table: Readonly<Record<string, readonly object[]>>,
  rest: Omit<Scenario, 'name' | 'steps'> = {},
): Scenario[] {
  return Object.entries(table).map(([name, list]) => ({
    ...rest,
    name: `${tool}: ${name}`,
    steps: list.map((args) => call(tool, args)),
  }));
}
