/**
 * Names with what is selected from them: `self.spec.ports[i].?name`. A chain is one thing, because
 * that is how it is paid for: one for the name and one for each selection that is made, and no
 * name is paid for where it is a branch of a condition or an index.
 *
 * In Kubernetes: interpreter/attributes.go of cel-go.
 */
import { charge, type Frame, type Run } from './frame.ts';
import { goText } from '../go-text.ts';
import {
  CelDouble,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  CelUint,
  isError,
  isInt,
  NO_SUCH_OVERLOAD,
  OPTIONAL_NONE,
  type CelValue,
} from '../value.ts';
import { typeOfValue } from '../value-type.ts';

export interface Attribute {
  readonly base: AttributeBase;
  readonly qualifiers: readonly Qualifier[];
}

export type AttributeBase =
  /** A variable, or anything else that is a value. */
  | { readonly kind: 'value'; readonly run: Run }
  | {
      readonly kind: 'choice';
      readonly condition: Run;
      readonly isTrue: Attribute;
      readonly isFalse: Attribute;
    };

export interface Qualifier {
  /** A constant, or what computes it. */
  readonly key: CelValue | Run;
  readonly isOptional: boolean;
  /** Only whether it is there. */
  readonly isTest: boolean;
}

export function attributeOf(run: Run): Attribute {
  return { base: { kind: 'value', run }, qualifiers: [] };
}

export function choice(condition: Run, isTrue: Attribute, isFalse: Attribute): Attribute {
  return { base: { kind: 'choice', condition, isTrue, isFalse }, qualifiers: [] };
}

/** What is selected from a choice is selected from what is chosen. */
export function qualified(attribute: Attribute, qualifier: Qualifier): Attribute {
  const { base, qualifiers } = attribute;
  if (base.kind === 'value') return { base, qualifiers: [...qualifiers, qualifier] };
  const isTrue = qualified(base.isTrue, qualifier);
  const isFalse = qualified(base.isFalse, qualifier);
  return { base: { ...base, isTrue, isFalse }, qualifiers };
}

/** The value of `attribute`, not paying for its name. */
export function resolveAttribute({ base, qualifiers }: Attribute): Run {
  if (base.kind === 'choice') return resolveChoice(base);
  const { run } = base;
  if (qualifiers.length === 0) return run;
  const steps = qualifiers.map(stepOf);
  const areAllPlain = qualifiers.every(({ isOptional }) => !isOptional);
  return (frame) => {
    const start = run(frame);
    if (areAllPlain && !(start instanceof CelOptional)) return walk(frame, start, steps);
    return walkOptional(frame, start, steps);
  };
}

function resolveChoice(base: AttributeBase & { readonly kind: 'choice' }): Run {
  const { condition } = base;
  const isTrue = resolveAttribute(base.isTrue);
  const isFalse = resolveAttribute(base.isFalse);
  return (frame) => {
    const chosen = condition(frame);
    if (chosen === true) return isTrue(frame);
    if (chosen === false) return isFalse(frame);
    return isError(chosen) ? chosen : NO_SUCH_OVERLOAD;
  };
}

/** One selection: of `from`, which is no error. */
interface Step {
  readonly isOptional: boolean;
  take(frame: Frame, from: CelValue): CelValue;
  /** undefined: it is not there, and nothing was spent. */
  takeIfPresent(frame: Frame, from: CelValue): CelValue | undefined;
}

function walk(frame: Frame, start: CelValue, steps: readonly Step[]): CelValue {
  let value = start;
  for (const step of steps) {
    if (value instanceof CelError) return value;
    value = step.take(frame, value);
  }
  return value;
}

/** From the first optional selection on, everything is optional, and so is the outcome. */
function walkOptional(frame: Frame, start: CelValue, steps: readonly Step[]): CelValue {
  let isOptional = start instanceof CelOptional;
  let value = start;
  if (start instanceof CelOptional) {
    if (start.value === undefined) return start;
    value = start.value;
  }
  for (const step of steps) {
    if (value instanceof CelError) return value;
    isOptional ||= step.isOptional;
    const next: CelValue | undefined = isOptional
      ? step.takeIfPresent(frame, value)
      : step.take(frame, value);
    if (next === undefined) return OPTIONAL_NONE;
    value = next;
  }
  return isOptional && !isError(value) ? new CelOptional(value) : value;
}

function stepOf({ key, isOptional, isTest }: Qualifier): Step {
  const find = isTest ? isThere : look;
  if (typeof key !== 'function') {
    return {
      isOptional,
      take: (frame, from) => {
        charge(frame, 1);
        return orMissing(find(from, key), from, key);
      },
      takeIfPresent: (frame, from) => paid(frame, ifThere(find(from, key), isTest)),
    };
  }
  return {
    isOptional,
    take: (frame, from) => {
      const index = key(frame);
      charge(frame, 1);
      return isError(index) ? index : orMissing(find(from, index), from, index);
    },
    takeIfPresent: (frame, from) => {
      const index = key(frame);
      return isError(index) ? index : paid(frame, ifThere(find(from, index), isTest));
    },
  };
}

function ifThere(found: CelValue | undefined, isTest: boolean): CelValue | undefined {
  return isTest && found === false ? undefined : found;
}

function paid(frame: Frame, found: CelValue | undefined): CelValue | undefined {
  if (found !== undefined && !isError(found)) charge(frame, 1);
  return found;
}

function isThere(from: CelValue, key: CelValue): CelValue {
  const found = look(from, key);
  if (found === undefined) return false;
  return isError(found) ? found : true;
}

/** undefined: not there. */
function look(from: CelValue, key: CelValue): CelValue | undefined {
  if (from instanceof CelMap) return from.find(key);
  if (!(from instanceof CelList)) return undefined;
  const index = indexOf(key);
  if (index instanceof CelError) return index;
  return index >= 0 && index < from.size ? from.at(index) : undefined;
}

/** What was found, which may be null, or the error that it is not there. */
function orMissing(found: CelValue | undefined, from: CelValue, key: CelValue): CelValue {
  if (found !== undefined) return found;
  const what = from instanceof CelList ? 'index out of bounds' : 'no such key';
  return new CelError(`${what}: ${goText(key)}`);
}

function indexOf(key: CelValue): number | CelError {
  if (isInt(key)) return Number(key);
  if (key instanceof CelUint) return Number(key.value);
  if (key instanceof CelDouble) {
    if (Number.isInteger(key.value)) return key.value;
    return new CelError(`unsupported index value ${goText(key)} in list`);
  }
  return new CelError(`unsupported index type '${typeOfValue(key).name}' in list`);
}
