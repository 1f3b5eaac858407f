/** Every slash command that only chats have, one line each. */
import { agents } from './agents.ts';
import { approve } from './approve.ts';
import { background } from './background.ts';
import type { ChatCommand } from './chat-command.ts';
import { commands } from './commands.ts';
import { curator } from './curator.ts';
import { debug } from './debug.ts';
import { deny } from './deny.ts';
import { footer } from './footer.ts';
import { platform } from './platform.ts';
import { reasoning } from './reasoning.ts';
import { restart } from './restart.ts';
import { setHome } from './set-home.ts';
import { stop } from './stop.ts';
import { topic } from './topic.ts';
import { update } from './update.ts';
import { voice } from './voice.ts';
import { verbose } from './verbose.ts';
import { whoami } from './whoami.ts';

export const chatCommands: readonly ChatCommand[] = [
  stop,
  approve,
  deny,
  background,
  agents,
  commands,
  whoami,
  setHome,
  topic,
  footer,
  reasoning,
  verbose,
  voice,
  curator,
  platform,
  debug,
  restart,
  update,
];
