/** Every terminal command, one line each. To add a command: one file in `commands/`, one line here. */
import type { CommandEntry } from './command.ts';

export const commandCatalogue: readonly CommandEntry[] = [
  { name: 'chat', summary: 'talk to the agent (the default)', load: () => import('./commands/chat.ts') },
  { name: 'setup', summary: 'choose a model and store its key', load: () => import('./commands/setup.ts') },
  { name: 'model', summary: 'choose the provider and the model', load: () => import('./commands/model.ts') },
  { name: 'auth', summary: 'the keys and logins of model providers', load: () => import('./commands/auth.ts') },
  { name: 'config', summary: 'show and change the configuration', load: () => import('./commands/config.ts') },
  {
    name: 'sessions',
    summary: 'list, search and manage stored conversations',
    load: () => import('./commands/sessions.ts'),
  },
  {
    name: 'fallback',
    summary: 'the models that are asked when the main one fails',
    load: () => import('./commands/fallback.ts'),
  },
  { name: 'insights', summary: 'what was used, and what it cost', load: () => import('./commands/insights.ts') },
  { name: 'prompt-size', summary: 'what every request carries', load: () => import('./commands/prompt-size.ts') },
  { name: 'login', summary: 'replaced by auth', load: () => import('./commands/login.ts') },
  { name: 'logout', summary: 'forget the login of a provider', load: () => import('./commands/logout.ts') },
  { name: 'status', summary: 'show what is configured', load: () => import('./commands/status.ts') },
  { name: 'memory', summary: 'what is kept in memory', load: () => import('./commands/memory.ts') },
  { name: 'skills', summary: 'find, install and look after skills', load: () => import('./commands/skills.ts') },
  { name: 'bundles', summary: 'groups of skills that one command loads', load: () => import('./commands/bundles.ts') },
  { name: 'curator', summary: 'look after the skills the agent made', load: () => import('./commands/curator.ts') },
  { name: 'logs', summary: 'what the program wrote down about itself', load: () => import('./commands/logs.ts') },
  { name: 'doctor', summary: 'check the installation', load: () => import('./commands/doctor.ts') },
  { name: 'tools', summary: 'which toolsets each surface has', load: () => import('./commands/tools.ts') },
  { name: 'dump', summary: 'facts for somebody who helps', load: () => import('./commands/dump.ts') },
  { name: 'debug', summary: 'a report with the ends of the logs', load: () => import('./commands/debug.ts') },
  { name: 'completion', summary: 'completion for your shell', load: () => import('./commands/completion.ts') },
  { name: 'backup', summary: 'copy the home into a zip file', load: () => import('./commands/backup.ts') },
  { name: 'import', summary: 'bring such a copy back', load: () => import('./commands/import.ts') },
  { name: 'profile', summary: 'homes beside the default one', load: () => import('./commands/profile.ts') },
  { name: 'version', summary: 'show the version', load: () => import('./commands/version.ts') },
];
