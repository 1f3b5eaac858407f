/** Every program that records, in the order in which they are tried. To add one: one entry here. */
import { samplesPerSecond } from './sound.ts';

export interface Recorder {
  /** By the name it is called with. */
  readonly program: string;
  /** Systems on which it records with these words; absent: on all. */
  readonly systems?: readonly NodeJS.Platform[];
  /** After which it writes bare sound (`sound.ts`) to its standard output until it is ended. */
  readonly args: readonly string[];
}

const rate = String(samplesPerSecond);
/** https://man.archlinux.org/man/soxformat.7 */
const bareSox = ['-t', 'raw', '-r', rate, '-e', 'signed', '-b', '16', '-L', '-c', '1', '-'];
const bareFfmpeg = ['-ac', '1', '-ar', rate, '-f', 's16le', 'pipe:1'];
const quietFfmpeg = ['-nostdin', '-hide_banner', '-loglevel', 'error'];

export const recorders: readonly Recorder[] = [
  {
    program: 'arecord',
    systems: ['linux'],
    args: ['-q', '-t', 'raw', '-f', 'S16_LE', '-r', rate, '-c', '1'],
  },
  { program: 'parec', systems: ['linux'], args: ['--raw', '--format=s16le', `--rate=${rate}`, '--channels=1'] },
  {
    program: 'pw-record',
    systems: ['linux'],
    args: ['--raw', '--format', 's16', '--rate', rate, '--channels', '1', '-'],
  },
  { program: 'rec', args: ['-q', ...bareSox] },
  { program: 'sox', systems: ['win32'], args: ['-q', '-t', 'waveaudio', 'default', ...bareSox] },
  { program: 'sox', args: ['-q', '-d', ...bareSox] },
  {
    program: 'ffmpeg',
    systems: ['darwin'],
    args: [...quietFfmpeg, '-f', 'avfoundation', '-i', ':default', ...bareFfmpeg],
  },
  { program: 'ffmpeg', systems: ['linux'], args: [...quietFfmpeg, '-f', 'pulse', '-i', 'default', ...bareFfmpeg] },
  { program: 'ffmpeg', systems: ['linux'], args: [...quietFfmpeg, '-f', 'alsa', '-i', 'default', ...bareFfmpeg] },
];

/** What to install where there is none. */
export function recorderHint(system: NodeJS.Platform): string {
  if (system === 'linux') return 'alsa-utils (arecord), pulseaudio-utils (parec), sox or ffmpeg';
  return system === 'darwin' ? 'sox or ffmpeg, for instance with `brew install sox`' : 'sox';
}
