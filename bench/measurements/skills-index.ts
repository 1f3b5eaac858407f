/** The index of 200 skills for the system prompt: at the start of a program, and again while it runs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../parts/bundle.ts';
import type { Measurement } from '../parts/measurement.ts';
import { inMs, median } from '../parts/statistics.ts';

const skills = 200;
const rounds = 9;

export const skillsIndex: Measurement = {
  name: 'skills-index',
  async measure() {
    const home = mkdtempSync(join(tmpdir(), 'hermes-bench-skills-'));
    try {
      fill(home);
      using built = await bundle('./src/skills/skill-library.ts');
      const cold: Times[] = [];
      const kept: Times[] = [];
      const first = await run();
      for (let round = 0; round < rounds; round += 1) {
        // Written beside the skills, so that the next process need not read them all.
        rmSync(join(home, '.skills_prompt_snapshot.json'));
        cold.push(await run());
        kept.push(await run());
      }
      const lengths = new Set([...cold, ...kept].map(({ skillsNamed }) => skillsNamed));
      if (!lengths.has(skills) || lengths.size > 1)
        throw new Error(`the index names ${[...lengths].join(', ')} skills`);
      return [
        {
          what: `index of ${skills} skills, all read`,
          value: median(cold.map(({ index }) => index)),
          unit: 'ms',
          mark: 30,
          detail: `new process, median of ${rounds}; before anything was compiled ${inMs(first.index)}`,
        },
        {
          what: `index of ${skills} skills, nothing new`,
          value: median(kept.map(({ again }) => median(again))),
          unit: 'ms',
          mark: 2,
          detail: `same process; first in a new one ${inMs(median(kept.map(({ index }) => index)))}`,
        },
      ];

      async function run(): Promise<Times> {
        return (await built.run(scriptFor(built.address, home))) as Times;
      }
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
};

interface Times {
  /** Milliseconds of the first call, and of the ones behind it. */
  readonly index: number;
  readonly again: readonly number[];
  readonly skillsNamed: number;
}

function scriptFor(address: string, home: string): string {
  const settings = {
    externalDirs: [],
    disabled: [],
    platformDisabled: {},
    config: {},
    guardAgentCreated: false,
    writeApproval: false,
    templateVars: true,
    inlineShell: false,
    inlineShellTimeoutSeconds: 10,
  };
  const options = { homePath: home, settings, surface: 'cli' };
  return `
    const { createSkillLibrary } = await import(${JSON.stringify(address)});
    const environment = { userHome: ${JSON.stringify(home)}, programFolders: [], variable: () => undefined };
    const library = createSkillLibrary({ ...${JSON.stringify(options)}, environment });
    const startedAt = performance.now();
    const index = await library.index();
    const first = performance.now() - startedAt;
    const again = [];
    for (let call = 0; call < 15; call += 1) {
      const calledAt = performance.now();
      await library.index();
      again.push(performance.now() - calledAt);
    }
    const skillsNamed = index.match(/skill-\\d+/g)?.length ?? 0;
    console.log(JSON.stringify({ index: first, again, skillsNamed }));`;
}

function fill(home: string): void {
  for (let index = 0; index < skills; index += 1) {
    const dir = join(home, 'skills', `category-${index % 12}`, `skill-${index}`);
    mkdirSync(dir, { recursive: true });
    const header = `---\nname: skill-${index}\ndescription: Does the thing number ${index} as it should be done.\n---\n`;
    writeFileSync(join(dir, 'SKILL.md'), `${header}\n# Skill ${index}\n\n${'Do it step by step.\n'.repeat(100)}`);
  }
}
