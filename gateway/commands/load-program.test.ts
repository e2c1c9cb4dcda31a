import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { compiledCodeFile, compileProgram, loadProgram } from './load-program.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everwatch-program-'));
  writeProgram('first');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A program that counts how often it was run in this folder, and whose text is `text`. */
function writeProgram(text: string): void {
  const counts = 'const fs = require("node:fs"); const file = __dirname + "/runs";';
  const source = `${counts} fs.appendFileSync(file, "."); exports.runs = () => fs.readFileSync(file, "latin1");`;
  writeFileSync(join(folder, 'program.cjs'), `${source} exports.text = ${JSON.stringify(text)};`);
}

interface Loaded {
  readonly runs: () => string;
  readonly text: string;
}

function load(): Loaded {
  return loadProgram(folder) as unknown as Loaded; // The program above.
}

function keepCode(): void {
  const { script } = compileProgram(folder, undefined);
  writeFileSync(compiledCodeFile(folder), script.createCachedData());
  rmSync(join(folder, 'runs'));
}

it('loads a program without compiled code', () => {
  const { runs, text } = load();
  expect([runs(), text]).toEqual(['.', 'first']);
});

it('takes compiled code, and runs the program once', () => {
  keepCode();
  const { runs, text } = load();
  expect([runs(), text]).toEqual(['.', 'first']);
});

it.each([
  ['code of another source', () => writeProgram('another')],
  ['what is no code', () => writeFileSync(compiledCodeFile(folder), 'no code')],
])('does without %s, and runs the program once', (_, spoil) => {
  keepCode();
  spoil();
  const { runs, text } = load();
  expect([runs(), text]).toEqual(['.', expect.stringMatching(/^(?:first|another)$/)]);
});
