/** The whole program as a process, with a model that takes its time. */
import { spawnSync } from 'node:child_process';

/** Reading the prompt takes some seconds of one core, and minutes on a machine that is busy. */
const answerMs = 400_000;

export function runProgram(args: readonly string[], env: Readonly<Record<string, string>>) {
  const whole = { PATH: process.env['PATH'], HERMES_DEV: '1', ...env };
  return spawnSync(process.execPath, ['bin/hermes.mjs', ...args], {
    env: whole,
    timeout: answerMs,
    input: '',
    encoding: 'utf8',
  });
}
