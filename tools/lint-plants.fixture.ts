/**
 * For each rule of the linter that is on, by its name in .oxlintrc.json: the shortest file in which it has
 * something to say.
 */
export const PLANTS: Readonly<Record<string, string>> = {
  'max-depth':
    'export function f(a: number): number { if (a > 1) { if (a > 2) { if (a > 3) { if (a > 4) { return 1; } } } } return 2; }',
  'max-lines': `export const a = [\n${'  1,\n'.repeat(401)}];`,
  'max-lines-per-function': `export function f(): number[] {\n  return [\n${'    1,\n'.repeat(71)}  ];\n}`,
  'max-params':
    'export function f(a: number, b: number, c: number, d: number, e: number): number { return a + b + c + d + e; }',
  'no-restricted-globals': `setTimeout(() => undefined, 1);
setInterval(() => undefined, 1);
export {};`,
  'no-restricted-properties': 'export const a = Date.now() + Math.random();',
  'no-var': `var a = 1;
export { a };`,
  'prefer-const': `let a = 1;
export { a };`,
  'prefer-rest-params': 'export function f(): unknown { return arguments; }',
  'prefer-spread':
    'export function f(g: (...all: number[]) => void, all: number[]): void { g.apply(undefined, all); }',
  'typescript/await-thenable': 'export async function f(): Promise<void> { await 1; }',
  'typescript/ban-ts-comment': `// @ts-ignore
export const a: number = 1;`,
  'no-array-constructor': 'export const a = new Array(1, 2, 3);',
  'typescript/no-array-delete': 'export function f(a: number[]): void { delete a[0]; }',
  'typescript/no-base-to-string': 'export const a = String({ b: 1 });',
  'typescript/no-confusing-void-expression':
    'export const f = (g: () => void): number => { const a = g(); return a === undefined ? 1 : 2; };',
  'typescript/no-deprecated': `/** @deprecated it is old */
function old(): void { g(); }
function g(): void { h.push(1); }
const h: number[] = [];
old();
export { h };`,
  'typescript/no-duplicate-enum-values': 'export enum E { A = 1, B = 1 }',
  'typescript/no-duplicate-type-constituents': "export type A = 'a' | 'a';",
  'typescript/no-dynamic-delete':
    'export function f(a: Record<string, number>, k: string): void { delete a[k]; }',
  'typescript/no-empty-object-type': 'export type A = {};',
  'typescript/no-explicit-any': 'export function f(a: any): boolean { return a === 1; }',
  'typescript/no-extra-non-null-assertion':
    'export function f(a: { b: number } | undefined): number { return a!!.b; }',
  'typescript/no-extraneous-class': 'export class A { static b = 1; }',
  'typescript/no-floating-promises':
    'export function f(a: Promise<void>): void { a; a.then(() => { f(a); }); }',
  'typescript/no-for-in-array':
    'export function f(a: number[]): void { for (const k in a) { f([Number(k)]); } }',
  'typescript/no-generated-empty-object-type': `export type A = Omit<{ a: number }, "a">;
export const b: A = {};`,
  'typescript/no-implied-eval': `setImmediate('a');
export const f = new Function('a', 'return a');`,
  'typescript/no-invalid-void-type':
    'export function f(a: void | number): number { return a ?? 1; }',
  'typescript/no-meaningless-void-operator': 'export function f(g: () => void): void { void g(); }',
  'typescript/no-misused-new': 'export interface A { new (): A; }',
  'typescript/no-misused-promises': `export function f(a: () => Promise<boolean>): number { return a() ? 1 : 2; }
export function g(h: Promise<boolean>): number { if (h) return 1; return 2; }`,
  'typescript/no-misused-spread': `export function f(a: Promise<number>): object { return { ...a }; }
export const b = { ...[1, 2] };`,
  'typescript/no-mixed-enums': "export enum E { A = 1, B = 'b' }",
  'typescript/no-namespace': 'export namespace N { export const a = 1; }',
  'typescript/no-non-null-asserted-nullish-coalescing':
    'export function f(a: { b?: number }): number { return a.b! ?? 1; }',
  'typescript/no-non-null-asserted-optional-chain':
    'export function f(a: { b: number } | undefined): number { return a?.b!; }',
  'typescript/no-non-null-assertion':
    'export function f(a: { b: number } | undefined): number { return a!.b; }',
  'typescript/no-redundant-type-constituents': 'export type A = unknown | string;',
  'typescript/no-require-imports': `import fs = require('node:fs');
export { fs };`,
  'typescript/no-this-alias':
    'export class A { a = 1; f(): number { const self = this; return self.a; } }',
  'typescript/no-unnecessary-boolean-literal-compare':
    'export function f(a: boolean): number { return a === true ? 1 : 2; }',
  'typescript/no-unnecessary-condition': `export function f(a: { b: number }): number { return a?.b ?? 1; }
export function g(a: string[]): number { if (a) return 1; return 2; }`,
  'typescript/no-unnecessary-template-expression': "export const a = `${'b'}`;",
  'typescript/no-unnecessary-type-arguments': `function f<T = string>(a: T): T { return a; }
export const b = f<string>("c");`,
  'typescript/no-unnecessary-type-assertion':
    'export function f(a: number): number { return a as number; }',
  'typescript/no-unnecessary-type-constraint':
    'export function f<T extends unknown>(a: T): T[] { return [a, a]; }',
  'typescript/no-unnecessary-type-conversion':
    'export function f(a: string): string { return String(a); }',
  'typescript/no-unnecessary-type-parameters':
    'export function f<T>(a: T): boolean { return a === 1; }',
  'typescript/no-unsafe-argument':
    "export function f(a: number): void { f(JSON.parse('1')); f(a); }",
  'typescript/no-unsafe-assignment':
    "export function f(): number { const a = JSON.parse('1'); return a === 1 ? 1 : 2; }",
  'typescript/no-unsafe-call': "export function f(): void { JSON.parse('1')(); }",
  'typescript/no-unsafe-declaration-merging': `export interface A { a: number }
export class A { b = 1; }`,
  'typescript/no-unsafe-enum-assignment': `enum E { A, B }
export const a: E = 5 as number;`,
  'typescript/no-unsafe-enum-comparison': `enum E { A, B }
export function f(a: E): boolean { return a === 1; }`,
  'typescript/no-unsafe-function-type':
    'export function f(a: Function): number { return a.length; }',
  'typescript/no-unsafe-member-access':
    "export function f(): boolean { return JSON.parse('1').a === 1; }",
  'typescript/no-unsafe-return': "export function f(): number { return JSON.parse('1'); }",
  'typescript/no-unsafe-unary-minus': 'export function f(a: string): number { return -a; }',
  'no-unused-expressions': 'export function f(a: number): void { a === 1; }',
  'no-unused-vars': `const a = 1;
export function f(b: number): void {}`,
  'no-useless-constructor': 'export class A { a = 1; constructor() {} }',
  'typescript/no-useless-default-assignment':
    'export function f({ a = 1 }: { a: number }): number { return a; }',
  'typescript/no-wrapper-object-types': 'export function f(a: String): number { return a.length; }',
  'typescript/only-throw-error': "export function f(): void { throw 'a'; }",
  'typescript/prefer-as-const': `export const a = 'b' as 'b';
export let c: 'd' = 'd';`,
  'typescript/prefer-literal-enum-member': `const x = 'y';
export enum E { A = x.length }`,
  'typescript/prefer-namespace-keyword': 'export module M { export const a = 1; }',
  'typescript/prefer-promise-reject-errors':
    "export function f(): Promise<void> { return Promise.reject('a'); }",
  'typescript/prefer-reduce-type-parameter':
    'export function f(a: number[]): string[] { return a.reduce((all, one) => all.concat(String(one)), [] as string[]); }',
  'typescript/prefer-return-this-type':
    'export class A { a = 1; f(): A { this.a += 1; return this; } }',
  'typescript/related-getter-setter-pairs':
    'export interface A { get a(): string; set a(b: number); }',
  'typescript/require-await': 'export async function f(): Promise<number> { return 1; }',
  'typescript/restrict-plus-operands': "export function f(a: number): string { return 'b' + a; }",
  'typescript/restrict-template-expressions':
    'export function f(a: number): string { return `b${a}`; }',
  'typescript/return-await':
    'export async function f(g: () => Promise<number>): Promise<number> { try { return g(); } catch { return 1; } finally { await g(); } }',
  'typescript/switch-exhaustiveness-check':
    "export function f(a: 'b' | 'c'): number { switch (a) { case 'b': return 1; } return 2; }",
  'typescript/triple-slash-reference': `/// <reference path="./no-var.ts" />
export const a = 1;`,
  'typescript/unbound-method': `class A { a = 1; f(): number { return this.a; } }
export const { f } = new A();
export const g = new A().f;`,
  'typescript/unified-signatures': `export function f(a: number): void;
export function f(a: string): void;
export function f(a: number | string): void { f(String(a)); }`,
  'typescript/use-unknown-in-catch-callback-variable':
    'export function f(a: Promise<number>): Promise<number> { return a.catch((error) => (error === 1 ? 1 : 2)); }',
};
