/** What the sessions of one program find out once for all of them, because it is the same for all. */
import { Recent } from '../lib/recent.ts';
import type { KnownPlaces } from '../safety/known-places.ts';
import type { HomeCatalogue } from '../skills/skill-catalogue.ts';

/** Sessions that begin together are spared the looks at the disk; nobody notices a change that is younger. */
const keepMs = 1000;

export class Findings {
  /** Where guarded files lie. A session knows them as they were when it began, which is longer ago than this. */
  readonly places = new Recent<KnownPlaces>({ keepMs });
  /** What is unusual about the Python of this machine. */
  readonly toolchain = new Recent<string>({ keepMs });
  #skills: Promise<HomeCatalogue> | undefined;

  /** It looks itself whether something has changed, each time. */
  skills(homePath: string): Promise<HomeCatalogue> {
    this.#skills ??= import('../skills/skill-catalogue.ts').then(({ HomeCatalogue }) => new HomeCatalogue(homePath));
    return this.#skills;
  }
}
