/**
 * client-go's apply configurations, by e2e/go/cmd/apply-check: what a controller applies, finds
 * again in managedFields, loses to another one, and applies again.
 */
import { expect, it } from 'vitest';

import { run } from '../support/command.ts';
import { parseJson } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

await describeWith('apply-check', 'apply configurations', (program) => {
  const server = serverForThisFile();

  it('are applied, extracted, taken and applied again', async () => {
    const env = { ...process.env, KUBECONFIG: server().kubeconfig };
    const { code, stdout, stderr } = await run(program, [], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const labels = { app: 'applied' };
    const container = { name: 'main', image: 'example/main:1', ports: [{ containerPort: 8080 }] };
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    };
    const named = {
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'applied', namespace: 'default' },
    };
    const conflict = 'conflict with "first": .spec.replicas';
    expect(parseJson(stdout)).toEqual({
      extracted: { ...named, spec: { ...spec, replicas: 2 } },
      again: true,
      conflict: `Apply failed with 1 conflict: ${conflict}`,
      causes: ['FieldManagerConflict .spec.replicas'],
      replicas: 5,
      status: { ...named, status: { replicas: 3 } },
      left: { ...named, spec },
      scaled: 7,
      dynamicLabels: { by: 'dynamic' },
    });
  });
});
