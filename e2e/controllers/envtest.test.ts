/**
 * controller-runtime as the tests of operators use it, by e2e/go/cmd/envtest-check: envtest installs
 * and uninstalls definitions, a manager watches what they define.
 */
import { expect, it } from 'vitest';

import { run } from '../support/command.ts';
import { at, parseJson } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

await describeWith('envtest-check', 'envtest', (program) => {
  // As envtest does it, without the controllers of kube-controller-manager.
  const server = serverForThisFile();

  it('installs definitions, finds them served, and uninstalls them; twice', async () => {
    const env = { ...process.env, KUBECONFIG: server().kubeconfig };
    for (let time = 0; time < 2; time += 1) {
      const { code, stdout, stderr } = await run(program, [], { env });
      expect(at(parseJson(stdout), 'failures'), stderr).toEqual([]);
      expect(code).toBe(0);
    }
  });
});
