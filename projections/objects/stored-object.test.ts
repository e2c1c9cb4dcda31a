import { describe, expect, it } from 'vitest';
import { resourceVersion } from '../../streams/resource-version.ts';
import { loggedEvent } from '../given.fixture.ts';
import { isSameState, withResourceVersion } from './served-bytes.ts';
import { asOfVersion, lineOf, parsedObject, storedObject } from './stored-object.ts';

describe('a stored object', () => {
  it('has its position as its resourceVersion, behind the uid', () => {
    const object = storedObject(loggedEvent(42));

    expect(object.json.toString()).toContain('"uid":"uid-ns/a","resourceVersion":"42"');
    expect(parsedObject(object)).toMatchObject({ metadata: { resourceVersion: '42' } });
  });

  it.each([
    ['core/pods', 'v1', 'Pod'],
    ['apps/deployments', 'apps/v1', 'Deployment'],
    ['resource.k8s.io/resourceclaims', 'resource.k8s.io/v1', 'ResourceClaim'],
  ])('of %s is read with all that its type always has', (resource, apiVersion, kind) => {
    const json = Buffer.from(JSON.stringify({ kind, apiVersion, metadata: { name: 'a' } }));
    const read = parsedObject({ resource, path: 'ns/a', json });
    expect(read['status']).toEqual({});
    expect(Object.keys(read)).toEqual(['kind', 'apiVersion', 'metadata', 'spec', 'status']);
  });

  it('is not misled by a name that looks like a uid', () => {
    const metadata = { name: '"uid":"x"', uid: 'real' };
    const json = Buffer.from(JSON.stringify({ kind: 'Role', apiVersion: 'v1', metadata }));

    const served = JSON.parse(withResourceVersion(json, resourceVersion(3)).toString()) as unknown;

    expect(served).toMatchObject({ metadata: { ...metadata, resourceVersion: '3' } });
  });

  it('has its resourceVersion also without a uid', () => {
    const json = Buffer.from('{"kind":"Role","metadata":{"name":"a"}}');

    const served = JSON.parse(withResourceVersion(json, resourceVersion(3)).toString()) as unknown;

    expect(served).toMatchObject({ metadata: { name: 'a', resourceVersion: '3' } });
  });

  it.each([
    ['with a uid', { name: 'a', uid: 'u' }],
    ['without one', { name: 'a' }],
  ])('%s is a line, in the memory that it has already', (_, metadata) => {
    const json = Buffer.from(JSON.stringify({ kind: 'Role', metadata }));
    const object = storedObject({ ...loggedEvent(7), json });
    const line = lineOf(object);

    expect(line.toString()).toBe(`${object.json.toString()}\n`);
    expect(line.buffer).toBe(object.json.buffer);
    expect(lineOf({ ...object, json: Buffer.from('{}') }).toString()).toBe('{}\n');
  });

  it('can be told under a later version', () => {
    const object = asOfVersion(storedObject(loggedEvent(9, { data: 'x' })), resourceVersion(1_000));

    expect(parsedObject(object)).toMatchObject({
      metadata: { resourceVersion: '1000' },
      data: { value: 'x' },
    });
    expect(object.resourceVersion).toBe(1_000);
  });

  it('knows whether new bytes are the same state', () => {
    const event = loggedEvent(9, { data: 'x' });
    const object = storedObject(event);

    expect(isSameState(object, event.json)).toBe(true);
    expect(isSameState(object, loggedEvent(9, { data: 'y' }).json)).toBe(false);
  });

  it('does not keep all that was fetched with it', () => {
    const event = loggedEvent(9, { data: 'x' });
    const block = Buffer.alloc(1024 * 1024);
    block.set(event.json, 500);
    const json = block.subarray(500, 500 + event.json.length);
    const object = storedObject({ ...event, json });
    block.fill(0);
    expect(parsedObject(object)).toMatchObject({ data: { value: 'x' } });
  });

  it('finds its labels in its bytes', () => {
    expect(storedObject(loggedEvent(1, { labels: { app: 'web' } })).labels).toEqual({ app: 'web' });
    expect(storedObject(loggedEvent(1)).labels).toBeUndefined();
  });

  it('does not look for labels that its writer has told', () => {
    const json = Buffer.from('no JSON');
    const labels = { app: 'web' };
    expect(storedObject({ ...loggedEvent(1), json, labels }).labels).toBe(labels);
    expect(storedObject({ ...loggedEvent(1), json, labels: {} }).labels).toBeUndefined();
  });
});
