/** When the agent should look back: after turns without memory, and rounds of tools without a skill. */
import type { Tool } from '../../agent/tool.ts';
import type { HistoryMessage } from '../../llm/message.ts';

/** 0 turns one off. */
export interface NudgeIntervals {
  /** `memory.nudge_interval`: user turns without a memory call. */
  readonly memory: number;
  /** `skills.creation_nudge_interval`: rounds of tool calls without a skill_manage call. */
  readonly skills: number;
}

/** Turns and rounds since the tool was used, or since the last review. */
export interface NudgeCounts {
  readonly memory: number;
  readonly skills: number;
}

export interface Due {
  readonly memory: boolean;
  readonly skills: boolean;
}

export const noNudges: NudgeCounts = { memory: 0, skills: 0 };

/** Adds one turn. `messages` are those of the turn, its user message first. */
export function countTurn(
  counts: NudgeCounts,
  messages: readonly HistoryMessage[],
  tools: readonly Pick<Tool<never>, 'name' | 'traits'>[],
): NudgeCounts {
  const learns = new Map(tools.map(({ name, traits }) => [name, traits]));

  let memory = counts.memory + 1;
  let { skills } = counts;
  for (const message of messages) {
    if (message.role !== 'assistant' || message.tool_calls === undefined || message.tool_calls.length === 0) continue;
    const traits = message.tool_calls.map((call) => learns.get(call.function.name));
    if (traits.some((trait) => trait?.learns === 'memory')) memory = 0;
    skills = traits.some((trait) => trait?.learns === 'skills') ? 0 : skills + 1;
  }
  return { memory, skills };
}

export function isDue(counts: NudgeCounts, intervals: NudgeIntervals): Due {
  return {
    memory: intervals.memory > 0 && counts.memory >= intervals.memory,
    skills: intervals.skills > 0 && counts.skills >= intervals.skills,
  };
}

/** The counts after a review of what was due. */
export function afterReview(counts: NudgeCounts, due: Due): NudgeCounts {
  return { memory: due.memory ? 0 : counts.memory, skills: due.skills ? 0 : counts.skills };
}
