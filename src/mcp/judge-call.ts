/** What there is against a call of a server's tool. What the server says about itself lifts nothing. */
import { afterOutsideText, type Finding, type Judgement } from '../safety/finding.ts';
import { escapeForDisplay } from '../safety/display.ts';
import { scanForInjection } from '../safety/injection.ts';
import type { ServerTool } from './server-tool.ts';
import { allWords, shownWords } from './tool-words.ts';

export interface JudgedCall {
  readonly server: string;
  /** As the server calls it. */
  readonly tool: string;
  /** Absent for what the protocol itself offers, such as reading a resource. */
  readonly listed?: ServerTool;
  readonly args: Readonly<Record<string, unknown>>;
  /** It is another tool than the one that was agreed to. */
  readonly isChanged: boolean;
  /** It came after its server was agreed to. */
  readonly isAdded: boolean;
  /** A person has looked at it as it is now. */
  readonly agree: () => void;
}

/**
 * The owner wrote down the server, so nothing is asked as long as nothing has entered from outside. After that whoever wrote
 * what has entered may have chosen the call and what it carries.
 */
export function judgeCall({ server, tool, listed, args, isChanged, isAdded, agree }: JudgedCall): Judgement {
  const shown = escapeForDisplay(`${server}: ${tool} ${JSON.stringify(args)}`);
  const orders = listed === undefined ? [] : scanForInjection(allWords(listed));
  const findings = [
    ...(isChanged && listed !== undefined ? [changedTool(server, listed)] : []),
    ...(isAdded && listed !== undefined ? [addedTool(server, listed)] : []),
    ...(orders.length > 0 && listed !== undefined
      ? [
          orderingTool(
            server,
            listed,
            orders.map(({ rule }) => rule),
          ),
        ]
      : []),
    afterOutsideText(`calls ${name(tool)} of the tool server ${name(server)}`),
  ];
  return { shown, findings, ...(isChanged || isAdded ? { onAllowed: agree } : {}) };
}

function changedTool(server: string, listed: ServerTool): Finding {
  const { name: tool, hash } = listed;
  return {
    key: `changed tool ${name(tool)} of ${name(server)}: ${hash}`,
    description: `${name(tool)} of ${name(server)} describes itself otherwise than agreed`,
    quotes: `, now as: ${shownWords(listed)}`,
    aliases: [],
    mayRemember: false,
    evenWithoutApprovals: true,
    mayHoldForSession: true,
  };
}

/** A yes agrees to it, so nothing else has to be remembered. */
function addedTool(server: string, listed: ServerTool): Finding {
  const { name: tool, hash } = listed;
  return {
    key: `new tool ${name(tool)} of ${name(server)}: ${hash}`,
    description: `${name(tool)} of ${name(server)} is new since the server was agreed to`,
    quotes: `; it says: ${shownWords(listed)}`,
    aliases: [],
    mayRemember: false,
    evenWithoutApprovals: false,
  };
}

/** An answer holds for these words alone. */
function orderingTool(server: string, { name: tool, hash }: ServerTool, rules: readonly string[]): Finding {
  return {
    key: `tool ${name(tool)} of ${name(server)} that gives orders: ${hash}`,
    description: `what ${name(tool)} of ${name(server)} says of itself reads like orders to the model (${rules.join(', ')})`,
    aliases: [],
    mayRemember: true,
    evenWithoutApprovals: false,
  };
}

/** One line, whatever a server calls itself. */
function name(written: string): string {
  return escapeForDisplay(written, { singleLine: true }).slice(0, 100);
}
