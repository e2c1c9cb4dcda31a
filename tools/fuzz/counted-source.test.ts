import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { countedSource } from './counted-source.ts';

const COUNTERS = { statement: '$statements++', branch: '$branches++', listed: '$listed' };

interface Counted {
  readonly $statements: number;
  readonly $branches: number;
  readonly listed: readonly unknown[];
  readonly result: unknown;
}

/** Runs the code, which puts what it finds into `result`. */
function counted(code: string): Counted {
  const listed: unknown[] = [];
  const $listed = (object: unknown): unknown => {
    listed.push(object);
    return object;
  };
  const context = { $statements: 0, $branches: 0, $listed, listed, result: undefined };
  runInNewContext(countedSource(code, COUNTERS), context);
  return context;
}

describe('the counters of a program', () => {
  it.each([
    ['result = 1;', 1, 0],
    ['const a = 1, b = 2; result = a + b;', 3, 0],
    ['if (1) result = 1;', 2, 1],
    ['if (0) result = 2; result = 1;', 2, 1],
    ['if (0) {} else if (1) { result = 1; }', 3, 2],
    ['for (let i = 0; i < 3; i++) result = i - 1;', 5, 0],
    ['a: for (const one of [1, 2]) for (;;) { if (one > 1) break a; continue a; }', 8, 2],
    ['result = 0 || (1 && 2) || 3;', 1, 3],
    ['result = 1 ? 2 : 3;', 1, 1],
    ['switch (2) { case 1: result = 1; case 2: result = 2; default: result = 3; }', 3, 2],
    ['const f = (a = 1, { b = 2 } = {}) => a + b; result = f();', 3, 4],
    ['function f() { return 1; } result = f();', 2, 1],
    ['class A { a = 1; b() { return this.a; } #c() {} d() { this.#c(); } } new A().d();', 3, 1],
    ['try { throw 1; } catch { result = 1; }', 3, 0],
    ['result = { a: 1, f() { return 2; }, get b() { return 3; } }.b;', 2, 1],
  ])('%s: %i statements, %i branches and functions', (code, statements, branches) => {
    const { $statements, $branches } = counted(code);
    expect([$statements, $branches]).toEqual([statements, branches]);
  });

  it('change nothing of what it does', () => {
    const code = `
      const named = () => 1;
      const list = [1, 2, 3].map((one) => ({ one: one > 1 ? one : -one })).filter(({ one }) => one && true);
      do list.push(named.name); while (list.length < 5);
      result = list;
    `;
    expect(counted(code).result).toEqual([
      ...[{ one: -1 }, { one: 2 }, { one: 3 }],
      ...['named', 'named'],
    ]);
  });

  it('see the objects whose keys are listed', () => {
    const { listed, result } = counted(
      'result = ""; for (const key in { a: 1, b: 2 }) result += key;',
    );
    expect(listed).toEqual([{ a: 1, b: 2 }]);
    expect(result).toBe('ab');
  });

  it('can be those of branches alone', () => {
    const code = countedSource('const a = () => 1; if (a()) result = 1;', { branch: 'b++' });
    expect(code).toBe('const a = () => {b++;return (1);}; if (a()) {b++;result = 1;} else {b++;}');
  });
});
