/**
 * Helm and a chart that brings its definitions along, as those of operators do: installed, changed,
 * taken back and uninstalled, without a pod running.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { helmFor, outputOf } from '../deploy/chart.ts';
import { kubectlFor } from '../support/kubectl.ts';
import { describeWith, needs } from '../support/requirements.ts';
import { resourceDefinition } from '../support/resource-definition.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const LAMP_SPEC = {
  type: 'object',
  properties: {
    watts: { type: 'integer', maximum: 100 },
    colour: { type: 'string', default: 'white' },
  },
};
const DEFINITION = resourceDefinition({
  group: 'house.example.com',
  plural: 'lamps',
  kind: 'Lamp',
  schema: { type: 'object', properties: { spec: LAMP_SPEC } },
});

const LAMP = `apiVersion: house.example.com/v1
kind: Lamp
metadata: {name: {{ .Release.Name }}}
spec: {watts: {{ .Values.watts }}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  selector: {matchLabels: {app: lamp}}
  template:
    metadata: {labels: {app: lamp}}
    spec: {containers: [{name: main, image: "example/lamp:{{ .Values.watts }}"}]}
`;

const kubectlProgram = await needs('kubectl');

await describeWith('helm', 'helm and a chart with definitions', (program) => {
  const server = serverForThisFile({ controllers: '*' });
  const helm = helmFor(program, () => ({ KUBECONFIG: server().kubeconfig }));
  const kubectl = kubectlFor(kubectlProgram ?? '', server);
  const chart = mkdtempSync(join(tmpdir(), 'everwatch-chart-'));

  beforeAll(() => {
    for (const folder of ['crds', 'templates']) mkdirSync(join(chart, folder));
    writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: lamps\nversion: 1.0.0\n');
    writeFileSync(join(chart, 'values.yaml'), 'watts: 40\n');
    writeFileSync(join(chart, 'crds/lamps.yaml'), JSON.stringify(DEFINITION));
    writeFileSync(join(chart, 'templates/lamp.yaml'), LAMP);
  });

  afterAll(() => {
    rmSync(chart, { recursive: true, force: true });
  });

  async function lamp(path: string): Promise<string> {
    return kubectl(`get lamp hall -o jsonpath={${path}}`);
  }

  it('installs, upgrades, rolls back and uninstalls', async () => {
    outputOf(await helm(['install', 'hall', chart]));
    expect([await lamp('.spec.watts'), await lamp('.spec.colour')]).toEqual(['40', 'white']);
    outputOf(await helm(['upgrade', 'hall', chart, '--set', 'watts=60']));
    expect(await lamp('.spec.watts')).toBe('60');
    expect(await kubectl('get deployment hall -o jsonpath={..image}')).toBe('example/lamp:60');
    const refused = await helm(['upgrade', 'hall', chart, '--set', 'watts=400']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('should be less than or equal to 100');
    expect(await lamp('.spec.watts')).toBe('60');
    outputOf(await helm(['rollback', 'hall', '1']));
    expect(await lamp('.spec.watts')).toBe('40');
    expect(await lamp('.spec.colour')).toBe('white');
    outputOf(await helm(['uninstall', 'hall']));
    expect(await kubectl('get lamps -o name')).toBe('');
    expect(await kubectl('get crd lamps.house.example.com -o name')).toContain('lamps');
  });
});
