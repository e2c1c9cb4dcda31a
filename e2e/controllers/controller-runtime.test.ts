/**
 * controller-runtime, by e2e/go/cmd/controller-check: an operator that owns Deployments.
 */
import { expect, it } from 'vitest';

import { run } from '../support/command.ts';
import { at, parseJson } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

await describeWith('controller-check', 'controller-runtime', (program) => {
  const server = serverForThisFile();

  it('reaches its steady state after every change, and comes to rest there', async () => {
    const env = { ...process.env, KUBECONFIG: server().kubeconfig };
    const { code, stdout, stderr } = await run(program, [], { env });
    console.info(`controller-runtime: ${stdout.trim()}`);
    expect(at(parseJson(stdout), 'failures'), stderr).toEqual([]);
    expect(code).toBe(0);
  });
});
