/** Shell text that may do more than its words say: it defines commands, or evaluates what a variable holds. */
import type { ArithmeticWord, ParameterExpansionPart, SyntaxNode } from 'unbash';
import { changesMeaning } from '../programs/variables.ts';

/**
 * In words, when the piece of the script itself has such an effect; its children are looked at by themselves. Arithmetic
 * counts unless it has only numbers: the shell runs a substitution that it finds in the value of a variable
 * (`x='a[$(id)]'; echo $((x))`), and so it does for subscripts and for prompts.
 */
export function hiddenEffect(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'Function':
      return 'a function';
    case 'Coproc':
      return 'a coprocess';
    case 'ArithmeticWord':
      return isNumber(node) ? undefined : 'arithmetic with variables';
    case 'ParameterExpansion':
      return expansionEffect(node);
    case 'Assignment':
      return node.index === undefined ? undefined : 'an assignment to a part of an array';
    case 'For':
    case 'Select':
      return changesMeaning(node.name.value) ? `a loop over ${node.name.value}` : undefined;
    case 'TestUnary':
      return node.operator === '-v' || node.operator === '-R' ? 'a test of a variable by its name' : undefined;
    case 'TestBinary':
      return arithmeticTest.test(node.operator) ? 'arithmetic with variables' : undefined;
    case 'FileDescriptorVariable':
      return 'a file descriptor kept in a variable';
    default:
      return undefined;
  }
}

const arithmeticTest = /^-(?:eq|ne|lt|le|gt|ge)$/;
/** They only change how a value is written. */
const plainTransforms = new Set(['Q', 'U', 'u', 'L']);

function expansionEffect({ prefix, parameter, index, operation }: ParameterExpansionPart): string | undefined {
  if (prefix === '!') return 'a variable that names another one';
  if (index !== undefined && !/^(?:[@*]|\d+)$/.test(index.value)) return 'arithmetic with variables';
  switch (operation?.type) {
    case 'Transform':
      return plainTransforms.has(operation.operand.value) ? undefined : 'a value that is read as a prompt';
    case 'Slice': {
      const numbers = [operation.offset, operation.length].every(
        (part) => part === undefined || /^\s*-?\d+\s*$/.test(part.value),
      );
      return numbers ? undefined : 'arithmetic with variables';
    }
    case 'Default':
      return operation.operator.endsWith('=') && changesMeaning(parameter) ? `a value for ${parameter}` : undefined;
    case 'Unknown':
      return 'an expansion that nobody can read';
    default:
      return undefined;
  }
}

function isNumber({ value }: ArithmeticWord): boolean {
  return /^\s*(?:\d+|0x[\da-f]+)\s*$/i.test(value);
}
