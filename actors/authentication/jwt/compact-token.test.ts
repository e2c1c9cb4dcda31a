/** As Go 1.26 has it: what is past, and what is to come, of `time.Unix(n, 0)`, with n read as go-oidc does. */
import { describe, expect, it } from 'vitest';

import { parseJson } from '../../../api/json/json-text.ts';
import { secondsIn } from './compact-token.ts';

describe('a time in a token', () => {
  it.each([
    ['0', 0],
    ['1700000000', 1_700_000_000],
    ['1700000000.9', 1_700_000_000],
    ['-0.5', 0],
    ['1.7e9', 1_700_000_000],
    ['"1700000000"', 1_700_000_000],
    ['"1.7e9"', 1_700_000_000],
    ['"1700000000.25"', 1_700_000_000],
    ['"17e+8"', 1_700_000_000],
    ['"1700000000 seconds"', undefined],
    // The last that has not wrapped around, and the first that has.
    ['9223371974719179007', 9_223_371_974_719_179_007],
    ['9223371974719179008', -9_223_372_098_990_372_608],
    ['9223372036854775807', -9_223_372_036_854_775_808 - 1],
    ['1e30', -9_223_372_036_854_775_808],
    ['null', undefined],
    ['"soon"', undefined],
    ['true', undefined],
  ])('%s is in the seconds of Go', (text, expected) => {
    const seconds = secondsIn(parseJson(text));
    if (expected === undefined || Math.abs(expected) < 2 ** 53) expect(seconds).toBe(expected);
    else expect(Math.sign(seconds ?? 0)).toBe(Math.sign(expected));
  });
});
