import { describe, expect, it } from 'vitest';
import type { ConfigMap } from '../../../generated/kinds/core-v1.ts';
import { validateConfigMap } from './definition.ts';

const configMap = (characters: number, bytes: number): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a' },
  data: { text: '€'.repeat(characters) },
  binaryData: { bytes: Buffer.alloc(bytes).toString('base64') },
});

describe('the size of a ConfigMap', () => {
  it('is that of texts and bytes together, in bytes', () => {
    expect(validateConfigMap(configMap(300_000, 1024 * 1024 - 900_000))).toEqual([]);
    expect(validateConfigMap(configMap(300_000, 1024 * 1024 - 899_999))).toEqual([
      {
        type: 'FieldValueTooLong',
        field: '[]',
        body: 'Too long: may not be more than 1048576 bytes',
      },
    ]);
  });
});
