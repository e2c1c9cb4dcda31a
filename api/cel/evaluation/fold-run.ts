/**
 * Folds, which is what the macros over lists and maps are.
 *
 * In Kubernetes: evalFold, interpreter/interpretable.go of cel-go.
 */
import { MutableList, MutableMap } from '../containers.ts';
import type { Run } from './frame.ts';
import { CelError, CelList, CelMap, isError, type CelValue } from '../value.ts';

export interface FoldRuns {
  readonly slots: { readonly accumulator: number; readonly first: number; readonly second: number };
  readonly hasTwo: boolean;
  readonly range: Run;
  readonly condition: Run;
  readonly step: Run;
  readonly result: Run;
}

/** The value of a fold; what it iterates over is asked for first. */
export function foldRun(runs: FoldRuns): Run {
  const { slots, hasTwo, range, condition, step, result } = runs;
  return (frame) => {
    const over = range(frame);
    if (isError(over)) return over;
    const { locals } = frame;
    const outer = locals[slots.accumulator];
    locals[slots.accumulator] = undefined;
    const visit = (first: CelValue, second: CelValue): boolean => {
      locals[slots.first] = first;
      if (hasTwo) locals[slots.second] = second;
      const goesOn = condition(frame);
      if (goesOn === false) return false;
      const next = step(frame);
      locals[slots.accumulator] = next;
      return true;
    };
    const failed = iterate(over, hasTwo, visit);
    const value = failed ?? result(frame);
    locals[slots.accumulator] = outer;
    return value instanceof MutableList || value instanceof MutableMap ? value.finished() : value;
  };
}

/** Calls `visit` until it is false; an error where `over` is nothing to iterate over. */
function iterate(
  over: CelValue,
  hasTwo: boolean,
  visit: (first: CelValue, second: CelValue) => boolean,
): CelError | undefined {
  if (over instanceof CelList) {
    for (let index = 0; index < over.size; index++) {
      const item = over.at(index);
      if (!visit(hasTwo ? index : item, item)) break;
    }
    return undefined;
  }
  if (!(over instanceof CelMap)) return new CelError('no such overload');
  for (const key of over.keys()) {
    if (!visit(key, hasTwo ? (over.find(key) ?? null) : null)) break;
  }
  return undefined;
}
