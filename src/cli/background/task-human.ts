/** The person at the terminal, asked by a task that works beside the conversation: they are told which one wants to know. */
import type { Human } from '../../agent/human.ts';

/** `name`: such as `background task #1 (count the stars)`. */
export function taskHuman(human: Human, name: string): Human {
  return {
    get present() {
      return human.present;
    },
    clarifies: human.clarifies,
    approve: (request, signal) => human.approve({ ...request, reasons: [...request.reasons, `${name} asks`] }, signal),
    clarify: (question, choices, signal) => human.clarify(`${name} asks: ${question}`, choices, signal),
    secret: (prompt, signal) => human.secret(`${name}: ${prompt}`, signal),
  };
}
