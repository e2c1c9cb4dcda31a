import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../json/json.ts';
import type { KubeObject } from '../../meta/object-meta.ts';
import { convertedIn, formatReview, reviewVersion } from './conversion-review.ts';

const original: KubeObject = {
  kind: 'Tab',
  apiVersion: 'example.com/v1',
  metadata: { name: 'a', namespace: 'b', uid: 'c', resourceVersion: '7', labels: { x: '1' } },
  spec: { old: true },
};
const question = {
  objects: [original],
  desiredAPIVersion: 'example.com/v2',
  uid: 'review',
  version: 'v1',
};
const result: JsonObject = {
  kind: 'Tab',
  apiVersion: 'example.com/v2',
  metadata: { name: 'a', namespace: 'b', uid: 'c' },
  spec: { new: true },
};

function answered(convertedObjects: JsonObject[], more: JsonObject = {}) {
  const response = { uid: 'review', result: { status: 'Success' }, convertedObjects, ...more };
  const review = { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1', response };
  return convertedIn(Buffer.from(JSON.stringify(review)), question);
}

const messageOf = (converted: ReturnType<typeof answered>): string =>
  converted.ok ? '' : converted.message;

describe('a conversion review', () => {
  it('asks in the first version that both speak', () => {
    expect(reviewVersion(['v2', 'v1beta1', 'v1'])).toBe('v1beta1');
    expect(reviewVersion(['v2'])).toBeUndefined();
    expect(JSON.parse(formatReview(question).toString())).toEqual({
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      request: { uid: 'review', desiredAPIVersion: 'example.com/v2', objects: [original] },
    });
  });

  it('may change labels and annotations, and nothing else of the metadata', () => {
    const metadata = {
      ...{ name: 'a', namespace: 'b', uid: 'c', resourceVersion: '99' },
      ...{ labels: { y: '2' }, annotations: { z: '3' }, finalizers: ['mine'] },
    };
    expect(answered([{ ...result, metadata }])).toEqual({
      ok: true,
      objects: [
        {
          kind: 'Tab',
          apiVersion: 'example.com/v2',
          metadata: {
            ...{ name: 'a', namespace: 'b', uid: 'c', resourceVersion: '7' },
            ...{ labels: { y: '2' }, annotations: { z: '3' } },
          },
          spec: { new: true },
        },
      ],
    });
    expect(answered([result])).toMatchObject({ ok: true, objects: [{ spec: { new: true } }] });
  });

  const failed = 'conversion webhook for example.com/v1, Kind=Tab failed: ';
  const returned = 'conversion webhook for example.com/v1, Kind=Tab returned ';

  it.each([
    [{ uid: 'other' }, `${failed}expected response.uid="review", got "other"`],
    [{ result: { status: 'Failure', message: 'no' } }, `${failed}no`],
    [{ result: {} }, `${failed}response.result.status was '', not 'Success'`],
    [{ convertedObjects: [] }, `${returned}0 objects, expected 1`],
  ])('that says %j fails', (more, message) => {
    expect(messageOf(answered([result], more))).toBe(message);
  });

  const metadata = { name: 'a', namespace: 'b', uid: 'c' };

  it.each([
    [
      { apiVersion: 'example.com/v3' },
      'invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v3)',
    ],
    [{ kind: 'Tub' }, 'invalid object at index 0: invalid kind (expected Tab, received Tub)'],
    [{ metadata: { ...metadata, name: 'z' } }, 'invalid object: must have the same name: a != z'],
    [{ metadata: { ...metadata, uid: '' } }, 'invalid object: must have the same UID: c != '],
    [
      { metadata: { ...metadata, labels: { x: 1 } } },
      'invalid metadata: metadata.labels[x] must be a string, but is int64 in converted object',
    ],
    [
      { metadata: { ...metadata, annotations: 'none' } },
      'invalid metadata: invalid metadata.annotations of type string in converted object',
    ],
  ])('whose object says %j fails', (change, message) => {
    expect(messageOf(answered([{ ...result, ...change }]))).toBe(returned + message);
  });

  it('that is none is told', () => {
    const other = { kind: 'Pod', apiVersion: 'v1' };
    const message = messageOf(convertedIn(Buffer.from(JSON.stringify(other)), question));
    const expected = 'apiextensions.k8s.io/v1, Kind=ConversionReview';
    expect(message).toBe(`${failed}expected webhook response of ${expected}, got v1, Kind=Pod`);
    expect(messageOf(convertedIn(Buffer.from('<html>'), question))).toContain(failed);
  });
});
