/** A selection of sessions as a condition of SQL. */
import type { Bounds, SessionSelection } from '../session-selection.ts';
import { likeLiteral } from './find-session.ts';
import { type Condition, whereShown } from './listing.ts';

/** The condition on `sessions s`. */
export function whereSelected(selection: SessionSelection): Condition {
  const { startedFrom, startedBefore, ended } = selection;
  const conditions: Condition[] = [
    ...whereShown(selection),
    ...(startedFrom === undefined ? [] : [{ sql: 's.started_at >= ?', values: [startedFrom] }]),
    ...(startedBefore === undefined ? [] : [{ sql: 's.started_at < ?', values: [startedBefore] }]),
    ...(ended === true ? [{ sql: 's.ended_at IS NOT NULL', values: [] }] : []),
    ...equal('s.source', selection.source),
    ...equal('s.end_reason', selection.endReason),
    ...equal('lower(s.billing_provider)', selection.provider?.toLowerCase()),
    ...equal('s.user_id', selection.userId),
    ...equal('s.chat_id', selection.chatId),
    ...equal('s.chat_type', selection.chatType),
    ...containing('s.title', selection.title),
    ...containing('s.model', selection.model),
    ...containing('s.git_branch', selection.branch),
    ...within('COALESCE(s.message_count, 0)', selection.messages),
    ...within('COALESCE(s.input_tokens, 0) + COALESCE(s.output_tokens, 0)', selection.tokens),
    ...within('COALESCE(s.actual_cost_usd, s.estimated_cost_usd, 0)', selection.cost),
    ...within('COALESCE(s.tool_call_count, 0)', selection.toolCalls),
  ];
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(' AND ') || '1',
    values: conditions.flatMap(({ values }) => values),
  };
}

function equal(column: string, value: string | undefined): Condition[] {
  return value === undefined ? [] : [{ sql: `${column} = ?`, values: [value] }];
}

function containing(column: string, part: string | undefined): Condition[] {
  if (part === undefined) return [];
  return [{ sql: String.raw`${column} LIKE ? ESCAPE '\'`, values: [`%${likeLiteral(part)}%`] }];
}

function within(amount: string, bounds: Bounds = {}): Condition[] {
  return [
    ...(bounds.min === undefined ? [] : [{ sql: `${amount} >= ?`, values: [bounds.min] }]),
    ...(bounds.max === undefined ? [] : [{ sql: `${amount} <= ?`, values: [bounds.max] }]),
  ];
}
