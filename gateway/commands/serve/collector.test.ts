import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const TIMEOUT_MS = 180_000;
const MIB = 1_024 * 1_024;

/** How large the young generation of a process is before and behind work of which everything stays alive for a while. */
function youngOf(footprint: string): { readonly before: number; readonly behind: number } {
  const at = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { limitYoung } from ${at('collector.ts')};
    import { ManualClock } from ${at('../../../api/meta/manual-clock.fixture.ts')};
    const young = () => getHeapSpaceStatistics().find((one) => one.space_name === 'new_space').space_size;
    const clock = new ManualClock();
    limitYoung('${footprint}', clock);
    const before = young();
    let held = [];
    for (let nth = 0; nth < 400; nth += 1) {
      held.push(Array.from({ length: 4_000 }, (_, i) => ({ i, text: 'text ' + i })));
      if (held.length > 100) held = [];
      if (nth % 10 === 0) clock.advance(1_000);
    }
    console.log(JSON.stringify({ before, behind: young() }));`;
  const node = ['--import', 'tsx', '--input-type=module', '-e', script];
  const env = { ...process.env, NODE_OPTIONS: '' };
  const printed = execFileSync(process.execPath, node, { encoding: 'utf8', env });
  return JSON.parse(printed) as ReturnType<typeof youngOf>;
}

it(
  'the young generation of a server grows to its limit, and no more',
  { timeout: TIMEOUT_MS },
  () => {
    const [large, medium] = [youngOf('large'), youngOf('medium')];
    expect(large.behind).toBeGreaterThan(16 * MIB);
    expect(medium.behind).toBe(16 * MIB);
  },
);
