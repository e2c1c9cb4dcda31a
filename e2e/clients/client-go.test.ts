/**
 * client-go, by e2e/go/cmd/clientgo-check: it works for twenty seconds in CI, for ten elsewhere.
 */
import { expect, it } from 'vitest';

import { run } from '../support/command.ts';
import { at, parseJson } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const SECONDS = process.env['EVERWATCH_REQUIRE_ALL'] === '1' ? 20 : 10;

await describeWith('clientgo-check', 'client-go', (program) => {
  const server = serverForThisFile();

  it('calls, informs and elects beside writers, and its caches end equal to a list', async () => {
    const args = ['--duration', `${String(SECONDS)}s`];
    const env = { ...process.env, KUBECONFIG: server().kubeconfig };
    const timeoutMs = (SECONDS + 100) * 1000;
    const { code, stdout, stderr } = await run(program, args, { env, timeoutMs });
    const report = parseJson(stdout);
    console.info(`client-go: ${stdout.trim()}`);

    expect(at(report, 'failures'), stderr).toEqual([]);
    expect(code).toBe(0);
    expect(at(report, 'watchLists'), 'every informer starts by WatchList').toBe(4);
    expect(at(report, 'plainLists'), 'no informer falls back to a list').toBe(0);
    expect(at(report, 'expired')).toBe(0);
    expect(at(report, 'protobufAnswers')).toBeGreaterThan(10);
    expect(at(report, 'creates')).toBeGreaterThan(10);
    expect(at(report, 'conflicts'), 'the writers must have met').toBeGreaterThan(0);
    expect(at(report, 'leaderTerms')).toHaveLength(2);
  });
});
