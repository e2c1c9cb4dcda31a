/**
 * The same write, judged by our strategy of a kind and by kube-apiserver's. What is no rule of a
 * kind is made alike first: old objects are in the form of the store, the present is one word,
 * values that upstream prints in its internal form are left out of messages.
 */
import { isJsonObject, type JsonObject } from '../../../api/json/json.ts';
import { asKubeObject } from '../../../api/meta/object-meta.ts';
import type { HorizontalPodAutoscaler } from '../../../api/generated/kinds/autoscaling-v2.ts';
import { setHorizontalPodAutoscalerDefaults } from '../../../api/kinds/autoscaling/horizontalpodautoscalers/definition.ts';
import type { FieldError } from '../../../api/field/field-errors.ts';
import {
  NOW,
  judge,
  shownErrors,
  type Judgement,
  type Write,
} from '../../../api/kinds/rule-cases/judge.fixture.ts';
import type { OracleProgram } from '../oracle-program.ts';

export interface Verdict {
  readonly object: JsonObject;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

export interface Comparison {
  readonly write: Write;
  readonly ours: Verdict;
  readonly theirs: Verdict;
}

/** Writes that do not decode are left out. */
export function compare(oracle: OracleProgram, sent: readonly Write[]): readonly Comparison[] {
  return compareEach(oracle, sent).filter((one) => one !== undefined);
}

/**
 * One for each write, in their order; undefined where it does not decode. To start the oracle costs as
 * much as a hundred answers of it, so a test file asks for many writes at once.
 */
export function compareEach(
  oracle: OracleProgram,
  sent: readonly Write[],
): readonly (Comparison | undefined)[] {
  const writes = withStoredOlds(oracle, sent);
  const answers = oracle.ask(writes).map(asObject);
  const judged = writes.map((write, index) => {
    const answer = answers[index] ?? {};
    // The oracle has read it back from its store.
    const old = write.old && asKubeObject(write.old);
    const judgement = 'error' in answer ? undefined : judge(write, old);
    return judgement === undefined ? undefined : { write, judgement, answer };
  });
  // What does not decode has no canonical form; an empty object stands in its place.
  const canonical = oracle.ask(
    judged.map((one) => ({ do: 'canonical', object: readBack(one?.judgement.object ?? {}) })),
  );
  return judged.map((one, index) => {
    if (one === undefined) return undefined;
    const { write, judgement, answer } = one;
    const ours = ourVerdict(judgement, asObject(canonical[index]));
    return { write, ours, theirs: theirVerdict(answer) };
  });
}

function withStoredOlds(oracle: OracleProgram, writes: readonly Write[]): readonly Write[] {
  const questions = writes.map(({ old, object }) => ({ do: 'store', object: old ?? object }));
  const stored = oracle.ask(questions).map(asObject);
  return writes.map((write, index) => {
    const old = stored[index]?.['object'];
    return write.old === undefined || !isJsonObject(old) ? write : { ...write, old };
  });
}

/**
 * The oracle reads what it answers back, which is no matter but for lists that are refused when they
 * are empty: they are not written, and the reader fills them in.
 */
function readBack(object: JsonObject): JsonObject {
  if (object['kind'] !== 'HorizontalPodAutoscaler' || object['apiVersion'] !== 'autoscaling/v2')
    return object;
  const written = JSON.stringify(object, (key, value: unknown) =>
    key === 'policies' && Array.isArray(value) && value.length === 0 ? undefined : value,
  );
  const autoscaler = asObject(JSON.parse(written)) as unknown as HorizontalPodAutoscaler;
  setHorizontalPodAutoscalerDefaults(autoscaler);
  return autoscaler;
}

function ourVerdict({ errors, warnings }: Judgement, canonical: JsonObject): Verdict {
  return {
    object: withoutPresent(asObject(canonical['object'])),
    errors: shownErrors(errors).map(withoutValue),
    warnings,
  };
}

function theirVerdict(answer: JsonObject): Verdict {
  // The oracle answers in this form.
  const errors = answer['errors'] as unknown as FieldError[];
  return {
    object: withoutPresent(asObject(answer['object'])),
    errors: shownErrors(errors).map(withoutValue),
    warnings: answer['warnings'] as string[],
  };
}

/** `Invalid value: {…}: detail` → `Invalid value: …: detail`. */
export function withoutValue(error: string): string {
  return error.replace(/^(\S+ \w+ value): (?:[[{].*[\]}]|null)(: |$)/, '$1: …$2');
}

/** Upstream asks its own clock. */
function withoutPresent(object: JsonObject): JsonObject {
  const today = new Date().toISOString().slice(0, 10);
  const text = JSON.stringify(object, (_key, value: unknown) =>
    typeof value === 'string' && (value === NOW || value.startsWith(`${today}T`)) ? 'now' : value,
  );
  return asObject(JSON.parse(text));
}

export function asObject(value: unknown): JsonObject {
  const json = value as JsonObject; // It was parsed from JSON just now.
  if (!isJsonObject(json)) throw new Error(`no object: ${String(value)}`);
  return json;
}
