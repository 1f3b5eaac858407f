/** Every program of which something is known. */
import { archives } from './archives.ts';
import { containers } from './containers.ts';
import { databases } from './databases.ts';
import { editing } from './editing.ts';
import { findingFiles } from './finding-files.ts';
import { git } from './git.ts';
import { infrastructure } from './infrastructure.ts';
import type { Program } from './known.ts';
import { machine } from './machine.ts';
import { network } from './network.ts';
import { packages } from './packages.ts';
import { reading } from './reading.ts';
import { removing } from './removing.ts';
import { sessions } from './sessions.ts';
import { shellWords } from './shell-words.ts';
import { systemPrograms } from './system.ts';
import { tools } from './tools.ts';
import { writing } from './writing.ts';

/** One of several with the same name: the first. */
export const programs: readonly Program[] = [
  ...reading,
  ...writing,
  ...removing,
  ...shellWords,
  ...machine,
  ...findingFiles,
  ...editing,
  ...git,
  ...archives,
  ...packages,
  ...containers,
  ...infrastructure,
  ...network,
  ...databases,
  ...systemPrograms,
  ...sessions,
  ...tools,
];
