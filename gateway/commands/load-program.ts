/**
 * Loads the program, with the code that V8 has compiled at the build: a start compiles hardly anything then,
 * which is half of what it costs. Where there is none for this release of Node, the program is loaded as any other
 * module, and releases from 22 on keep what they compile where `NODE_COMPILE_CACHE` names a place.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

/** What the program exports. */
export type Program = typeof import('./program.ts');

/** A program, and the script from which its compiled code can be had. */
export interface CompiledProgram {
  readonly program: Program;
  readonly script: Script;
}

const NAME = 'program.cjs';

/** @param directory in which the built program lies. */
export function loadProgram(directory: string): Program {
  const code = codeIn(directory);
  if (code !== undefined) return compileProgram(directory, code).program;
  const file = join(directory, NAME);
  return createRequire(file)(file) as Program; // The build makes it of program.ts.
}

/**
 * Where the compiled code lies: by the release of V8, its flags and the processor, so that several
 * releases of Node can have theirs.
 */
export function compiledCodeFile(directory: string): string {
  return join(directory, `program-${cachedDataVersionTag().toString(16)}.code`);
}

/**
 * Compiles the program, or takes compiled code for it, and runs its modules.
 *
 * @param code of {@link compiledCodeFile}, which V8 refuses where it is of another source; undefined: there is none.
 */
export function compileProgram(directory: string, code: Buffer | undefined): CompiledProgram {
  const filename = join(directory, NAME);
  // The build writes ASCII only, and Latin-1 takes half of the memory of anything else.
  const source = readFileSync(filename, 'latin1');
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {${source}\n})`,
    { filename, ...(code === undefined ? {} : { cachedData: code }) },
  );
  const run = script.runInThisContext() as ModuleFunction; // As it stands above.
  const module = { exports: {} };
  run(module.exports, createRequire(filename), module, filename, dirname(filename));
  return { program: module.exports as Program, script }; // The build makes it of program.ts.
}

/** With exports, require, module, __filename and __dirname. */
type ModuleFunction = (
  ...given: [object, NodeJS.Require, { readonly exports: object }, string, string]
) => void;

function codeIn(directory: string): Buffer | undefined {
  try {
    return readFileSync(compiledCodeFile(directory));
  } catch {
    return undefined;
  }
}
