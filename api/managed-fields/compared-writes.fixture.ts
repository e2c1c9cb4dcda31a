/** Written objects as tests compare them: with the answers of kube-apiserver, and with those recorded. */
import type { Rest } from '../merge/converting.ts';
import { objectAt, type JsonObject } from '../json/json.ts';
import { seededDice } from '../patch/go-oracle.fixture.ts';
import { sortedKeys } from '../../tools/recorded-answers.fixture.ts';
import { customSchema } from './generated-objects.fixture.ts';
import {
  customKind,
  NOW,
  someHistory,
  someMistake,
  UNREADABLE,
} from './generated-writes.fixture.ts';
import type { Asked, Outcome } from './generated-writes.fixture.ts';

const UNREADABLE_IN_GO = 'unable to convert unstructured object';

export interface GoAnswer {
  readonly object?: JsonObject;
  readonly error?: string;
  readonly status?: {
    readonly details?: { readonly causes?: { message: string; field: string }[] };
  };
}

/** The writes of so many objects; the same for the same seed. */
export async function someHistories(seed: number, count: number, rest?: Rest): Promise<Asked[]> {
  const dice = seededDice(seed);
  const custom = customKind({ v1: customSchema(false), v1beta1: customSchema(true) });
  const asked: Asked[] = [];
  for (let index = 0; index < count; index++) {
    asked.push(...(await someHistory(dice, custom, rest)));
  }
  return asked;
}

/** So many applies of objects with mistakes in them. */
export async function someMistakes(seed: number, count: number): Promise<Asked[]> {
  const dice = seededDice(seed);
  const custom = customKind({ v1: customSchema(false), v1beta1: customSchema(true) });
  const asked: Asked[] = [];
  for (let index = 0; index < count; index++) asked.push(await someMistake(dice, custom));
  return asked;
}

/** What this server answered. */
export function shownHere({ here, canonical }: Asked): unknown {
  return shown(here, canonical);
}

/** What kube-apiserver answered to the same. */
export function shownThere({ canonical }: Asked, go: GoAnswer): unknown {
  if (go.error?.includes(UNREADABLE_IN_GO) === true) return shown({ error: UNREADABLE }, canonical);
  return shown(outcomeOf(go), canonical);
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
  if (object === undefined) return { error: inOrder(error ?? ''), conflicts };
  const read = canonical(object);
  const { managedFields, ...metadata } = objectAt(read, 'metadata') ?? {};
  const entries = JSON.stringify(managedFields ?? []).replaceAll(/"time":"([^"]*)"/g, withNow);
  return { entries, object: sortedKeys({ ...read, metadata }) };
}

/** Several mistakes are told in the order in which Go goes through a map, which is none. */
function inOrder(error: string): string {
  const [head = '', ...mistakes] = error.split('\n  ');
  return [head, ...mistakes.sort()].join('\n  ');
}

/** Times of the past are those of the history; all else is now. */
function withNow(text: string, time: string): string {
  return time.startsWith('2020-') ? text : `"time":"${NOW}"`;
}
