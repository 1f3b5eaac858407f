/** What the model thought, before its answer, where a chat wants to see it. */
import type { ChatDisplay } from './display-settings.ts';

const longest = 1500;

export function withReasoning(
  answer: string,
  reasoning: string | undefined,
  style: ChatDisplay['reasoning_style'],
): string {
  const thought = reasoning?.trim() ?? '';
  if (thought === '') return answer;
  const cut = thought.length > longest ? `${thought.slice(0, longest).toWellFormed()}…` : thought;
  return `${styled(cut, style)}\n\n${answer}`;
}

function styled(thought: string, style: ChatDisplay['reasoning_style']): string {
  if (style === 'code') return `💭 **Reasoning:**\n\`\`\`\n${thought.replaceAll('```', "'''")}\n\`\`\``;
  const mark = style === 'blockquote' ? '> ' : '-# ';
  const lines = ['💭 Reasoning:', ...thought.split('\n')];
  return lines.map((line) => `${mark}${line}`).join('\n');
}
