/**
 * Whole numbers of 64 bits in objects with managers: as values, as items of sets and as keys of lists. What
 * is applied is a double to kube-apiserver beyond 2^53, and stays exact here (decision 47), so beyond that
 * only updates are held against Go.
 */
import { describe, expect, it } from 'vitest';
import { greatNumbers } from '../meta/great-numbers.fixture.ts';
import { objectAt, type JsonObject } from '../json/json.ts';
import { isInt64 } from '../json/go-numbers.ts';
import { formatJson, parseJson } from '../json/json-text.ts';
import { goOracle } from '../patch/go-oracle.fixture.ts';
import { sortedValue } from '../structural-schema/sorted-object.ts';
import {
  answerOf,
  customKind,
  NOW,
  resourceOf,
  type Outcome,
  type Question,
} from './generated-writes.fixture.ts';

const oracle = await goOracle('merge');
const NUMBERS = greatNumbers(55).filter((number) => isInt64(BigInt(number)));
const EXACT_IN_GO = NUMBERS.filter((number) => Number.isSafeInteger(Number(number)));

const SCHEMA = parseJson(`{"type":"object","properties":{"spec":{"type":"object","properties":{
  "value":{"type":"integer"},
  "set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"integer"}},
  "keyed":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port"],
    "items":{"type":"object","required":["port"],
      "properties":{"port":{"type":"integer"},"a":{"type":"integer"}}}},
  "any":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}`) as JsonObject;

const KIND = customKind({ v1: SCHEMA });

interface GoAnswer {
  readonly object?: JsonObject;
  readonly error?: string;
}

describe('a great number', { timeout: 900_000 }, () => {
  it.skipIf(oracle === undefined)('is owned after an update as in Go', async () => {
    const questions = NUMBERS.map((number) => write('update', 'helm', specOf(number)));
    expect(await differences(questions)).toEqual([]);
  });

  it.skipIf(oracle === undefined)(
    'is owned after an apply as in Go, where it is exact there',
    async () => {
      const questions = EXACT_IN_GO.map((number) => write('apply', 'helm', specOf(number)));
      expect(await differences(questions)).toEqual([]);
    },
  );

  it('is told from its neighbour by an apply', async () => {
    for (const number of NUMBERS.filter((one) => isInt64(BigInt(one) + 1n))) {
      const next = String(BigInt(number) + 1n);
      const first = await applied(write('apply', 'one', specOf(number)));
      const { value: _value, any: _any, ...items } = specOf(next);
      const both = await applied({ ...write('apply', 'two', items), live: first });
      expect(formatJson(objectAt(both, 'spec') ?? {})).toBe(
        formatJson(
          sortedValue({
            ...specOf(number),
            set: [...(specOf(number)['set'] as []), ...(items['set'] as [])],
            keyed: [...(specOf(number)['keyed'] as []), ...(items['keyed'] as [])],
          }),
        ),
      );
      const owned = formatJson(objectAt(both, 'metadata') ?? {});
      for (const one of [number, next]) {
        expect(owned).toContain(`"v:${one}":{}`);
        expect(owned).toContain(formatJson(`k:{"port":${one}}`));
      }
      const refused = await answer({
        ...write('apply', 'two', { value: valueOf(next) }),
        live: first,
      });
      expect(refused.conflicts).toEqual(['.spec.value: conflict with "one"']);
    }
  });
});

function specOf(number: string): JsonObject {
  const text = `{"value":N,"set":[N],"keyed":[{"port":N,"a":N}],"any":{"a":[N,{"b":N}]}}`;
  return parseJson(text.replaceAll('N', number)) as JsonObject; // It is written as one.
}

function valueOf(number: string): number | bigint {
  return parseJson(number) as number | bigint; // A number is read.
}

function write(kind: Question['do'], manager: string, spec: JsonObject): Question {
  const head = { apiVersion: 'example.com/v1', kind: 'Thing' };
  const object = { ...head, metadata: { name: 'one', namespace: 'default' }, spec };
  const more = KIND.crd === undefined ? {} : { crd: KIND.crd };
  return { do: kind, ...head, manager, force: false, object, reset: [], ...more };
}

function answer(question: Question): Promise<Outcome> {
  return answerOf(resourceOf(KIND, 'example.com/v1', []), structuredClone(question));
}

async function applied(question: Question): Promise<JsonObject> {
  const { object, error } = await answer(question);
  if (object === undefined) throw new Error(error);
  return KIND.canonical(object);
}

async function differences(questions: readonly Question[]): Promise<object[]> {
  expect(questions.length).toBeGreaterThan(20);
  const answers = oracle?.<GoAnswer>(questions) ?? [];
  const different = await Promise.all(
    questions.map(async (question, at) => {
      const { object: theirs = {}, error } = answers[at] ?? {};
      const ours = shown(await applied(question));
      const go = error ?? shown(KIND.canonical(theirs));
      return ours === go ? [] : [{ question: formatJson(question), ours, theirs: go }];
    }),
  );
  return different.flat().slice(0, 3);
}

function shown(object: JsonObject): string {
  return formatJson(object).replaceAll(/"time":"[^"]*"/g, `"time":"${NOW}"`);
}
