/** What the sessions of one program find out once for all of them, because it is the same for all. */
import { Recent } from '../lib/recent.ts';
import type { Identity } from '../prompt/identity.ts';
import type { ProjectContext } from '../prompt/project-files.ts';
import type { KnownPlaces } from '../safety/known-places.ts';
import type { Workspace } from '../sessions/sessions.ts';
import type { Interpreters } from '../tools/execute-code/languages/catalogue.ts';
import type { HomeCatalogue } from '../skills/skill-catalogue.ts';

/** Sessions that begin together are spared the looks at the disk; nobody notices a change that is younger. */
const keepMs = 1000;

export interface RuleTexts {
  readonly identity: Identity;
  readonly project: ProjectContext;
}

export class Findings {
  /** Where guarded files lie. A session knows them as they were when it began, which is longer ago than this. */
  readonly places = new Recent<KnownPlaces>({ keepMs });
  /** What is unusual about the Python of this machine. */
  readonly toolchain = new Recent<string>({ keepMs });
  /** Where this program lies. */
  readonly program = new Recent<string>({ keepMs });
  /** What runs scripts of the model. */
  readonly interpreters = new Recent<Interpreters>({ keepMs });
  /** The owner's and the project's words, as they go into a prompt. */
  readonly rules = new Recent<RuleTexts>({ keepMs });
  /** The repository around a folder. */
  readonly workspaces = new Recent<Promise<Workspace>>({ keepMs });
  #skills: Promise<HomeCatalogue> | undefined;

  /** It looks itself whether something has changed, each time. */
  skills(homePath: string): Promise<HomeCatalogue> {
    this.#skills ??= import('../skills/skill-catalogue.ts').then(({ HomeCatalogue }) => new HomeCatalogue(homePath));
    return this.#skills;
  }
}
