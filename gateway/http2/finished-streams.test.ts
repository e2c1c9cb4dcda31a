/**
 * What requests leave behind that are over: nothing that is kept may lead to them, not even what is dead
 * itself and old already, or they are copied into the old generation (decision 0040).
 */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import type { shareLeft } from './finished-streams.fixture.ts';

/** What is under way when a collection comes is copied, and so is what the sockets of node leave. */
const SHARE_LEFT = 0.1;

/** So small that every release of V8 collects it many times meanwhile, whatever size it likes itself. */
const YOUNG_GENERATION = ['--min-semi-space-size=1', '--max-semi-space-size=1'];

/** In a process of its own: what other tests of this one leave is collected, and moved, meanwhile. */
function measured(keeping: Parameters<typeof shareLeft>[0]): number {
  const script = `import { shareLeft } from ${JSON.stringify(import.meta.resolve('./finished-streams.fixture.ts'))};
    process.stdout.write(String(await shareLeft('${keeping}')));`;
  const args = [...YOUNG_GENERATION, '--import', 'tsx', '--input-type=module', '-e', script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  return Number(stdout);
}

/** V8 of Node 24 copies half of a run now and then, whatever is kept; what leads to all of them does so in every run. */
const RUNS_MAX = 8;

function least(keeping: Parameters<typeof shareLeft>[0]): number {
  let found = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS_MAX && found >= SHARE_LEFT; run += 1) {
    found = Math.min(found, measured(keeping));
  }
  return found;
}

it('requests that are over leave little in the old generation', () => {
  expect(least('nothing')).toBeLessThan(SHARE_LEFT);
});

it('and this would be seen: a table that is exchanged when it is full keeps them', () => {
  expect(measured('some')).toBeGreaterThan(SHARE_LEFT);
});
