/**
 * Histories of written objects, each write beside kube-apiserver's own field manager: the object,
 * its managedFields to the letter, and what is said of conflicts and mistakes.
 */
import { describe, expect, it } from 'vitest';
import { objectAt, type JsonObject } from '../meta/json.ts';
import { goOracle, seededDice } from '../patch/go-oracle.fixture.ts';
import { customSchema } from './generated-objects.fixture.ts';
import {
  customKind,
  NOW,
  someHistory,
  UNREADABLE,
  type Asked,
  type Outcome,
} from './generated-writes.fixture.ts';

const oracle = await goOracle('merge');
const seed = Number(process.env['EVERWATCH_SEED'] ?? 20_261_121);
const HISTORIES = 1_500;

const UNREADABLE_IN_GO = 'unable to convert unstructured object';

interface GoAnswer {
  readonly object?: JsonObject;
  readonly error?: string;
  readonly status?: {
    readonly details?: { readonly causes?: { message: string; field: string }[] };
  };
}

describe.skipIf(oracle === undefined)('field management, beside Go', () => {
  it(`agrees on every write (EVERWATCH_SEED=${String(seed)})`, { timeout: 300_000 }, async () => {
    const dice = seededDice(seed);
    const custom = customKind({ v1: customSchema(false), v1beta1: customSchema(true) });
    const asked: Asked[] = [];
    for (let count = 0; count < HISTORIES; count++)
      asked.push(...(await someHistory(dice, custom)));
    const answers = oracle?.<GoAnswer>(asked.map(({ question }) => question)) ?? [];
    const differences = asked.flatMap((one, index) => differenceOf(one, answers[index] ?? {}));
    expect(asked.length).toBeGreaterThan(HISTORIES * 4);
    expect(differences.slice(0, 3)).toEqual([]);
  });
});

function differenceOf({ question, here, canonical }: Asked, go: GoAnswer): unknown[] {
  const mine = shown(here, canonical);
  const theirs = shown(outcomeOf(go), canonical);
  if (here.error === UNREADABLE && go.error?.includes(UNREADABLE_IN_GO) === true) return [];
  return JSON.stringify(mine) === JSON.stringify(theirs) ? [] : [{ question, mine, theirs }];
}

function outcomeOf({ object, error, status }: GoAnswer): Outcome {
  if (object !== undefined) return { object };
  const causes = status?.details?.causes;
  if (causes === undefined) return { error: error ?? '' };
  const conflicts = causes.map(({ message, field }) => `${field}: ${message}`).sort();
  return { error: error ?? '', conflicts };
}

/** Entries to the letter; of the rest, the order of keys does not count. */
function shown(
  { object, error, conflicts }: Outcome,
  canonical: (object: JsonObject) => JsonObject,
): unknown {
  if (object === undefined) return { error, conflicts };
  const read = canonical(object);
  const { managedFields, ...metadata } = objectAt(read, 'metadata') ?? {};
  const entries = JSON.stringify(managedFields ?? []).replaceAll(/"time":"([^"]*)"/g, withNow);
  return { entries, object: sortedKeys({ ...read, metadata }) };
}

/** Times of the past are those of the history; all else is now. */
function withNow(text: string, time: string): string {
  return time.startsWith('2020-') ? text : `"time":"${NOW}"`;
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, field]) => [key, sortedKeys(field)]));
}
