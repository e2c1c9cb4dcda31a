import { describe, expect, test } from 'vitest';
import { buildDescriptions, descriptionsOf } from './build-descriptions.ts';

const CONFIG_MAP = 'io.k8s.api.core.v1.ConfigMap';

describe('descriptions of one class', () => {
  test('are taken from its doc comments, without their escapes', () => {
    const source = `
/**
* Holds \\"data\\".
*/
export declare class V1ConfigMap {
    /**
    * First line.
    * Second line.
    */
    'data'?: {
        [key: string]: string;
    };
    'immutable'?: boolean;
    /**
    * Bytes.
    */
    '_binaryData'?: {
        [key: string]: string;
    };
}`;
    expect(descriptionsOf(CONFIG_MAP, source)).toEqual({
      '': 'Holds "data".',
      data: 'First line.\nSecond line.',
      binaryData: 'Bytes.',
    });
  });

  test('are not taken from a class that has other fields', () => {
    const source = `
/**
* Another thing.
*/
export declare class V1ConfigMap {
    'left': string;
    'right': string;
    'data': string;
}`;
    expect(descriptionsOf(CONFIG_MAP, source)).toBeUndefined();
  });
});

test('nearly every served type is described, each from its own group', () => {
  const all = buildDescriptions();
  expect(Object.keys(all).length).toBeGreaterThan(500);
  const port = all['io.k8s.api.discovery.v1.EndpointPort']?.[''];
  expect(port).toBeDefined();
  expect(port).not.toBe(all['io.k8s.api.core.v1.EndpointPort']?.['']);
  const pod = all['io.k8s.api.core.v1.PodSpec'];
  expect(pod?.['containers']).toMatch(/container/);
  // A field whose type is a struct.
  expect(pod?.['affinity']).toMatch(/constraints/);
  expect(all['io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta']?.['continue']).toBeDefined();
});
