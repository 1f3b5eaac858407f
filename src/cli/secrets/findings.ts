/** What `hermes status` and `hermes doctor` say of secret managers: which variables of this start came from where. */
import { failureText } from '../../secret-sources/warnings.ts';
import { plain } from '../auth/describe.ts';
import type { CliContext } from '../command.ts';
import type { Check, Finding } from '../doctor/finding.ts';

/** Says nothing where none is switched on. */
export const secretManagers: Check = {
  title: 'Secret Managers',
  run: ({ cli }) => secretFindings(cli),
};

/** A line for each that was asked, and one for each variable that could not be had. */
export function secretFindings({ fetched: report }: CliContext): Finding[] {
  return (report?.fetched ?? []).flatMap(({ source, problems, failure, age }): Finding[] => {
    const { label, name } = source;
    const remedy = `Ask again with: hermes secrets ${name} sync`;
    if (failure !== undefined) return [{ status: 'warn', text: `${label}: ${failureText(failure)}`, remedy }];
    const given = (report?.placed ?? []).filter(
      (placed) => placed.source.name === name && (placed.fate === 'set' || placed.fate === 'overrode'),
    );
    const names = given.map(({ variable, fate }) => `${plain(variable)}${fate === 'overrode' ? ' (replaced)' : ''}`);
    return [
      {
        status: 'ok',
        text: `${label}: ${names.length === 0 ? 'nothing that is used' : names.join(', ')}`,
        detail: age === undefined ? 'asked now' : `fetched ${Math.round(age)} s ago`,
      },
      ...problems.map(
        ({ variable, failure: why }): Finding => ({
          status: 'warn',
          text: `${plain(variable)}: ${failureText(why)}`,
          remedy,
        }),
      ),
    ];
  });
}
