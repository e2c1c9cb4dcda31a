/** The law of large patches: with a pause wherever there may be one, they come to what they come to at once. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { WorkInSlices } from '../json/work-in-slices.ts';
import { applyJsonPatch } from './json-patch.ts';
import { copyJson, isDeeperThan, isEqualJson, jsonSizeBytes } from '../json/json-tree.ts';
import { applyMergePatch } from './merge-patch.ts';
import type { PatchResult } from './patch-result.ts';
import { patchSchemaOf } from './patch-schema.ts';
import { markSpelled, unmarkSpelled } from '../json/spelled-numbers.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';
import { withoutDirectives } from './strategic-merge-directives.ts';
import { readEntries } from '../json/json-reader.ts';

function paused<Result>(work: () => Result, steps: number): Result {
  const slices = new WorkInSlices(work, steps);
  for (;;) {
    const done = slices.goOn();
    if (done.isDone) return done.value;
  }
}

/** With the order of keys that messages have. */
function shown(result: PatchResult): object {
  return result.ok ? { ...result, shown: JSON.stringify(result.shown(false)) } : result;
}

const steps = fc.integer({ min: 1, max: 6 });
const text = fc.constantFrom('a', 'b', 'c', 'd');
const leaf = fc.oneof(text, fc.nat(3), fc.boolean(), fc.constant(null));
const value = fc.letrec<{ any: JsonValue }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(text, tie('any'), { maxKeys: 4 }) as fc.Arbitrary<JsonObject>,
  ),
})).any;
const object = fc.dictionary(text, value, { maxKeys: 4 }) as fc.Arbitrary<JsonObject>;

const segment = fc.constantFrom('a', 'b', 'c', 'd', '0', '1', '-');
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((all) => `/${all.join('/')}`);
const operation = fc.record(
  {
    op: fc.constantFrom('add', 'add', 'copy', 'move', 'remove', 'replace', 'test'),
    path,
    from: path,
    value,
  },
  { requiredKeys: ['op', 'path'] },
) as unknown as fc.Arbitrary<JsonObject>;

it('a JSON patch', () => {
  const strictness = fc.constantFrom('Ignore', 'Strict');
  fc.assert(
    fc.property(object, fc.array(operation), strictness, steps, (document, patch, how, most) => {
      const patched = () => shown(applyJsonPatch(document, patch, { fieldValidation: how }));
      expect(paused(patched, most)).toEqual(patched());
    }),
    { numRuns: 1_000 },
  );
});

it('a merge patch', () => {
  fc.assert(
    fc.property(object, value, steps, (document, patch, most) => {
      const patched = () => shown(applyMergePatch(document, patch, 'Strict'));
      expect(paused(patched, most)).toEqual(patched());
    }),
    { numRuns: 1_000 },
  );
});

const optional = <Value>(of: fc.Arbitrary<Value>) => fc.option(of, { nil: undefined });
const env = fc.record({ name: text, value: text });
const container = fc.record({ name: text, image: optional(text), env: optional(fc.array(env)) });
const containerPatch = fc.oneof(
  fc.record({
    name: text,
    image: fc.option(text),
    env: fc.array(fc.oneof(env, fc.record({ name: text, $patch: fc.constant('delete') }))),
  }),
  fc.record({ name: text, $patch: fc.constantFrom('delete', 'replace', 'merge') }),
);
const names = fc.array(fc.record({ name: text }), { maxLength: 4 });
const pod = fc.record({
  metadata: fc.record({
    labels: optional(fc.dictionary(text, text)),
    finalizers: optional(fc.array(text)),
  }),
  spec: fc.record({ containers: optional(fc.array(container)), volumes: optional(names) }),
}) as unknown as fc.Arbitrary<JsonObject>; // undefined stands for a field that is not there.
const podPatch = fc.record({
  metadata: fc.record({
    labels: optional(fc.dictionary(text, fc.option(text))),
    finalizers: optional(fc.array(text)),
    '$deleteFromPrimitiveList/finalizers': optional(fc.array(text)),
  }),
  spec: fc.record({
    containers: optional(fc.array(containerPatch)),
    volumes: optional(names),
    '$setElementOrder/containers': optional(names),
    $retainKeys: optional(fc.constantFrom(['containers'], ['containers', 'volumes'])),
  }),
}) as unknown as fc.Arbitrary<JsonObject>; // As above.

it('a strategic merge patch', () => {
  const schema = patchSchemaOf('io.k8s.api.core.v1.Pod');
  if (schema === undefined) throw new Error('pods have no merge keys');
  fc.assert(
    fc.property(pod, podPatch, steps, (document, patch, most) => {
      const patched = () => shown(applyStrategicMergePatch(document, patch, schema));
      expect(paused(patched, most)).toEqual(patched());
    }),
    { numRuns: 300 },
  );
});

it('whole values, compared, copied and measured', () => {
  fc.assert(
    fc.property(value, value, steps, (one, other, most) => {
      for (const work of [
        () => isEqualJson(one, other),
        () => isEqualJson(one, copyJson(one)),
        () => copyJson(one),
        () => jsonSizeBytes(one),
        () => isDeeperThan(one, 2),
        () => withoutDirectives(one, { dropsNulls: true }),
      ]) {
        expect(paused<unknown>(work, most)).toEqual(work());
      }
    }),
  );
});

it('the spelling of numbers', () => {
  const spelled = '{"a":[1.0,{"b":2.50}],"c":1,"d":[[3.0]]}';
  const read = () => readEntries(spelled).value;
  for (const most of [1, 2, 3]) {
    const [there, here] = [read(), read()];
    expect(paused(() => markSpelled(there), most)).toBe(markSpelled(here));
    expect(there).toEqual(here);
    paused(() => {
      unmarkSpelled(there);
    }, most);
    expect(there).toEqual(read());
  }
});
