/** Hosts that this machine is set up with: its own package registries and mirrors. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { registryVariables } from '../config/registry-variables.ts';
import type { Variables } from '../config/variables.ts';
import { hostsIn, hostText } from '../safety/hosts.ts';

const userFiles = [
  '.npmrc',
  '.yarnrc.yml',
  '.config/pip/pip.conf',
  '.pip/pip.conf',
  '.config/uv/uv.toml',
  '.cargo/config.toml',
  '.m2/settings.xml',
  '.config/go/env',
  '.gemrc',
] as const;
const systemFiles = ['/etc/npmrc', '/etc/pip.conf', '/etc/apt/sources.list'] as const;

const maxFileBytes = 100_000;

/** Read once, when they are first asked for; what cannot be read names no host. */
export function configuredHosts(env: Variables, userHome: string): () => readonly string[] {
  let hosts: readonly string[] | undefined;
  return () => {
    hosts ??= readHosts(env, userHome);
    return hosts;
  };
}

function readHosts(env: Variables, userHome: string): readonly string[] {
  const texts = [
    ...registryVariables(env),
    ...[...userFiles.map((name) => join(userHome, name)), ...systemFiles].map(textIn),
  ];
  // Only addresses: a name in a comment is not where packages come from.
  const addresses = texts.flatMap((text) => text.match(/\bhttps?:\/\/[^\s"'<>,|]+/g) ?? []);
  return [...new Set(addresses.flatMap((address) => hostsIn(address).slice(0, 1).map(hostText)))];
}

function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(0, maxFileBytes);
  } catch {
    return '';
  }
}
