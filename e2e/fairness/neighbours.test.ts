/**
 * One user asks for as much as forty connections take, and another one for an object again and again.
 * How long the second one waits is counted in answers that the first one gets meanwhile, so that it
 * is the same on a slow machine; and the same is done to a server without fairness, where all of the
 * flood stands before him.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { run } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { at, parseJson } from '../support/json.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import type { RunningServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-neighbours-'));
const tokens = join(folder, 'tokens.csv');
writeFileSync(tokens, 'flood-token,flood,1\nquiet-token,quiet,2\n');
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const MAPS = '/api/v1/namespaces/default/configmaps';
const MAP_COUNT = 1_000;
const AT_ONCE = 20;
const CONNECTIONS = 40;
const REQUESTS = 100;
const PATIENCE = { timeoutMs: 120_000 };

interface Waits {
  readonly median: number;
  /** Single ones are longer where the machine lets the quiet client wait for a processor. */
  readonly p90: number;
}

await describeWith('flood-check', 'beside a flood', (program) => {
  const fair = serverForThisFile({ args: [`--token-auth-file=${tokens}`] });
  const unfair = serverForThisFile({
    args: [`--token-auth-file=${tokens}`, '--enable-priority-and-fairness=false'],
  });

  async function fill(server: RunningServer): Promise<void> {
    const client = adminClient(server);
    const data = { text: 'x'.repeat(200) };
    for (let first = 0; first < MAP_COUNT; first += AT_ONCE) {
      const posts = Array.from({ length: AT_ONCE }, (_, nth) => {
        const metadata = { name: `map-${String(first + nth)}` };
        return client.post(MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
      });
      await Promise.all(posts);
    }
    client.close();
  }

  /** The flood's lists look through everything and find nothing, so that its client has little to do. */
  async function waitsAt(server: RunningServer): Promise<Waits> {
    const { url, ca } = readKubeconfig(server.kubeconfig);
    const authority = join(folder, 'ca.crt');
    writeFileSync(authority, ca);
    const args = ['-server', url, '-ca', authority, '-path', MAPS, '-get', 'map-0'];
    args.push('-query', 'labelSelector=none!%3Dx,none', '-connections', String(CONNECTIONS));
    args.push('-requests', String(REQUESTS));
    const { code, stdout, stderr } = await run(program, args);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const said = parseJson(stdout);
    const ofRank = (part: number) => Number(at(said, 'between', Math.floor(REQUESTS * part)));
    return { median: ofRank(0.5), p90: ofRank(0.9) };
  }

  it('a request waits for a few others and not for all', async () => {
    await fill(unfair());
    await fill(fair());
    // Where the machine gives the flood no time to be one, it is tried again.
    await eventually(
      'without fairness the flood stands before him',
      async () => {
        const { median } = await waitsAt(unfair());
        return median >= CONNECTIONS / 2 || undefined;
      },
      PATIENCE,
    );
    // And where it gives the quiet client no time, its requests wait for that and not for the flood.
    await eventually(
      'with fairness it waits for a few',
      async () => {
        const { p90 } = await waitsAt(fair());
        return p90 < CONNECTIONS / 2 || undefined;
      },
      PATIENCE,
    );
  });
});
