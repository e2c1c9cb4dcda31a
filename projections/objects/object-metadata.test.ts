import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatJson, parseJson } from '../../api/json/json-text.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { metadataOf } from './object-metadata.ts';
import { storedObject } from './stored-object.ts';

function metadataIn(value: unknown): unknown {
  const json = Buffer.from(formatJson(value as object));
  return metadataOf(
    storedObject({
      resource: 'a/bs',
      path: '/c',
      json,
      resourceVersion: resourceVersion(7),
    } as never),
  );
}

const anything = fc.json().map(parseJson);

describe('the metadata of an object', () => {
  it('are those that the object has, whatever is in them and behind them', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), anything), anything, (given, spec) => {
        const { managedFields: _, resourceVersion: __, ...metadata } = given;
        const shown = { ...metadata, resourceVersion: '7' };
        const head = { kind: 'B', apiVersion: 'a/v1' };
        const managed = { ...metadata, managedFields: [{ manager: ']}"' }] };
        expect(metadataIn({ ...head, metadata: managed, spec })).toEqual(shown);
        expect(metadataIn({ ...head, metadata: { uid: 'u', ...metadata }, spec })).toEqual({
          uid: 'u',
          ...shown,
        });
      }),
    );
  });

  it.each([
    { spec: { metadata: { name: 'inner' } }, metadata: { name: 'a' } },
    { kind: 'a\\"', metadata: { name: 'a' } },
    { data: { a: '"metadata":{"name":"b"}' }, metadata: { name: 'a' } },
    { metadata: { name: 'a' }, spec: { metadata: { name: 'inner' } } },
  ])('are not those of anything else: %j', (value) => {
    expect(metadataIn(value)).toMatchObject({ name: 'a', resourceVersion: '7' });
  });

  it('are none where there are none', () => {
    expect(metadataIn({ kind: 'B' })).toEqual({ resourceVersion: '7' });
  });
});
