/**
 * The short run: every target with its seeds, with what was once found, and with some hundred
 * inputs that are made of them. The long run is `npm run fuzz`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findingOf } from './finding.ts';
import { seedsOf } from './fuzz-run.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { mutated } from './mutation.ts';
import { SeededRandom } from './seeded-random.ts';
import { TARGET_PLACES } from './target-places.ts';

interface OnceFound {
  readonly target: string;
  readonly what: string;
  readonly text?: string;
  readonly base64?: string;
  /** So often does the text stand there; once unless said. */
  readonly times?: number;
  /** What stands around it, once. */
  readonly before?: string;
  readonly behind?: string;
}

const REGRESSIONS = JSON.parse(
  readFileSync(join(import.meta.dirname, 'once-found.json'), 'utf8'),
) as readonly OnceFound[];

const MUTATIONS = 200;
/** The same ones each time: chance is for `npm run fuzz`, which changes nobody's build. */
const SEED = 1;
const BYTES_MAX = 1_024;
/** The first to ask for a family loads what half of the server is made of. */
const LIMIT_MS = 120_000;

async function targetOf(name: string): Promise<FuzzTarget> {
  const family = TARGET_PLACES.find((one) => one.name === name)?.family ?? '';
  const module = (await import(`./targets/${family}.ts`)) as {
    readonly targets: Readonly<Record<string, FuzzTarget>>;
  };
  const target = module.targets[name];
  if (target === undefined) throw new Error(`${family}.ts has no target ${name}`);
  return target;
}

/** Fails with the stack of the decoder, and with the input. */
async function survives(target: FuzzTarget, input: Uint8Array): Promise<void> {
  const finding = await findingOf(target, input);
  if (finding === undefined) return;
  expect.fail(`${JSON.stringify(Buffer.from(input).toString('latin1'))}: ${finding.message}`);
}

describe('a decoder survives', { timeout: LIMIT_MS }, () => {
  it.each(REGRESSIONS)('what was once found: $what', async ({ target, text, ...more }) => {
    const { base64 = '', times = 1, before = '', behind = '' } = more;
    const input =
      text === undefined
        ? Buffer.from(base64, 'base64')
        : Buffer.from(before + text.repeat(times) + behind);
    await survives(await targetOf(target), input);
  });

  it.each(TARGET_PLACES.map(({ name }) => name))('what it is known to take: %s', async (name) => {
    const target = await targetOf(name);
    for (const seed of seedsOf(target)) await survives(target, seed);
  });

  it.each(TARGET_PLACES.map(({ name }) => name))('what is made of that: %s', async (name) => {
    const target = await targetOf(name);
    const seeds = seedsOf(target);
    const seed = fc.integer({ min: 0, max: 0x7fff_ffff });
    const survivesAll = fc.asyncProperty(seed, async (chance) => {
      const random = new SeededRandom(chance);
      const other = (): Uint8Array => seeds[random.integer(seeds.length)] ?? new Uint8Array();
      const dictionary = (target.dictionary ?? []).map((word) => Buffer.from(word));
      await survives(target, mutated({ random, dictionary, bytesMax: BYTES_MAX, other }, other()));
    });
    await fc.assert(survivesAll, { numRuns: MUTATIONS, seed: SEED });
  });

  it('values of any shape', async () => {
    const names = ['json', 'json-strict', 'yaml-emitter', 'merge-patch', 'fields-v1', 'kinds'];
    const targets = await Promise.all(names.map(targetOf));
    const key = fc.constantFrom('__proto__', 'constructor', 'metadata', 'spec', 'kind', 'f:a', '');
    const values = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(key, fc.string()), tie('value'), { maxKeys: 4 }),
      ),
    }));
    const survivesAll = fc.asyncProperty(values.value, async (value) => {
      const input = Buffer.from(JSON.stringify(value));
      for (const target of targets) await survives(target, input);
    });
    await fc.assert(survivesAll, { numRuns: 200, seed: SEED });
  });

  it('bytes of any kind', async () => {
    const targets = await Promise.all(TARGET_PLACES.map(({ name }) => targetOf(name)));
    const bytes = fc.uint8Array({ maxLength: 64 });
    const survivesAll = fc.asyncProperty(bytes, async (input) => {
      for (const target of targets) await survives(target, input);
    });
    await fc.assert(survivesAll, { numRuns: 40, seed: SEED });
  });
});
