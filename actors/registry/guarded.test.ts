import { describe, expect, it } from 'vitest';

import { codeOf, messageOf } from '../given.fixture.ts';
import type { Answer } from '../request.ts';
import { guarded } from './guarded.ts';

describe('a guarded step', () => {
  it('is the step', () => {
    const seen: number[] = [];
    const answers: Answer[] = [];
    guarded<number>(
      (answer) => answers.push(answer),
      (value) => seen.push(value),
    )(5);
    expect([seen, answers]).toEqual([[5], []]);
  });

  it('that throws is answered', () => {
    const answers: Answer[] = [];
    const step = guarded<number>(
      (answer) => answers.push(answer),
      () => {
        throw new Error('broken');
      },
    );
    expect(() => {
      step(5);
    }).not.toThrow();
    expect(answers.map(codeOf)).toEqual([500]);
    expect(messageOf(answers[0])).toBe('Internal error occurred: broken');
  });
});
