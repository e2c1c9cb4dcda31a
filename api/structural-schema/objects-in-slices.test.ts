/**
 * The law of custom resources in slices: read, completed and judged with a pause wherever there may
 * be one, an object comes to what it comes to at once.
 */
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { formatJson } from '../json/json-text.ts';
import { copyJson } from '../json/json-tree.ts';
import { WorkInSlices } from '../json/work-in-slices.ts';
import { oneOf, seededDice } from '../patch/go-oracle.fixture.ts';
import { customResourceCodec, storedCustomResourceCodec } from './custom-resource-codec.ts';
import { changed, someSchema, someValue } from './generated-schemas.fixture.ts';
import { compileObjectSchema } from './object-schema.ts';
import { parseStructuralSchema } from './parse-structural-schema.ts';
import type { StructuralSchema } from './structural-schema.ts';

const SCHEMAS = 24;
const OBJECTS_EACH = 4;

type Run = <Result>(work: () => Result) => Result;

function atOnce<Result>(work: () => Result): Result {
  return work();
}

/** A slice takes so many steps. */
function pausing(steps: number): Run {
  return (work) => {
    const slices = new WorkInSlices(work, steps);
    for (;;) {
      const done = slices.goOn();
      if (done.isDone) return done.value;
    }
  };
}

/** All that is done with an object, and with what lay in its place before. */
function outcome(schema: StructuralSchema, given: JsonObject, before: JsonObject, run: Run) {
  // Compiled anew, since what is compiled on the way must not be counted as a part of the work.
  const codec = customResourceCodec(schema);
  const objects = compileObjectSchema(schema);
  const decoded = run(() => codec.decode(copyJson(given), { collectUnknown: true }));
  const old = copyJson(run(() => codec.readStored(copyJson(before))));
  if (!decoded.ok) return { decoded, old };
  const object = copyJson(decoded.value);
  run(() => {
    objects.fillDefaults(object);
  });
  return {
    decoded,
    old,
    object,
    stored: run(() => storedCustomResourceCodec.decode(object)),
    errors: run(() => objects.validate(object, undefined)),
    errorsAfter: run(() => objects.validate(object, old)),
    errorsOfStatus: run(() => objects.validateStatus(object, old)),
  };
}

function thing(value: JsonValue): JsonObject {
  const fields = isJsonObject(value) ? value : {};
  return { ...fields, apiVersion: 'a/v1', kind: 'A', metadata: { name: 'a', labels: { a: 'b' } } };
}

describe('custom resources in slices', () => {
  it('come to what they come to at once', () => {
    const dice = seededDice(20_261_123);
    const found = { invalid: 0, unknown: 0, refused: 0 };
    for (let count = 0; count < SCHEMAS; count += 1) {
      const props = someSchema(dice);
      const schema = parseStructuralSchema(props);
      for (let of = 0; of < OBJECTS_EACH; of += 1) {
        const given = thing(someValue(dice, props, 70 + dice(31)));
        const before = thing(changed(dice, given, props, oneOf(dice, [5, 20, 60])));
        const whole = outcome(schema, given, before, atOnce);
        const inSlices = outcome(schema, given, before, pausing(1 + of));

        // As text, since the order of keys counts.
        expect(formatJson(inSlices)).toBe(formatJson(whole));
        if (!whole.decoded.ok) found.refused += 1;
        else if (whole.decoded.unknownFields.length > 0) found.unknown += 1;
        if ((whole.errorsAfter?.length ?? 0) > 0) found.invalid += 1;
      }
    }
    expect(Math.min(found.invalid, found.unknown)).toBeGreaterThan(10);
  });
});
