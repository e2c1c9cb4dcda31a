import { describe, expect, it } from 'vitest';

import { codeOf, messageOf, testFaults } from '../given.fixture.ts';
import type { Answer } from '../answer.ts';
import { guarded } from './guarded.ts';

describe('a guarded step', () => {
  it('is the step', () => {
    const seen: number[] = [];
    const answers: Answer[] = [];
    guarded<number>(
      { faults: testFaults() },
      (answer) => answers.push(answer),
      (value) => seen.push(value),
    )(5);
    expect([seen, answers]).toEqual([[5], []]);
  });

  it('that throws is answered', () => {
    const answers: Answer[] = [];
    const faults = testFaults();
    const step = guarded<number>(
      { faults },
      (answer) => answers.push(answer),
      () => {
        throw new Error('broken');
      },
    );
    expect(() => {
      step(5);
    }).not.toThrow();
    expect(answers.map(codeOf)).toEqual([500]);
    expect(faults.count).toBe(1);
    expect(messageOf(answers[0])).toBe('Internal error occurred: broken');
  });
});
