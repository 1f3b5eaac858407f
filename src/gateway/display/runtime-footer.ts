/** The line under a final answer that says what made it. */
import { sep } from 'node:path';

/** What an answer was made with; a number that nobody knows is undefined. */
export interface TurnFacts {
  readonly model: string;
  /** Of the last request. */
  readonly promptTokens: number | undefined;
  readonly contextLength: number | undefined;
}

export interface FooterPlace {
  readonly cwd: string;
  /** Stands there as `~`. */
  readonly userHome: string;
}

/** `gpt-5 · 42% · ~/work`; empty when nothing is to be shown, or nothing of it is known. */
export function footerLine(fields: readonly string[], facts: TurnFacts, place: FooterPlace): string {
  return fields
    .map((field) => partOf(field, facts, place))
    .filter((part) => part !== '')
    .join(' · ');
}

function partOf(field: string, { model, promptTokens, contextLength }: TurnFacts, place: FooterPlace): string {
  switch (field) {
    case 'model':
      return model.split('/').at(-1) ?? '';
    case 'context_pct':
      if (promptTokens === undefined || contextLength === undefined || contextLength <= 0) return '';
      return `${Math.min(100, Math.round((promptTokens / contextLength) * 100))}%`;
    case 'cwd':
      return shortPath(place);
    default:
      return '';
  }
}

function shortPath({ cwd, userHome }: FooterPlace): string {
  if (userHome === '' || (cwd !== userHome && !cwd.startsWith(userHome + sep))) return cwd;
  return `~${cwd.slice(userHome.length)}`;
}
