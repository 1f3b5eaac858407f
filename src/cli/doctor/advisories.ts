/** Doctor: settings that lower a guard, each of which may be acknowledged once it is meant. */
import { UserError } from '../../lib/errors.ts';
import type { Check, CheckContext } from './finding.ts';

interface Advisory {
  readonly id: string;
  readonly text: string;
  applies(context: Pick<CheckContext, 'cli' | 'loaded'>): boolean;
}

const ADVISORIES: readonly Advisory[] = [
  {
    id: 'approvals-off',
    text: 'dangerous commands run without asking (approvals.mode is off)',
    applies: ({ loaded }) => loaded.config.approvals.mode === 'off',
  },
  {
    id: 'headless-approve',
    text: 'dangerous commands run when nobody can be asked (approvals.headless is approve)',
    applies: ({ loaded }) => loaded.config.approvals.headless === 'approve',
  },
  {
    id: 'cron-approve',
    text: 'cron jobs run dangerous commands (approvals.cron_mode is approve)',
    applies: ({ loaded }) => loaded.config.approvals.cron_mode === 'approve',
  },
  {
    id: 'redaction-off',
    text: 'secrets are not hidden in output and logs (security.redact_secrets is off)',
    applies: ({ loaded }) => !loaded.config.security.redact_secrets,
  },
  {
    id: 'private-urls',
    text: 'requests to private addresses are allowed (security.allow_private_urls is on)',
    applies: ({ loaded }) => loaded.config.security.allow_private_urls,
  },
  {
    id: 'allow-all-users',
    text: 'everybody may talk to the gateway (GATEWAY_ALLOW_ALL_USERS is on)',
    applies: ({ cli }) => cli.settings.everybodyMayTalk,
  },
];

export const advisories: Check = {
  title: 'Security Advisories',
  run(context) {
    const acknowledged = context.loaded.config.security.acked_advisories;
    const open = ADVISORIES.filter((item) => item.applies(context) && !acknowledged.includes(item.id));
    if (open.length === 0) return [{ status: 'ok', text: 'none open' }];
    return open.map(({ id, text }) => ({
      status: 'warn',
      text,
      detail: id,
      remedy: `Change the setting, or run \`hermes doctor --ack ${id}\` if it is meant.`,
    }));
  },
};

/** Remembers in `security.acked_advisories` that an advisory was read. Throws `UserError` for an unknown id. */
export async function acknowledge({ cli, loaded }: Omit<CheckContext, 'fix'>, id: string): Promise<void> {
  if (!ADVISORIES.some((item) => item.id === id)) {
    throw new UserError(`There is no advisory '${id.slice(0, 80)}'.`, {
      exitCode: 2,
      hint: `Known: ${ADVISORIES.map((item) => item.id).join(', ')}`,
    });
  }
  const acknowledged = loaded.config.security.acked_advisories;
  if (acknowledged.includes(id)) return;
  const { updateConfig } = await import('../../config/edit.ts');
  await updateConfig(cli, [{ path: ['security', 'acked_advisories'], value: [...acknowledged, id] }]);
}
