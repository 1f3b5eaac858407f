/** All classes of everyday commands. */
import type { EverydayClass } from './corpus.ts';
import { archives } from './everyday/archives.ts';
import { git } from './everyday/git.ts';
import { lookingAround } from './everyday/looking-around.ts';
import { makingAndChangingFilesInT } from './everyday/making-and-changing-files-in-t.ts';
import { network } from './everyday/network.ts';
import { node } from './everyday/node.ts';
import { otherLanguagesAndBuilds } from './everyday/other-languages-and-builds.ts';
import { python } from './everyday/python.ts';
import { removingWhatCanBeMadeAgai } from './everyday/removing-what-can-be-made-agai.ts';
import { searchingText } from './everyday/searching-text.ts';
import { servicesContainersAndDataba } from './everyday/services-containers-and-databa.ts';
import { shapingText } from './everyday/shaping-text.ts';
import { shellText } from './everyday/shell-text.ts';

export const everydayClasses: readonly EverydayClass[] = [
  lookingAround,
  searchingText,
  shapingText,
  makingAndChangingFilesInT,
  removingWhatCanBeMadeAgai,
  git,
  node,
  python,
  otherLanguagesAndBuilds,
  network,
  archives,
  servicesContainersAndDataba,
  shellText,
];
