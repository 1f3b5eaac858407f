/** How to work in a code workspace, for the prompt; one line depends on the family of the model. */

export function codingRules(model: string): string {
  const family = familyLine(model.toLowerCase());
  return family === undefined ? rules : `${rules}\n${family}`;
}

const rules = `# Working with code
Read the code around a change before you make it, and follow its style. Change files with the file tools, no more than the task asks. Run the project's own checks afterwards and mend what they find; say which you ran and what they said. Commit, push or rewrite history only when asked. Never put secrets into code, logs or commits, and leave changes of others alone.`;

const patchFamilies = ['gpt', 'codex'];
const replaceFamilies = [
  'claude',
  'sonnet',
  'opus',
  'haiku',
  'gemini',
  'gemma',
  'deepseek',
  'qwen',
  'kimi',
  'glm',
  'grok',
  'hermes',
  'llama',
  'mistral',
  'devstral',
  'minimax',
];

function familyLine(model: string): string | undefined {
  const isOf = (families: readonly string[]): boolean => families.some((name) => model.includes(name));
  if (isOf(patchFamilies)) return 'To edit, use patch with mode "patch".';
  return isOf(replaceFamilies) ? 'To edit, use patch with mode "replace".' : undefined;
}
