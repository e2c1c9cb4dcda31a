/** Metadata and options judged by us and by apimachinery, on generated cases. */
import { describe, expect, it } from 'vitest';

import { goOracle, oneOf, seededDice, several, type Dice } from '../patch/go-oracle.fixture.ts';
import type { FieldError } from '../field/field-errors.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import {
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  nameIsPathSegment,
} from './names.ts';
import { validateObjectMetaUpdate } from '../validation/object-meta-validation-update.ts';
import { validateObjectMeta } from '../validation/object-meta-validation.ts';
import type { ObjectMeta } from './object-meta.ts';
import { parseDeleteOptions } from '../options/options-delete.ts';
import { parseListOptions } from '../options/options-list.ts';
import {
  parseCreateOptions,
  type ParsedOptions,
  parsePatchOptions,
  parseUpdateOptions,
} from '../options/options.ts';

interface Answer {
  readonly error?: string;
  readonly code?: number;
  readonly errors?: FieldError[];
  readonly options?: JsonObject;
}

const oracle = await goOracle('objectmeta');

const NAME_RULES = {
  subdomain: nameIsDnsSubdomain,
  label: nameIsDnsLabel,
  label1035: nameIsDns1035Label,
  pathSegment: nameIsPathSegment,
};

describe.skipIf(oracle === undefined)('against apimachinery', { timeout: 900_000 }, () => {
  it('judges metadata of new objects the same way', () => {
    const dice = seededDice(11);
    const asked = several(dice, [6000, 6000], () => {
      const meta = someMeta(dice);
      const namespaced = dice(4) > 0;
      const nameRule = oneOf<keyof typeof NAME_RULES>(dice, [
        'subdomain',
        'label',
        'label1035',
        'pathSegment',
      ]);
      const validateName = NAME_RULES[nameRule];
      const ours = validateObjectMeta(meta, { namespaced, validateName });
      return { question: { ask: 'create', meta, namespaced, nameRule }, ours: sortedRuns(ours) };
    });
    compare(asked, ({ errors }) => sortedRuns(errors ?? []));
  });

  it('judges metadata of changed objects the same way', () => {
    const dice = seededDice(12);
    const asked = several(dice, [6000, 6000], () => {
      const old = someMeta(dice);
      const meta = dice(5) === 0 ? someMeta(dice) : { ...old, ...somePart(someMeta(dice), dice) };
      const ours = validateObjectMetaUpdate(meta, old);
      return { question: { ask: 'update', meta, old }, ours: sortedRuns(ours) };
    });
    compare(asked, ({ errors }) => sortedRuns(errors ?? []));
  });

  it('reads options of writes the same way', () => {
    const dice = seededDice(13);
    const asked = several(dice, [6000, 6000], () => {
      const query = someQuery(dice, [
        'dryRun',
        'fieldManager',
        'fieldValidation',
        'force',
        'pretty',
      ]);
      return oneOf(dice, [
        () => ({
          question: { ask: 'CreateOptions', query },
          ours: outcomeOf(parseCreateOptions(query)),
        }),
        () => ({
          question: { ask: 'UpdateOptions', query },
          ours: outcomeOf(parseUpdateOptions(query)),
        }),
        () => {
          const isApply = dice(2) === 0;
          const patchType = isApply
            ? 'application/apply-patch+yaml'
            : 'application/json-patch+json';
          return {
            question: { ask: 'PatchOptions', query, patchType },
            ours: withoutFalseForce(outcomeOf(parsePatchOptions(query, isApply))),
          };
        },
      ])();
    });
    compare(asked, ({ error = '', code = 0, options = {} }) => {
      const { dryRun, fieldManager = '', fieldValidation = '', force } = options;
      if (error !== '') return { error, code };
      const read = {
        dryRun: Array.isArray(dryRun) && dryRun.length > 0,
        fieldManager,
        fieldValidation: fieldValidation === '' ? 'Warn' : fieldValidation,
      };
      return force === true ? { ...read, force } : read;
    });
  });

  it('reads options of lists and watches the same way', () => {
    const dice = seededDice(14);
    const names: Names = [
      'labelSelector',
      'fieldSelector',
      'watch',
      'allowWatchBookmarks',
      'resourceVersion',
      'resourceVersionMatch',
      'resourceVersionMatch',
      'timeoutSeconds',
      'limit',
      'continue',
      'sendInitialEvents',
      'watch',
    ];
    const asked = several(dice, [15_000, 15_000], () => {
      const query = someQuery(dice, names);
      const parsed = parseListOptions(query);
      const ours = parsed.ok
        ? {
            ...parsed.options,
            labelSelector: parsed.options.labelSelector.canonical,
            fieldSelector: parsed.options.fieldSelector.canonical,
            timeoutSeconds: parsed.options.timeoutSeconds ?? null,
            sendInitialEvents: parsed.options.sendInitialEvents ?? null,
          }
        : outcomeOf(parsed);
      return { question: { ask: 'ListOptions', query }, ours };
    });
    compare(asked, ({ error = '', code = 0, options = {} }) =>
      error === '' ? options : { error, code },
    );
  });

  it('reads options of deletes the same way', () => {
    const dice = seededDice(15);
    const names: Names = [
      'gracePeriodSeconds',
      'orphanDependents',
      'propagationPolicy',
      'dryRun',
      'uid',
      'resourceVersion',
      'ignoreStoreReadErrorWithClusterBreakingPotential',
    ];
    const asked = several(dice, [10_000, 10_000], () => {
      const query = someQuery(dice, names);
      const value = dice(2) === 0 ? undefined : someDeleteBody(dice);
      const body = value === undefined ? '' : JSON.stringify(value);
      const ours = outcomeOf(parseDeleteOptions(query, value));
      return { question: { ask: 'DeleteOptions', query, body }, ours };
    });
    compare(asked, ({ error = '', code = 0, options = {} }) => {
      if (error !== '') return { error, code };
      const { dryRun } = options;
      return { ...options, dryRun: Array.isArray(dryRun) && dryRun.length > 0 };
    });
  });
});

interface Asked {
  readonly question: object;
  readonly ours: unknown;
}

function compare(asked: readonly Asked[], theirs: (answer: Answer) => unknown) {
  const answers = oracle?.<Answer>(asked.map(({ question }) => question)) ?? [];
  const different = asked.flatMap(({ question, ours }, index) => {
    const upstream = theirs(answers[index] ?? {});
    return sorted(upstream) === sorted(ours) ? [] : [{ question, ours, upstream }];
  });
  expect(different.slice(0, 3)).toEqual([]);
  expect(asked.length).toBeGreaterThan(1000);
}

/** Without regard to the order of keys, and to keys that say nothing. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

/** Go goes through maps in any order, so errors at the same field may come in any order. */
function sortedRuns(errors: readonly FieldError[]): string[] {
  const texts = errors.map(({ type, field, body }) => `${field} ${type} ${body}`);
  const runs: string[][] = [];
  for (const [index, text] of texts.entries()) {
    const isNew = errors[index - 1]?.field !== errors[index]?.field;
    if (isNew) runs.push([]);
    runs.at(-1)?.push(text);
  }
  return runs.flatMap((run) => run.sort());
}

function outcomeOf<Options>(parsed: ParsedOptions<Options>): unknown {
  if (parsed.ok) return parsed.options;
  return { error: parsed.status.message, code: parsed.status.code };
}

/** Upstream tells false from absent; for us they are the same. */
function withoutFalseForce(outcome: unknown): unknown {
  return JSON.parse(JSON.stringify(outcome), (key, value: unknown) =>
    key === 'force' && value === false ? undefined : value,
  );
}

type Names = readonly [string, ...string[]];

function someMeta(dice: Dice): ObjectMeta {
  const name = () =>
    oneOf(dice, ['a', 'a-b', 'web-', 'A', 'a.b', '', 'a/b', '..', 'é-', 'x'.repeat(64), '1a']);
  const key = () =>
    oneOf(dice, [
      'app',
      'a/b',
      'example.com/c',
      'EXAMPLE.com/c',
      '',
      'a b',
      '\u0007',
      'y'.repeat(70),
    ]);
  const value = () => oneOf(dice, ['', 'v', 'a b', '-', 'z'.repeat(64), '"q"', '\u0000']);
  const time = () =>
    oneOf(dice, ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', '2026-01-02T00:00:00Z']);
  const parts: Record<string, () => JsonValue> = {
    name,
    generateName: name,
    namespace: () => oneOf(dice, ['default', 'a', '', 'A', 'a.b']),
    uid: () => oneOf(dice, ['u1', 'u2', '<u>']),
    resourceVersion: () => oneOf(dice, ['1', '', '2']),
    generation: () => oneOf(dice, [1, 2, -1]),
    creationTimestamp: () => (dice(4) === 0 ? null : time()),
    deletionTimestamp: time,
    deletionGracePeriodSeconds: () => oneOf(dice, [0, 30]),
    labels: () => Object.fromEntries(several(dice, [0, 3], () => [key(), value()])),
    annotations: () => Object.fromEntries(several(dice, [0, 3], () => [key(), longValue(dice)])),
    ownerReferences: () => several(dice, [0, 3], () => someOwner(dice)),
    finalizers: () =>
      several(dice, [0, 3], () =>
        oneOf(dice, ['orphan', 'foregroundDeletion', 'example.com/f', 'bad name', '', 'f<']),
      ),
    managedFields: () => several(dice, [0, 2], () => someManagedFields(dice)),
  };
  const chosen = Object.entries(parts).filter(() => dice(2) === 0);
  const meta = Object.fromEntries(chosen.map(([field, make]) => [field, make()]));
  if (dice(3) === 0) return { ...meta, name: 'good', namespace: 'good', resourceVersion: '5' };
  return meta;
}

function somePart(meta: ObjectMeta, dice: Dice): ObjectMeta {
  return Object.fromEntries(Object.entries(meta).filter(() => dice(4) === 0));
}

function longValue(dice: Dice): string {
  return dice(80) === 0 ? 'é'.repeat(65_536 + dice(3) * 33_000) : 'any thing\n';
}

function someOwner(dice: Dice): JsonObject {
  return {
    apiVersion: oneOf(dice, ['v1', 'apps/v1', '', 'a/b/c', '/v1', 'apps/', '/']),
    kind: oneOf(dice, ['Pod', 'Event', '', 'K<']),
    name: oneOf(dice, ['a', '']),
    uid: oneOf(dice, ['u', '']),
    ...(dice(2) === 0 ? { controller: dice(3) > 0 } : {}),
    ...(dice(3) === 0 ? { blockOwnerDeletion: dice(2) === 0 } : {}),
  };
}

function someManagedFields(dice: Dice): JsonObject {
  return {
    manager: oneOf(dice, ['kubectl', '', 'a\tb', 'm'.repeat(129)]),
    operation: oneOf(dice, ['Apply', 'Update', 'X<', '']),
    apiVersion: 'v1',
    fieldsType: oneOf(dice, ['FieldsV1', '', 'FieldsV2']),
    fieldsV1: {},
    subresource: oneOf(dice, ['', 'status', 's'.repeat(257)]),
  };
}

const VALUES: Names = [
  '',
  '1',
  '0',
  'true',
  'false',
  'FALSE',
  'All',
  'all',
  'Warn',
  'Strict',
  'Ignore',
  'Exact',
  'NotOlderThan',
  'notOlderThan',
  'abc',
  '10',
  '-1',
  '+5',
  '1.5',
  '9223372036854775808',
  '0x10',
  '99999999999999999999999',
  'a=b',
  'a%3Db',
  'a+b',
  '%zz',
  'a;b',
  'kubectl',
  '%07',
  'm'.repeat(129),
  '%F0%9F%98%80%C2%A0',
  'Foreground',
  'Background',
  'Orphan',
  'x in (a,b)',
  'metadata.name%3Dx',
  '%22',
  '%3C',
];

function someQuery(dice: Dice, names: Names): string {
  return several(dice, [0, 4], () => `${oneOf(dice, names)}=${oneOf(dice, VALUES)}`).join('&');
}

function someDeleteBody(dice: Dice): JsonValue {
  const any = (): JsonValue =>
    oneOf<JsonValue>(dice, [1, 'x', null, true, [], {}, 1.5, ['All'], { uid: 'u' }, '', -5]);
  if (dice(20) === 0) return any();
  const parts: Record<string, () => JsonValue> = {
    // Not CreateOptions: upstream then first complains of that kind's own fields.
    kind: () => oneOf(dice, ['DeleteOptions', 'DeleteOptions', 'Foo', '']),
    apiVersion: () => oneOf(dice, ['v1', 'apps/v1', 'a/b/c', '']),
    gracePeriodSeconds: () => oneOf(dice, [0, 30, -1, 1.5]),
    orphanDependents: () => dice(2) === 0,
    propagationPolicy: () => oneOf(dice, ['Foreground', 'Background', 'Orphan', '', 'x']),
    dryRun: () => several(dice, [0, 2], () => oneOf<JsonValue>(dice, ['All', 'x', null, 1])),
    preconditions: () => ({
      ...(dice(2) === 0 ? { uid: oneOf<JsonValue>(dice, ['u', '', null, 1]) } : {}),
      ...(dice(2) === 0 ? { resourceVersion: oneOf<JsonValue>(dice, ['5', '', null, {}]) } : {}),
    }),
    unknown: () => 1,
  };
  const chosen = Object.entries(parts).filter(() => dice(3) === 0);
  return Object.fromEntries(chosen.map(([field, make]) => [field, dice(8) === 0 ? any() : make()]));
}
