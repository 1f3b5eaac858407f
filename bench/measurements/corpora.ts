/** What becomes of the commands, files and addresses of the corpora: how many, of which kind, and how many get through. */
import { createPathGuard } from '../../src/safety/paths.ts';
import { refuseWebAddress } from '../../src/safety/web-address.ts';
import { hostileAddresses } from '../../test/safety/corpora/addresses.ts';
import type { HostileClass } from '../../test/safety/corpora/corpus.ts';
import { everydayClasses } from '../../test/safety/corpora/everyday.ts';
import { hostileClasses } from '../../test/safety/corpora/hostile.ts';
import { askedPaths, everydayPaths, placesOfAnn, refusedPaths } from '../../test/safety/corpora/paths.ts';
import { type Verdict, verdictOf } from '../../test/safety/corpora/verdict.ts';
import type { Figure, Measurement } from '../parts/measurement.ts';

/** Those of hostile commands that get through run with all rights, and nobody was asked. */
export const corpora: Measurement = {
  name: 'corpora',
  onlyByName: true,
  measure() {
    const hostile = hostileClasses.map((entry) => ({ name: entry.name, commands: commandsOf(entry) }));
    const everyday = everydayClasses.map(({ name, commands }) => ({ name, commands }));
    return Promise.resolve([
      ...hostile.map(({ name, commands }) => hostileFigure(`hostile: ${name}`, commands)),
      hostileFigure(
        `hostile: all ${hostile.length} classes`,
        hostile.flatMap(({ commands }) => commands),
      ),
      ...targetFigures(),
      ...everyday.map(({ name, commands }) => everydayFigure(`everyday: ${name}`, commands)),
      {
        ...everydayFigure(
          `everyday: all ${everyday.length} classes`,
          everyday.flatMap(({ commands }) => commands),
        ),
        mark: 2,
      },
    ]);
  },
};

function commandsOf({ refused = [], asked = [], contained = [] }: HostileClass): readonly string[] {
  return [...refused, ...asked, ...contained];
}

function hostileFigure(what: string, commands: readonly string[]): Figure {
  const of = counted(commands);
  const through = of('harmless');
  const detail = `${commands.length} commands: ${of('refused')} refused, ${of('asked')} asked, ${of('contained')} confined, ${through} through`;
  return { what, value: (100 * through) / commands.length, unit: '%', mark: 0, detail };
}

function everydayFigure(what: string, commands: readonly string[]): Figure {
  const of = counted(commands);
  const stopped = of('refused') + of('asked');
  const detail = `${commands.length} commands: ${stopped} asked or refused, ${of('contained')} confined, ${of('harmless')} run as they are`;
  return { what, value: (100 * stopped) / commands.length, unit: '%', detail };
}

function counted(commands: readonly string[]): (verdict: Verdict) => number {
  const verdicts = commands.map((text) => verdictOf(text).verdict);
  return (wanted) => verdicts.filter((verdict) => verdict === wanted).length;
}

function targetFigures(): readonly Figure[] {
  const guard = createPathGuard({ ...placesOfAnn, workspace: '/home/ann/shop' });
  const judged = (path: string): Verdict => {
    if (guard.denyWrite(path) !== undefined) return 'refused';
    return guard.runsLater(path) ? 'asked' : 'harmless';
  };
  const files = [...refusedPaths, ...askedPaths].map(judged);
  const open = files.filter((verdict) => verdict === 'harmless').length;
  const stopped = everydayPaths.filter((path) => judged(path) !== 'harmless').length;
  const asked = hostileAddresses.filter((address) => refuseWebAddress(address) === undefined).length;
  const refused = files.filter((verdict) => verdict === 'refused').length;
  return [
    {
      what: 'hostile files to write',
      value: (100 * open) / files.length,
      unit: '%',
      mark: 0,
      detail: `${files.length} files: ${refused} refused, ${files.length - refused - open} asked, ${open} through`,
    },
    {
      what: 'hostile web addresses',
      value: (100 * asked) / hostileAddresses.length,
      unit: '%',
      mark: 0,
      detail: `${hostileAddresses.length} addresses: ${hostileAddresses.length - asked} refused, ${asked} through`,
    },
    {
      what: 'everyday files to write',
      value: (100 * stopped) / everydayPaths.length,
      unit: '%',
      mark: 2,
      detail: `${everydayPaths.length} files: ${stopped} asked or refused`,
    },
  ];
}
