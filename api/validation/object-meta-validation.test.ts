import { describe, expect, it } from 'vitest';

import { formatFieldError } from '../field/field-errors.ts';
import { nameIsDnsSubdomain } from '../meta/names.ts';
import { validateObjectMetaUpdate } from './object-meta-validation-update.ts';
import { validateObjectMeta, validateStandardFinalizers } from './object-meta-validation.ts';
import type { ObjectMeta } from '../meta/object-meta.ts';

const GOOD: ObjectMeta = {
  name: 'a',
  namespace: 'default',
  uid: 'u',
  resourceVersion: '5',
  creationTimestamp: '2026-11-21T09:00:00Z',
  labels: { app: 'web', 'example.com/tier': '' },
  annotations: { 'Example.com/Note': 'any thing at all' },
};

function problems(meta: ObjectMeta, namespaced = true): string[] {
  const rules = { namespaced, validateName: nameIsDnsSubdomain };
  return validateObjectMeta(meta, rules).map(formatFieldError);
}

function updateProblems(change: ObjectMeta, old: ObjectMeta = GOOD): string[] {
  return validateObjectMetaUpdate({ ...old, ...change }, old).map(formatFieldError);
}

describe('new metadata', () => {
  it('that is right makes no list of errors', () => {
    const rules = { namespaced: true, validateName: nameIsDnsSubdomain };
    expect(validateObjectMeta(GOOD, rules)).toBe(validateObjectMeta({ ...GOOD, name: 'b' }, rules));
    expect(problems(GOOD)).toEqual([]);
  });

  it.each<[string, ObjectMeta, string[]]>([
    [
      'needs a name',
      { name: '' },
      ['metadata.name: Required value: name or generateName is required'],
    ],
    ['needs a namespace', { namespace: '' }, ['metadata.namespace: Required value']],
    [
      'counts generations up',
      { generation: -1 },
      ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'has owners with a version',
      { ownerReferences: [{ apiVersion: '', kind: 'Pod', name: 'p', uid: 'u' }] },
      ['metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty'],
    ],
    [
      'is not owned by events',
      { ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'e', uid: 'u' }] },
      [
        'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"e","uid":"u"}: ' +
          '/v1, Kind=Event is disallowed from being an owner',
      ],
    ],
    [
      'is not both orphaned and not',
      { finalizers: ['orphan', 'foregroundDeletion'] },
      [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: ' +
          'finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
    [
      'has at most 256 KiB of annotations',
      { annotations: { a: 'é'.repeat(128 * 1024) } },
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
  ])('%s', (_, change, expected) => {
    expect(problems({ ...GOOD, ...change })).toEqual(expected);
  });

  it('has one controller', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true };
    expect(problems({ ...GOOD, ownerReferences: [owner] })).toEqual([]);
    expect(problems({ ...GOOD, ownerReferences: [owner, { ...owner, name: 'q' }] })).toEqual([
      expect.stringContaining('Found "true" in references for Pod/p and Pod/q'),
    ]);
  });

  it('has no namespace where there are none', () => {
    expect(problems(GOOD, false)).toEqual([
      'metadata.namespace: Forbidden: not allowed on this type',
    ]);
  });

  it('reports at the path that it is told', () => {
    const rules = { namespaced: true, validateName: nameIsDnsSubdomain, path: 'template.metadata' };
    expect(validateObjectMeta({}, rules).map(({ field }) => field)).toEqual([
      'template.metadata.name',
      'template.metadata.namespace',
    ]);
  });

  it('has finalizers with domains, but for the standard ones', () => {
    const meta = { finalizers: ['kubernetes', 'orphan', 'example.com/f', 'mine'] };
    expect(validateStandardFinalizers(meta).map(formatFieldError)).toEqual([
      'metadata.finalizers[3]: Invalid value: "mine": ' +
        'name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });
});

/** A null that decoding would have dropped. */
type SaidMeta = Omit<ObjectMeta, 'creationTimestamp'> & { creationTimestamp?: string | null };

describe('changed metadata', () => {
  it('may be the same', () => {
    expect(updateProblems({})).toEqual([]);
  });

  it.each<[string, SaidMeta, string[]]>([
    ['keeps its name', { name: 'b' }, ['metadata.name: Invalid value: "b": field is immutable']],
    ['keeps its UID', { uid: '' }, ['metadata.uid: Invalid value: "": field is immutable']],
    [
      'names its version',
      { resourceVersion: '' },
      ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    ],
    [
      'keeps its times',
      { creationTimestamp: null, deletionTimestamp: '2026-11-21T10:00:00+01:00' },
      [
        'metadata.creationTimestamp: Invalid value: null: field is immutable',
        'metadata.deletionTimestamp: Invalid value: "2026-11-21T09:00:00Z": field is immutable',
      ],
    ],
    ['may spell the same time differently', { creationTimestamp: '2026-11-21T10:00:00+01:00' }, []],
  ])('%s', (_, change, expected) => {
    expect(updateProblems(change as ObjectMeta)).toEqual(expected); // As if it were decoded.
  });

  it('does not go back in generations', () => {
    expect(updateProblems({ generation: 1 }, { ...GOOD, generation: 2 })).toEqual([
      'metadata.generation: Invalid value: 1: must not be decremented',
    ]);
  });

  it('gets no new finalizers while it is being deleted', () => {
    const old = { ...GOOD, deletionTimestamp: '2026-11-21T09:00:00Z', finalizers: ['a/b'] };
    expect(updateProblems({ finalizers: [] }, old)).toEqual([]);
    expect(updateProblems({ finalizers: ['a/b', 'd/e', 'a/c'] }, old)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being ' +
        'deleted, found new finalizers []string{"a/c", "d/e"}',
    ]);
  });
});
