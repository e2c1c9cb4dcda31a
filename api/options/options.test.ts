import { describe, expect, it } from 'vitest';

import type { JsonValue } from '../json/json.ts';
import { NO_DELETE_OPTIONS, parseDeleteOptions } from './options-delete.ts';
import { parseListOptions, type ListOptions } from './options-list.ts';
import {
  parseCreateOptions,
  type ParsedOptions,
  parseGetOptions,
  parsePatchOptions,
  parseUpdateOptions,
  validateFieldManager,
} from './options.ts';

function optionsOf<Options>(parsed: ParsedOptions<Options>): Options {
  if (!parsed.ok) throw new Error(parsed.status.message);
  return parsed.options;
}

function refusalOf(parsed: ParsedOptions<unknown>): [number, string] {
  return parsed.ok ? [200, ''] : [parsed.status.code, parsed.status.message ?? ''];
}

describe('a manager of characters that cannot be printed', () => {
  it('is shown in as many errors as are told, and quoted once', () => {
    const manager = '\u0001\u00e4'.repeat(50_000);
    const errors = validateFieldManager(manager, 'm');

    expect(errors).toHaveLength(1_000);
    expect(errors[0]?.body).toContain('Too long');
    expect(errors[2]?.body.endsWith('": invalid character U+0001 (at position 3)')).toBe(true);
  });
});

describe('options of writes', () => {
  it('cost nothing when there are none', () => {
    expect(parseCreateOptions('')).toBe(parseCreateOptions(''));
    expect(parseUpdateOptions('')).toBe(parseCreateOptions(''));
    expect(optionsOf(parseCreateOptions(''))).toEqual({
      dryRun: false,
      fieldManager: '',
      fieldValidation: 'Warn',
    });
  });

  it('are read', () => {
    const query = 'dryRun=All&fieldManager=kubectl+create&fieldValidation=Strict&pretty=true';
    expect(optionsOf(parseCreateOptions(query))).toEqual({
      dryRun: true,
      fieldManager: 'kubectl create',
      fieldValidation: 'Strict',
    });
  });

  it('are all told what is wrong with them', () => {
    const query = `dryRun=All&dryRun=some&fieldManager=a%07&fieldValidation=x`;
    expect(refusalOf(parseUpdateOptions(query))).toEqual([
      422,
      'UpdateOptions.meta.k8s.io "" is invalid: [' +
        'fieldManager: Invalid value: "a\\a": invalid character U+0007 (at position 1), ' +
        'dryRun: Unsupported value: ["All","some"]: supported values: "All", ' +
        'fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"]',
    ]);
    expect(refusalOf(parseCreateOptions(`fieldManager=${'m'.repeat(129)}`))).toEqual([
      422,
      'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: ' +
        'may not be more than 128 bytes',
    ]);
  });
});

describe('options of patches', () => {
  it('need a field manager to apply, and may take fields from others', () => {
    expect(refusalOf(parsePatchOptions('', true))).toEqual([
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: ' +
        'is required for apply patch',
    ]);
    expect(optionsOf(parsePatchOptions('fieldManager=me&force', true)).force).toBe(true);
    expect(optionsOf(parsePatchOptions('fieldManager=me&force=FALSE', true)).force).toBe(false);
  });

  it('force nothing but apply', () => {
    expect(optionsOf(parsePatchOptions('', false)).force).toBe(false);
    expect(refusalOf(parsePatchOptions('force=0', false))).toEqual([
      422,
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: ' +
        'may not be specified for non-apply patch',
    ]);
  });
});

it('a get may name a version', () => {
  const given = (query: string): unknown[] => Object.values(parseGetOptions(query));
  expect(given('')).toEqual(['', false, false]);
  expect(given('resourceVersion=7')).toEqual(['7', false, false]);
  expect(given('resourceVersion=7&resourceVersionMatch=NotOlderThan')).toEqual(['7', false, false]);
  expect(given('resourceVersion=7&resourceVersionMatch=Exact')).toEqual(['7', true, false]);
  expect(given('resourceVersion=0&resourceVersionMatch=Exact')).toEqual(['0', false, false]);
  expect(given('resourceVersionMatch=Exact')).toEqual(['', false, false]);
  expect(given('export=true')).toEqual(['', false, true]);
});

describe('options of lists and watches', () => {
  it('cost nothing when there are none', () => {
    expect(parseListOptions('')).toBe(parseListOptions(''));
    expect(optionsOf(parseListOptions('')).labelSelector.isEmpty).toBe(true);
  });

  it('are read', () => {
    const query =
      'labelSelector=a%3Db&fieldSelector=metadata.name%3Dx&limit=500&continue=c&timeoutSeconds=5' +
      '&resourceVersion=7';
    const options = optionsOf(parseListOptions(query));
    expect(options).toMatchObject({
      watch: false,
      limit: 500,
      continue: 'c',
      timeoutSeconds: 5,
      resourceVersion: '7',
      resourceVersionMatch: '',
      sendInitialEvents: undefined,
    });
    expect(options.labelSelector.canonical).toBe('a=b');
    expect(options.fieldSelector.canonical).toBe('metadata.name=x');
  });

  it.each<[string, Partial<ListOptions>]>([
    ['watch', { watch: true, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }],
    ['watch=1&resourceVersion=0', { sendInitialEvents: true }],
    ['watch=true&resourceVersion=7', { sendInitialEvents: undefined, resourceVersionMatch: '' }],
    [
      'watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan',
      { sendInitialEvents: false },
    ],
  ])('ask for initial events when a watch starts nowhere in particular: %s', (query, expected) => {
    expect(optionsOf(parseListOptions(query))).toMatchObject(expected);
  });

  const invalid = 'ListOptions.meta.k8s.io "" is invalid: ';
  it.each<[string, number, string]>([
    ['limit=', 400, 'strconv.ParseInt: parsing "": invalid syntax'],
    ['limit=1x', 400, 'strconv.ParseInt: parsing "1x": invalid syntax'],
    [
      'timeoutSeconds=9223372036854775808',
      400,
      'strconv.ParseInt: parsing "9223372036854775808": value out of range',
    ],
    [
      'labelSelector=a%20b',
      400,
      "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
    ],
    ['fieldSelector=a', 400, "invalid selector: 'a'; can't understand 'a'"],
    [
      'resourceVersionMatch=Exact',
      422,
      `${invalid}resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`,
    ],
    [
      'resourceVersionMatch=Exact&resourceVersion=0',
      422,
      `${invalid}resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`,
    ],
    [
      'resourceVersionMatch=x&resourceVersion=1',
      422,
      `${invalid}resourceVersionMatch: Unsupported value: "x": supported values: "Exact", "NotOlderThan", ""`,
    ],
    [
      'resourceVersionMatch=Exact&resourceVersion=1&continue=c',
      422,
      `${invalid}resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided`,
    ],
    [
      'sendInitialEvents=true',
      422,
      `${invalid}sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`,
    ],
    [
      'watch=1&resourceVersion=1&resourceVersionMatch=NotOlderThan',
      422,
      `${invalid}resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`,
    ],
    [
      'watch=1&sendInitialEvents=true',
      422,
      `${invalid}resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`,
    ],
  ])('refuses %s', (query, code, message) => {
    expect(refusalOf(parseListOptions(query))).toEqual([code, message]);
  });

  it('know no first events where WatchList is switched off', () => {
    const query = 'watch=1&resourceVersionMatch=NotOlderThan&sendInitialEvents=true';
    const sentence =
      'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
    const refused = `${invalid}sendInitialEvents: Forbidden: ${sentence}`;
    expect(refusalOf(parseListOptions(query, false))).toEqual([422, refused]);
    expect(optionsOf(parseListOptions('watch=1', false)).sendInitialEvents).toBeUndefined();
    expect(optionsOf(parseListOptions('watch=1')).sendInitialEvents).toBe(true);
  });
});

describe('options of deletes', () => {
  it('cost nothing when there are none', () => {
    expect(optionsOf(parseDeleteOptions(''))).toBe(NO_DELETE_OPTIONS);
  });

  it('are read from the query, or from a body alone', () => {
    const query = 'gracePeriodSeconds=0&propagationPolicy=Orphan&uid=u&resourceVersion=&dryRun=All';
    expect(optionsOf(parseDeleteOptions(query))).toEqual({
      dryRun: true,
      gracePeriodSeconds: 0,
      propagationPolicy: 'Orphan',
      orphanDependents: undefined,
      preconditions: { uid: 'u', resourceVersion: undefined },
    });
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'apps/v1',
      orphanDependents: false,
      preconditions: { resourceVersion: '' },
    };
    expect(optionsOf(parseDeleteOptions(query, body))).toEqual({
      dryRun: false,
      gracePeriodSeconds: undefined,
      propagationPolicy: undefined,
      orphanDependents: false,
      preconditions: { uid: undefined, resourceVersion: '' },
    });
  });

  it('mean what cannot be read only where that is allowed, and then nothing else', () => {
    const option = 'ignoreStoreReadErrorWithClusterBreakingPotential';
    const allowed = { allowsUnsafe: true };
    const all = `${option}=true&dryRun=All&propagationPolicy=Orphan&gracePeriodSeconds=1&uid=u`;
    expect(optionsOf(parseDeleteOptions(all))).not.toHaveProperty('ignoresReadErrors');
    const none = optionsOf(parseDeleteOptions(`${option}=false&dryRun=All`, undefined, allowed));
    expect(none).not.toHaveProperty('ignoresReadErrors');
    const alone = { ...NO_DELETE_OPTIONS, ignoresReadErrors: true };
    expect(optionsOf(parseDeleteOptions('', { [option]: true }, allowed))).toEqual(alone);
    const together = ['dryRun', 'propagationPolicy', 'gracePeriodSeconds', 'preconditions'].map(
      (name) => `${option}: Invalid value: true: cannot be set together with .${name}`,
    );
    const [code, message] = refusalOf(parseDeleteOptions(all, undefined, allowed));
    const start = 'DeleteOptions.meta.k8s.io "" is invalid: ';
    expect([code, message]).toEqual([422, `${start}[${together.join(', ')}]`]);
  });

  it.each<[JsonValue, number, string]>([
    [
      { kind: 'Pod', apiVersion: 'v1' },
      400,
      'no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [{ kind: 'Status' }, 400, 'converting (v1.Status) to (v1.DeleteOptions): unknown conversion'],
    [
      { gracePeriodSeconds: '1' },
      400,
      'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    ],
    [
      { dryRun: [1] },
      400,
      'json: cannot unmarshal number into Go struct field DeleteOptions.dryRun of type string',
    ],
    [
      { propagationPolicy: 'Orphan', orphanDependents: true },
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": ' +
        'orphanDependents and deletionPropagation cannot be both set',
    ],
    [
      { propagationPolicy: 'x' },
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "x": ' +
        'supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
  ])('refuses the body %j', (body, code, message) => {
    expect(refusalOf(parseDeleteOptions('', body))).toEqual([code, message]);
  });
});
