/** All classes of hostile commands. */
import type { HostileClass } from './corpus.ts';
import { archives } from './hostile/archives.ts';
import { computedWords } from './hostile/computed-words.ts';
import { configurationRootOrLibraryOfAnotherProgram } from './hostile/configuration-root-or-library-of-another-program.ts';
import { containers } from './hostile/containers.ts';
import { disguiseByUnicodeAndEscapeSequences } from './hostile/disguise-by-unicode-and-escape-sequences.ts';
import { effectsInFilesNobodyRead } from './hostile/effects-in-files-nobody-read.ts';
import { gitByEnvironmentTemplateAndTransport } from './hostile/git-by-environment-template-and-transport.ts';
import { greatHarm } from './hostile/great-harm.ts';
import { hereDocuments } from './hostile/here-documents.ts';
import { hiddenWrites } from './hostile/hidden-writes.ts';
import { infrastructureAndData } from './hostile/infrastructure-and-data.ts';
import { lostWork } from './hostile/lost-work.ts';
import { optionThatRunsAProgram } from './hostile/option-that-runs-a-program.ts';
import { ownProcessAndProcessesOfOthers } from './hostile/own-process-and-processes-of-others.ts';
import { ownSettingsProgramAndRecords } from './hostile/own-settings-program-and-records.ts';
import { pathsThatLeadElsewhere } from './hostile/paths-that-lead-elsewhere.ts';
import { publishingAndWhatOthersSee } from './hostile/publishing-and-what-others-see.ts';
import { rights } from './hostile/rights.ts';
import { secretsEncodedOrToTheNetwork } from './hostile/secrets-encoded-or-to-the-network.ts';
import { startUpFilesAndPersistence } from './hostile/start-up-files-and-persistence.ts';
import { stateOfTheShell } from './hostile/state-of-the-shell.ts';
import { substitutionsAndProcessSubstitution } from './hostile/substitutions-and-process-substitution.ts';

export const hostileClasses: readonly HostileClass[] = [
  hiddenWrites,
  optionThatRunsAProgram,
  configurationRootOrLibraryOfAnotherProgram,
  lostWork,
  infrastructureAndData,
  publishingAndWhatOthersSee,
  rights,
  ownSettingsProgramAndRecords,
  startUpFilesAndPersistence,
  stateOfTheShell,
  effectsInFilesNobodyRead,
  secretsEncodedOrToTheNetwork,
  ownProcessAndProcessesOfOthers,
  archives,
  containers,
  gitByEnvironmentTemplateAndTransport,
  computedWords,
  disguiseByUnicodeAndEscapeSequences,
  hereDocuments,
  substitutionsAndProcessSubstitution,
  greatHarm,
  pathsThatLeadElsewhere,
];
