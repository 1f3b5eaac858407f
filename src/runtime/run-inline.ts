/** Runs the commands in a skill's text: judged and placed like any other, with nobody to be asked about them. */
import type { RunInline } from '../skills/skill-body.ts';
import type { ToolServices } from '../tools/services.ts';

const maxOutput = 20_000;

/** Rejects with the reason for what is refused, and for what a person would have to look at. */
export function inlineRunner(services: ToolServices): RunInline {
  const { environment } = services;
  return async (command, { cwd, timeoutMs, signal }) => {
    const { judgeRun, placeRun } = await import('../tools/terminal/judge-command.ts');
    const { refused, findings, allowedBy } = await judgeRun(command, cwd, services);
    if (refused !== undefined) throw new Error(refused.reason);
    const lifted = allowedBy !== undefined || services.config.approvals.mode === 'off';
    const asked = findings.filter((finding) => counts(finding, services) && !(lifted && !finding.evenWithoutApprovals));
    if (asked.length > 0) throw new Error(`needs approval: ${asked.map(({ description }) => description).join('; ')}`);
    const confinement = await placeRun(command, cwd, { services });
    if (confinement !== undefined) {
      // In a shell of its own: what it sets is no business of later commands.
      const run = await environment.run(`(${command}\n)`, { cwd, timeoutMs, signal, confinement });
      if (run.exitCode !== 0) throw new Error(run.output.trim().slice(-500) || `exit code ${run.exitCode}`);
      return run.output.slice(0, maxOutput);
    }
    const { exitCode, output, stderr } = await environment.runProgram(['bash', '-c', command], {
      cwd,
      timeoutMs,
      signal,
      maxOutput,
    });
    if (exitCode !== 0) throw new Error(stderr.trim() || `exit code ${exitCode}`);
    return output;
  };
}

function counts({ onlyAfter }: { readonly onlyAfter?: 'files' | 'outside' }, { state }: ToolServices): boolean {
  return onlyAfter === undefined || state.hosts.hasStrangeText;
}
