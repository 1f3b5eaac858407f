/** What the three skill tools share: the library, its answers, and what one use of a skill brings with it. */
import { answer, failure, type ToolContext, type ToolDetails, type ToolOutcome } from '../../agent/tool.ts';
import type { SkillLibrary } from '../../skills/skill-library.ts';
import type { SkillAnswer, SkillUse } from '../../skills/skill-view.ts';
import type { ToolServices } from '../services.ts';

export function skillsOf({ knowledge: { skills } }: ToolServices): SkillLibrary {
  if (skills === undefined) throw new Error('There are no skills in this session.');
  return skills;
}

export function skillOutcome(value: SkillAnswer, details?: ToolDetails): ToolOutcome {
  return value.success ? answer(value, details) : failure(value);
}

/** Secrets go from the person to the library, past the model; where nobody is, nobody is asked. */
export function useOf({ human, sessionId, signal }: ToolContext<ToolServices>): SkillUse {
  return {
    signal,
    sessionId,
    ...(human.present
      ? {
          askSecret: async (variable, skillName, signal) => {
            const help = variable.help === undefined ? '' : ` (${variable.help})`;
            const what = variable.requiredFor === undefined ? '' : ` for ${variable.requiredFor}`;
            const question = variable.prompt ?? `Value of ${variable.name}`;
            return await human.secret(
              `The skill ${skillName} needs ${variable.name}${what}. ${question}${help}`,
              signal,
            );
          },
        }
      : {}),
  };
}
