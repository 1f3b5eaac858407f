/** Installs and removes one skill until it is killed: `node install-again-and-again.ts <home> <folder>`. */
import { skillSourceSettings } from '../../src/config/skill-settings.ts';
import { openHub } from '../../src/skill-hub/hub.ts';
import { installSkill } from '../../src/skill-hub/install.ts';
import { uninstallSkill } from '../../src/skill-hub/installed.ts';

const [homePath = '', folder = ''] = process.argv.slice(2);
const hub = openHub({ homePath, settings: skillSourceSettings({}), cwd: '/' });
const options = { homePath, now: () => new Date(), confirm: () => Promise.resolve(true) };
for (;;) {
  process.stdout.write('.');
  const fetched = await hub.fetch(folder, new AbortController().signal);
  await installSkill(fetched, { force: true }, options);
  await installSkill(fetched, { force: true }, options);
  await uninstallSkill(homePath, 'foo');
}
