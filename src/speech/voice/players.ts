/** Every program that plays, in the order in which they are looked for. To add one: one entry here. */
import type { AudioFormat } from '../audio-format.ts';

export interface Player {
  /** By the name it is called with. */
  readonly program: string;
  readonly plays: readonly AudioFormat[];
  /** Words in front of the path of a file, after which it plays that once and ends. */
  readonly args: readonly string[];
}

export const players: readonly Player[] = [
  { program: 'afplay', plays: ['wav', 'mp3', 'flac'], args: [] },
  { program: 'aplay', plays: ['wav'], args: ['-q'] },
  // Which other kinds these two play depends on what they were built with.
  { program: 'pw-play', plays: ['wav', 'flac'], args: [] },
  { program: 'paplay', plays: ['wav', 'flac'], args: [] },
  { program: 'ffplay', plays: ['wav', 'mp3', 'ogg', 'flac'], args: ['-nodisp', '-autoexit', '-loglevel', 'error'] },
  { program: 'mpv', plays: ['wav', 'mp3', 'ogg', 'flac'], args: ['--no-video', '--really-quiet', '--no-config'] },
];

/** What to install where there is none. */
export function playerHint(system: NodeJS.Platform): string {
  return system === 'linux'
    ? 'alsa-utils (aplay), pulseaudio-utils (paplay), ffmpeg (ffplay) or mpv'
    : 'ffmpeg (ffplay) or mpv';
}
