import { describe, expect, it } from 'vitest';
import { invalidValue, shownErrors } from './field-errors.ts';

describe('the errors that are told', () => {
  const errors = (count: number, length: number) =>
    Array.from({ length: count }, () => invalidValue('a', 'v'.repeat(length), 'no'));

  it('are all where they are few and short', () => {
    expect(shownErrors(errors(1_000, 10))).toHaveLength(1_000);
  });

  it('are a thousand at most', () => {
    expect(shownErrors(errors(1_001, 10))).toHaveLength(1_000);
  });

  it('are no more than four mebibytes, but always the first', () => {
    expect(shownErrors(errors(9, 1024 * 1024))).toHaveLength(3);
    expect(shownErrors(errors(2, 5 * 1024 * 1024))).toHaveLength(1);
  });
});
