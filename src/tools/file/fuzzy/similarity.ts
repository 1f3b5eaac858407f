/** Ratcliff/Obershelp similarity: twice the matched length, divided by both lengths. */

/** 0 (nothing in common) to 1 (equal). Cost grows with the product of the lengths: bound it at the caller. */
export function similarity(left: string, right: string): number {
  if (left === right) return 1;
  if (left.length === 0 || right.length === 0) return 0;
  const matched = matchedWeight(charCodes(left), charCodes(right), () => 1);
  return (2 * matched) / (left.length + right.length);
}

/** The same measure on whole lines, each weighing its characters: coarser, and far cheaper for long texts. */
export function lineSimilarity(left: readonly string[], right: readonly string[]): number {
  const weights: number[] = [];
  const ids = new Map<string, number>();
  const idOf = (line: string): number => {
    const known = ids.get(line);
    if (known !== undefined) return known;
    weights.push(line.length + 1);
    ids.set(line, weights.length - 1);
    return weights.length - 1;
  };
  const leftIds = Int32Array.from(left, idOf);
  const rightIds = Int32Array.from(right, idOf);
  const weightOf = (id: number): number => weights[id] ?? 0;
  const total = weigh(leftIds, weightOf) + weigh(rightIds, weightOf);
  return total === 0 ? 1 : (2 * matchedWeight(leftIds, rightIds, weightOf)) / total;
}

/** Never below `similarity`, from the lengths alone. */
export function lengthBound(left: string, right: string): number {
  return (2 * Math.min(left.length, right.length)) / (left.length + right.length || 1);
}

function charCodes(text: string): Int32Array {
  const codes = new Int32Array(text.length);
  for (let index = 0; index < text.length; index += 1) codes[index] = text.charCodeAt(index);
  return codes;
}

function weigh(units: Int32Array, weightOf: (unit: number) => number): number {
  let sum = 0;
  for (const unit of units) sum += weightOf(unit);
  return sum;
}

/** Takes the longest common run, then does the same left and right of it. */
function matchedWeight(left: Int32Array, right: Int32Array, weightOf: (unit: number) => number): number {
  let matched = 0;
  const open: [number, number, number, number][] = [[0, left.length, 0, right.length]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [leftStart, leftEnd, rightStart, rightEnd] = next;
    const run = longestRun(left, right, next);
    if (run.length === 0) continue;
    matched += weigh(left.subarray(run.left, run.left + run.length), weightOf);
    open.push([leftStart, run.left, rightStart, run.right]);
    open.push([run.left + run.length, leftEnd, run.right + run.length, rightEnd]);
  }
  return matched;
}

function longestRun(
  left: Int32Array,
  right: Int32Array,
  [leftStart, leftEnd, rightStart, rightEnd]: readonly [number, number, number, number],
): { left: number; right: number; length: number } {
  const best = { left: leftStart, right: rightStart, length: 0 };
  const width = rightEnd - rightStart;
  if (width <= 0 || leftEnd <= leftStart) return best;
  // runs[j] is the length of the common run that ends at the current left unit and at right unit j - 1.
  const runs = new Int32Array(width + 1);
  for (let i = leftStart; i < leftEnd; i += 1) {
    for (let j = width; j >= 1; j -= 1) {
      if (left[i] !== right[rightStart + j - 1]) {
        runs[j] = 0;
        continue;
      }
      const length = (runs[j - 1] ?? 0) + 1;
      runs[j] = length;
      const isEarlier = length === best.length && i - length + 1 === best.left && rightStart + j - length < best.right;
      if (length > best.length || isEarlier) {
        best.left = i - length + 1;
        best.right = rightStart + j - length;
        best.length = length;
      }
    }
  }
  return best;
}
