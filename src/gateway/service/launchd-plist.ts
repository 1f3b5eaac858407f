/** The text of a property list for launchd; see launchd.plist(5). */
import { join } from 'node:path';
import type { ServiceFacts } from './service.ts';

export function launchdPlist(label: string, { home, node, script, path }: ServiceFacts): string {
  const variables = { HERMES_HOME: home.path, HERMES_GATEWAY_EXTERNAL_SUPERVISOR: '1', PATH: path };
  const log = join(home.path, 'logs', 'gateway.error.log');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${text(label)}
  <key>ProgramArguments</key>
  <array>
${[node, script, 'gateway', 'run'].map((word) => `    ${text(word)}`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(variables)
  .map(([name, value]) => `    <key>${name}</key>\n    ${text(value)}`)
  .join('\n')}
  </dict>
  <key>WorkingDirectory</key>
  ${text(home.path)}
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>5</integer>
  <key>StandardErrorPath</key>
  ${text(log)}
</dict>
</plist>
`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function text(value: string): string {
  return `<string>${value.replaceAll(/[&<>]/g, (character) => entities[character] ?? '')}</string>`;
}
