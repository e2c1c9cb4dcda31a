import { describe, expect, it } from 'vitest';

import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  isQualifiedName,
  labelValueProblems,
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  nameIsPathSegment,
  qualifiedNameProblems,
} from './names.ts';

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must " +
  "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for " +
  "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

describe('names', () => {
  it('may be subdomains of 253 characters', () => {
    expect(dns1123SubdomainProblems('a.b-c.d1')).toEqual([]);
    expect(dns1123SubdomainProblems('a'.repeat(253))).toEqual([]);
    expect(dns1123SubdomainProblems('a'.repeat(254))).toEqual([
      'must be no more than 253 characters',
    ]);
  });

  it('may be labels of 63 characters', () => {
    expect(dns1123LabelProblems('1-a')).toEqual([]);
    expect(dns1123LabelProblems('a.b')).toEqual(['must not contain dots']);
    expect(dns1123LabelProblems('-a')).toEqual([LABEL]);
    expect(dns1123LabelProblems('A'.repeat(64))).toEqual([
      'must be no more than 63 characters',
      LABEL,
    ]);
  });

  it('of services start with a letter', () => {
    expect(dns1035LabelProblems('a1')).toEqual([]);
    expect(dns1035LabelProblems('1a')).toHaveLength(1);
  });

  it('that are path segments may be nearly anything', () => {
    expect(nameIsPathSegment('system:node', false)).toEqual([]);
    expect(nameIsPathSegment('..', false)).toEqual(["may not be '..'"]);
    expect(nameIsPathSegment('..', true)).toEqual([]);
    expect(nameIsPathSegment('a/%', false)).toEqual(["may not contain '/'", "may not contain '%'"]);
  });

  it('that are to be completed may end with a dash', () => {
    for (const rule of [nameIsDnsSubdomain, nameIsDnsLabel, nameIsDns1035Label]) {
      expect(rule('web-', true)).toEqual([]);
      expect(rule('web-', false)).toHaveLength(1);
      expect(rule('é-', true)).toHaveLength(1);
    }
  });
});

describe('label keys', () => {
  it.each(['app', 'A_b.c-1', 'example.com/app'])('%s is one', (key) => {
    expect(qualifiedNameProblems(key)).toEqual([]);
    expect(isQualifiedName(key)).toBe(true);
  });

  it.each(['', '/', 'a/', '/a', 'a b', '-a', 'UPPER.com/a', 'a/b/c', 'x'.repeat(64), 'é'])(
    '%j is none',
    (key) => {
      expect(qualifiedNameProblems(key).length).toBeGreaterThan(0);
      expect(isQualifiedName(key)).toBe(false);
    },
  );

  it('are told what is wrong with each part', () => {
    expect(qualifiedNameProblems('/')).toEqual([
      'prefix part must be non-empty',
      'name part must be non-empty',
      expect.stringMatching(
        /^name part must consist of alphanumeric characters, '-', '_' or '.', /,
      ),
    ]);
    expect(qualifiedNameProblems('a/b/c')).toEqual([
      expect.stringMatching(/^a valid label key must consist of .*'example.com\/MyName'\)$/),
    ]);
  });
});

it('label values may be empty', () => {
  expect(labelValueProblems('')).toEqual([]);
  expect(labelValueProblems('a.B_c-1')).toEqual([]);
  expect(labelValueProblems('a/b')).toEqual([
    expect.stringMatching(/^a valid label must be an empty string or consist of /),
  ]);
  expect(labelValueProblems('é'.repeat(32))).toEqual([
    'must be no more than 63 bytes',
    expect.stringMatching(/^a valid label /),
  ]);
});
