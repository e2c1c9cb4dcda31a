import { describe, expect, it } from 'vitest';
import { isSealedSecret, seal, unseal } from './sealed-secret.ts';

const KEY = Buffer.from('a key file');

describe('a sealed secret', () => {
  it('can be read with its key, also after it was JSON', () => {
    const sealed: unknown = JSON.parse(JSON.stringify(seal('-----BEGIN ü', KEY)));
    expect(isSealedSecret(sealed) && unseal(sealed, KEY)).toBe('-----BEGIN ü');
  });

  it('says nothing without it, nor when it was changed', () => {
    const sealed = seal('secret', KEY);
    expect(JSON.stringify(sealed)).not.toContain('secret');
    expect(unseal(sealed, Buffer.from('another'))).toBeUndefined();
    for (const part of ['salt', 'nonce', 'tag', 'text'] as const) {
      const bytes = Buffer.from(sealed[part], 'base64');
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      expect(unseal({ ...sealed, [part]: bytes.toString('base64') }, KEY)).toBeUndefined();
    }
    expect(unseal({ ...sealed, tag: '' }, KEY)).toBeUndefined();
  });

  it('differs each time', () => {
    expect(seal('secret', KEY).text).not.toBe(seal('secret', KEY).text);
  });

  it('is known by its parts', () => {
    expect(isSealedSecret(undefined)).toBe(false);
    expect(isSealedSecret({ ...seal('x', KEY), algorithm: 'rot13' })).toBe(false);
    expect(isSealedSecret({ ...seal('x', KEY), tag: 1 })).toBe(false);
  });
});
