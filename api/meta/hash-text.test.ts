import { describe, expect, it } from 'vitest';
import { hashText } from './hash-text.ts';

describe('the hash of a text', () => {
  it('is that of its bytes, and nothing of nothing', () => {
    const abc = 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect([hashText('abc'), hashText(Buffer.from('abc')), hashText('')]).toEqual([abc, abc, '']);
  });
});
