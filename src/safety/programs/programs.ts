/** Every program of which something is known. */
import { editing } from './editing.ts';
import { findingFiles } from './finding-files.ts';
import { git } from './git.ts';
import type { Program } from './known.ts';
import { machine } from './machine.ts';
import { reading } from './reading.ts';
import { removing } from './removing.ts';
import { shellWords } from './shell-words.ts';
import { writing } from './writing.ts';

export const programs: readonly Program[] = [
  ...reading,
  ...writing,
  ...removing,
  ...shellWords,
  ...machine,
  ...findingFiles,
  ...editing,
  ...git,
];
