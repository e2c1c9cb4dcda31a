/**
 * One user floods the server with wide lists that he does not read, and another one asks for little.
 * Nothing here goes by time: the flood holds every seat for as long as the test wants.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import type { JsonObject } from '../support/json.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-fairness-'));
const tokens = join(folder, 'tokens.csv');
writeFileSync(tokens, 'flood-token,flood,1\nquiet-token,quiet,2\n');

const server = serverForThisFile({
  args: [
    `--token-auth-file=${tokens}`,
    '--max-requests-inflight=40',
    '--max-mutating-requests-inflight=20',
    // A request may wait for a minute, however slow this machine is.
    '--request-timeout=10m',
  ],
});

const API = '/apis/flowcontrol.apiserver.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';
/** More of them than sockets hold. */
const MAP_COUNT = 60;
const MAP_BYTES = 500_000;
const FLOOD = 60;

const LEVEL: JsonObject = {
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'PriorityLevelConfiguration',
  metadata: { name: 'tight' },
  spec: {
    type: 'Limited',
    limited: {
      // As many as all others together: 30 seats of 60, on which six lists of five sit.
      nominalConcurrencyShares: 245,
      borrowingLimitPercent: 0,
      limitResponse: {
        type: 'Queue',
        queuing: { queues: 64, handSize: 4, queueLengthLimit: 5 },
      },
    },
  },
};

const SCHEMA: JsonObject = {
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'FlowSchema',
  metadata: { name: 'tight' },
  spec: {
    priorityLevelConfiguration: { name: 'tight' },
    matchingPrecedence: 100,
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: ['flood', 'quiet'].map((name) => ({ kind: 'User', user: { name } })),
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
      },
    ],
  },
};

interface Asked {
  /** Its head has come; its body is not read. */
  answer: IncomingMessage | undefined;
  drop(): void;
}

describe('a flood', () => {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  let client: AdminClient;

  beforeAll(async () => {
    client = adminClient(server());
    for (let at = 0; at < MAP_COUNT; at += 1) {
      const metadata = { name: `map-${String(at)}` };
      const data = { text: 'x'.repeat(MAP_BYTES) };
      await client.post(MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    }
    await client.post(`${API}/prioritylevelconfigurations`, LEVEL);
    await client.post(`${API}/flowschemas`, SCHEMA);
  });

  afterAll(() => {
    client.close();
    agent.destroy();
    rmSync(folder, { recursive: true, force: true });
  });

  function ask(user: 'flood' | 'quiet', path: string): Asked {
    const { url, ca } = readKubeconfig(server().kubeconfig);
    const headers = { authorization: `Bearer ${user}-token` };
    const asked: Asked = {
      answer: undefined,
      drop: () => outgoing.destroy(),
    };
    const outgoing = request(url + path, { agent, ca, headers })
      .on('response', (answer) => {
        answer.on('error', () => undefined).pause();
        asked.answer = answer;
      })
      .on('error', () => undefined)
      .end();
    return asked;
  }

  async function textOf(path: string): Promise<string> {
    const { body } = await client.get(path);
    return typeof body === 'string' ? body : '';
  }

  /** What the dump says of a level, by its columns. */
  async function level(name: string): Promise<Record<string, string>> {
    const path = '/debug/api_priority_and_fairness/dump_priority_levels';
    const [head = '', ...rows] = (await textOf(path)).trimEnd().split('\n');
    const cells = rows.map((row) => row.split(/,\s*/)).find(([first]) => first === name) ?? [];
    return Object.fromEntries(head.split(/,\s*/).map((column, at) => [column, cells[at] ?? '']));
  }

  it('is turned away where it is too much, and keeps no other client from its turn', async () => {
    const flood = Array.from({ length: FLOOD }, () => ask('flood', MAPS));
    const refused = () => flood.filter(({ answer }) => answer?.statusCode === 429);
    const served = () => flood.filter(({ answer }) => answer?.statusCode === 200);
    await eventually('all of the flood sit, wait or were turned away', async () => {
      const { WaitingRequests = '0' } = await level('tight');
      return served().length + refused().length + Number(WaitingRequests) === FLOOD || undefined;
    });
    const { ExecutingRequests, WaitingRequests, RejectedRequests } = await level('tight');
    expect(Number(ExecutingRequests)).toBe(served().length);
    expect(ExecutingRequests).toBe('6');
    // Four queues of five.
    expect(WaitingRequests).toBe('20');
    expect(Number(RejectedRequests)).toBe(refused().length);
    expect(refused().length).toBeGreaterThan(10);
    expect(refused()[0]?.answer?.headers['retry-after']).toMatch(/^\d+$/);

    // His queue is empty, so he waits where the flood is turned away.
    const quiet = [0, 1, 2].map((at) => ask('quiet', `${MAPS}/map-${String(at)}`));
    await eventually('the quiet one waits', async () => {
      return (await level('tight'))['WaitingRequests'] === '23' || undefined;
    });
    expect(quiet.map(({ answer }) => answer)).toEqual([undefined, undefined, undefined]);
    const more = Array.from({ length: 5 }, () => ask('flood', MAPS));
    await eventually('more of the flood is turned away', () => {
      return more.every(({ answer }) => answer?.statusCode === 429) || undefined;
    });
    await eventually('the quiet one is served', () => {
      for (const one of served()) one.drop();
      return quiet.every(({ answer }) => answer !== undefined) || undefined;
    });

    expect(quiet.map(({ answer }) => answer?.statusCode)).toEqual([200, 200, 200]);
    for (const one of quiet) one.drop();
    for (const one of flood) one.drop();
    await eventually('all seats are free again', async () => {
      const { ExecutingRequests: executing, WaitingRequests: waiting } = await level('tight');
      return (executing === '0' && waiting === '0') || undefined;
    });
  });

  it('tells clients which flow schema and level they are counted to', async () => {
    const uidOf = async (path: string): Promise<unknown> => {
      const { body } = await client.get(`${API}/${path}`);
      return ((body as JsonObject)['metadata'] as JsonObject)['uid'];
    };
    const quiet = ask('quiet', `${MAPS}?limit=1`);
    const { headers } = await eventually('an answer', () => quiet.answer);
    quiet.drop();

    expect(headers['x-kubernetes-pf-flowschema-uid']).toBe(await uidOf('flowschemas/tight'));
    expect(headers['x-kubernetes-pf-prioritylevel-uid']).toBe(
      await uidOf('prioritylevelconfigurations/tight'),
    );
  });

  it('can be looked at, and is counted', async () => {
    const watch = ask('quiet', '/api/v1/pods?watch=1');
    await eventually('the watch is open', () => watch.answer);
    const requests = '/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1';
    // The watch waits for changes by now, and sits no longer.
    const rows = (await textOf(requests)).trimEnd().split('\n');
    expect(rows[0]).toMatch(/^PriorityLevelName,\s+FlowSchemaName,.*UserName,.*SubResource$/);
    expect(rows.slice(1).map((row) => row.split(/,\s*/)[0])).toEqual(['exempt']);
    watch.drop();
    const queues = await textOf('/debug/api_priority_and_fairness/dump_queues');
    expect(queues.match(/^tight,/gm)).toHaveLength(64);

    const metrics = await textOf('/metrics');
    const labels = 'flow_schema="tight",priority_level="tight"';
    for (const family of ['dispatched_requests_total', 'work_estimated_seats_count']) {
      expect(metrics).toMatch(
        new RegExp(`^apiserver_flowcontrol_${family}\\{${labels}\\} \\d`, 'm'),
      );
    }
    expect(metrics).toMatch(
      new RegExp(
        `^apiserver_flowcontrol_rejected_requests_total\\{${labels},reason="queue-full"`,
        'm',
      ),
    );
  });
});
