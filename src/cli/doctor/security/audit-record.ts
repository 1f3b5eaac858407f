/** Doctor: whether the audit log is whole. */
import { verifyAuditLog } from '../../../audit/verify.ts';
import { counted } from '../../../lib/counted.ts';
import { errorMessage } from '../../../lib/errors.ts';
import type { Check } from '../finding.ts';

export const auditRecord: Check = {
  title: 'Record of decisions',
  async run({ cli }) {
    try {
      const { entries, end, problems } = await verifyAuditLog(cli.home.path);
      if (end === undefined && problems.length === 0) return [{ status: 'info', text: 'nothing has been decided yet' }];
      if (problems.length === 0)
        return [{ status: 'ok', text: `the chain of ${counted(entries, 'entry', 'entries')} is whole` }];
      return problems.map((text) => ({ status: 'fail', text, remedy: 'See: hermes security log --verify' }));
    } catch (error) {
      return [
        {
          status: 'fail',
          text: `the record cannot be read: ${errorMessage(error)}`,
          remedy: 'Check the rights of logs/.',
        },
      ];
    }
  },
};
