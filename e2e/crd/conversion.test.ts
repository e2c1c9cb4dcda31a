/**
 * Conversion webhooks, by e2e/go/cmd/conversion-check, which serves one and is its client too.
 */
import { expect, it } from 'vitest';

import { run } from '../support/command.ts';
import { at, parseJson } from '../support/json.ts';
import { faultsIn } from '../support/log-lines.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const ABOUT = 'conversion webhook for conversion.example.org/v2, Kind=Host';

await describeWith('conversion-check', 'a conversion webhook', (program) => {
  const server = serverForThisFile();

  it('is asked for what lies in another version, once, and what it says is checked', async () => {
    const env = { ...process.env, KUBECONFIG: server().kubeconfig };
    const { code, stdout, stderr } = await run(program, [], { env });
    const report = parseJson(stdout);

    expect(at(report, 'failures'), stderr).toEqual([]);
    expect(code).toBe(0);
    expect(at(report, 'counts')).toEqual({
      createCalls: 20,
      listCalls: 1,
      listObjects: 10,
      secondListCalls: 0,
      oldObjectsConverted: 1,
      rewrittenConverted: 0,
    });
    expect(at(report, 'messages')).toEqual([
      `${ABOUT} failed: no thanks`,
      `${ABOUT} returned invalid object: must have the same name: h01 != another`,
      `${ABOUT} failed: the server responded with the status code 307 but did not return more information`,
      `${ABOUT} failed: Post "https://ADDRESS/convert?timeout=30s": dial tcp ADDRESS: connect: connection refused`,
    ]);
    expect(faultsIn(server().logs())).toEqual([]);
  });
});
