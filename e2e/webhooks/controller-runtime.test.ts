/**
 * Admission webhooks as operators write them: e2e/go/cmd/webhook-check serves two with
 * controller-runtime and writes what they see.
 */
import { expect, it } from 'vitest';

import { run } from '../support/command.ts';
import { at, parseJson } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const REFUSED = 'admission webhook "validate.example.com" denied the request: ';

await describeWith('webhook-check', 'webhooks of controller-runtime', (program) => {
  const server = serverForThisFile();

  it('change, refuse and warn of what is written', async () => {
    const env = { ...process.env, KUBECONFIG: server().kubeconfig };
    const { code, stdout, stderr } = await run(program, [], { env, timeoutMs: 120_000 });
    const report = parseJson(stdout);

    expect(at(report, 'failures'), stderr).toEqual([]);
    expect(code).toBe(0);
    expect(at(report, 'messages')).toEqual([
      `${REFUSED}no bad keys`,
      `${REFUSED}no bad keys`,
      `${REFUSED}kubernetes-admin keeps good`,
    ]);
    expect(at(report, 'warnings')).toEqual(['an odd key']);
    expect(at(report, 'calls')).toEqual({
      'mutate CREATE': 3,
      'mutate DELETE': 1,
      'mutate UPDATE': 1,
      'validate CREATE': 3,
      'validate DELETE': 1,
      'validate UPDATE': 1,
    });
    expect(server().logs()).not.toContain('"level":50');
  });
});
