/** Every slash command, one line each; the order decides what a prefix means and how `/help` lists them. */
import type { SlashCommand } from './command.ts';
import { context } from './info/context.ts';
import { debug } from './info/debug.ts';
import { help } from './info/help.ts';
import { insights } from './info/insights.ts';
import { platforms } from './info/platforms.ts';
import { plugins } from './info/plugins.ts';
import { profile } from './info/profile.ts';
import { status } from './info/status.ts';
import { tools } from './info/tools.ts';
import { toolsets } from './info/toolsets.ts';
import { update } from './info/update.ts';
import { usage } from './info/usage.ts';
import { version } from './info/version.ts';
import { whoami } from './info/whoami.ts';
import { blueprint } from './jobs/blueprint.ts';
import { suggestions } from './jobs/suggestions.ts';
import { agents } from './session/agents.ts';
import { background } from './session/background.ts';
import { branch } from './session/branch.ts';
import { clear } from './session/clear.ts';
import { compress } from './session/compress.ts';
import { copy } from './session/copy.ts';
import { handoff } from './session/handoff.ts';
import { history } from './session/history.ts';
import { image } from './session/image.ts';
import { newSession } from './session/new.ts';
import { paste } from './session/paste.ts';
import { prompt } from './session/prompt.ts';
import { queue } from './session/queue.ts';
import { quit } from './session/quit.ts';
import { redraw } from './session/redraw.ts';
import { resume } from './session/resume.ts';
import { retry } from './session/retry.ts';
import { rollback } from './session/rollback.ts';
import { save } from './session/save.ts';
import { sessions } from './session/sessions.ts';
import { snapshot } from './session/snapshot.ts';
import { steer } from './session/steer.ts';
import { stop } from './session/stop.ts';
import { title } from './session/title.ts';
import { undo } from './session/undo.ts';
import { browser } from './settings/browser.ts';
import { busy } from './settings/busy.ts';
import { config } from './settings/config.ts';
import { cron } from './settings/cron.ts';
import { fast } from './settings/fast.ts';
import { footer } from './settings/footer.ts';
import { memory } from './settings/memory.ts';
import { model } from './settings/model.ts';
import { moa } from './settings/moa.ts';
import { permissions } from './settings/permissions.ts';
import { personality } from './settings/personality.ts';
import { reasoning } from './settings/reasoning.ts';
import { reload } from './settings/reload.ts';
import { reloadMcp } from './settings/reload-mcp.ts';
import { skin } from './settings/skin.ts';
import { statusbar } from './settings/statusbar.ts';
import { timestamps } from './settings/timestamps.ts';
import { verbose } from './settings/verbose.ts';
import { voice } from './settings/voice.ts';
import { yolo } from './settings/yolo.ts';
import { bundles } from './skills/bundles.ts';
import { curator } from './skills/curator.ts';
import { learn } from './skills/learn.ts';
import { reloadSkills } from './skills/reload-skills.ts';
import { skills } from './skills/skills.ts';

export const slashCommands: readonly SlashCommand[] = [
  // First, so that `/h` and a slash alone are harmless.
  help,
  newSession,
  clear,
  history,
  save,
  retry,
  prompt,
  undo,
  rollback,
  title,
  resume,
  sessions,
  branch,
  compress,
  stop,
  agents,
  background,
  queue,
  steer,
  snapshot,
  handoff,
  status,
  copy,
  paste,
  image,
  redraw,
  model,
  moa,
  config,
  reload,
  verbose,
  reasoning,
  fast,
  personality,
  permissions,
  skin,
  busy,
  statusbar,
  voice,
  timestamps,
  yolo,
  footer,
  tools,
  toolsets,
  plugins,
  skills,
  learn,
  reloadSkills,
  reloadMcp,
  bundles,
  browser,
  curator,
  cron,
  suggestions,
  blueprint,
  memory,
  context,
  usage,
  insights,
  version,
  update,
  debug,
  profile,
  whoami,
  platforms,
  quit,
];
