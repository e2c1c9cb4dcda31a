/** A line of a table that lays trees of sources beside each other, and what its numbers are made by. */

/** What was counted, and how it is shown. */
export interface Figure {
  readonly name: string;
  readonly value: string;
}

export function figure(name: string, value: number | string): Figure {
  return { name, value: typeof value === 'number' ? value.toLocaleString('en') : value };
}

export function sorted(numbers: readonly number[]): readonly number[] {
  return [...numbers].sort((a, b) => a - b);
}

/** Of numbers in order. */
export function middle(numbers: readonly number[]): number {
  return numbers[Math.floor(numbers.length / 2)] ?? 0;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
