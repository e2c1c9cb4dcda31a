/**
 * `npm run k9s`: the real k9s in a terminal, unmodified, with kubeconfigs whose server is of now, of a moment that stands
 * still, of that moment with what came since, and of a fork. Prints each screen; code 1 where a pod is missing that was
 * there, or one shown that was not. Needs Go and tmux. k9s is compiled by the first run: that takes a quarter of an hour
 * and 2 GB of memory, so it is in no run of the tests.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { adminClient } from '../support/admin-client.ts';
import { run } from '../support/command.ts';
import { goProgram } from '../support/go-program.ts';
import { textAt } from '../support/json.ts';
import { SERVER_PROGRAM, startServer } from '../support/server.ts';
import { runArguments } from '../../run-arguments.ts';

runArguments(import.meta.filename, {});

const PODS = '/api/v1/namespaces/default/pods';
const FORKS = '/apis/dev.everwatch/v1alpha1/forks';
const NAMES = ['gone', 'stays', 'new', 'forked'];
const [WIDTH, HEIGHT] = ['132', '28'];
const PATIENCE_MS = 120_000;
const LOOK_MS = 500;

/** One terminal, and the pods that it is to show. */
interface Shown {
  readonly title: string;
  readonly kubeconfig: string;
  readonly pods: readonly string[];
}

const k9s = await goProgram('k9s');
const folder = mkdtempSync(join(tmpdir(), 'everwatch-k9s-'));
const server = await startServer();
const client = adminClient(server);
let failures = 0;
/** The socket of the terminal that is looked at. With the last one's, its server would end while the next one begins. */
let terminal = '';
let looks = 0;
try {
  for (const shown of await givenPlaces()) await look(shown);
} finally {
  await tmux('kill-server').catch(() => undefined);
  client.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

async function makePod(name: string, prefix = ''): Promise<string> {
  const spec = { containers: [{ name: 'web', image: 'nginx:1.29' }] };
  const answer = await client.post(prefix + PODS, { metadata: { name }, spec });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return textAt(answer.body, 'metadata', 'resourceVersion');
}

/** A pod that is gone by now, one that stays, and later ones. */
async function givenPlaces(): Promise<Shown[]> {
  await client.post('/api/v1/namespaces/default/serviceaccounts', {
    metadata: { name: 'default' },
  });
  await makePod('gone');
  const then = await makePod('stays');
  await client.post(FORKS, {
    apiVersion: 'dev.everwatch/v1alpha1',
    kind: 'Fork',
    metadata: { name: 'try' },
    spec: { revision: then },
  });
  await client.delete(`${PODS}/gone?gracePeriodSeconds=0`);
  await makePod('new');
  await makePod('forked', '/forks/try');
  return [
    { title: 'now', kubeconfig: server.kubeconfig, pods: ['new', 'stays'] },
    await place(`/at/${then}/still`, ['gone', 'stays'], '--at', then, '--still'),
    await place(`/at/${then}, and what came since`, ['new', 'stays'], '--at', then),
    await place('/forks/try', ['forked', 'gone', 'stays'], '--fork', 'try'),
  ];
}

async function place(
  title: string,
  pods: readonly string[],
  ...asked: readonly string[]
): Promise<Shown> {
  const args = [SERVER_PROGRAM, 'kubeconfig', ...asked, '--kubeconfig', server.kubeconfig];
  const { code, stdout, stderr } = await run(process.execPath, args);
  if (code !== 0) throw new Error(stderr);
  const kubeconfig = join(folder, `${String(title.length)}-${pods.join('-')}.yaml`);
  writeFileSync(kubeconfig, stdout);
  return { title, kubeconfig, pods };
}

async function look({ title, kubeconfig, pods }: Shown): Promise<void> {
  const environment = `XDG_CONFIG_HOME=${folder} XDG_STATE_HOME=${folder} XDG_DATA_HOME=${folder}`;
  const command = `env ${environment} ${k9s} --kubeconfig ${kubeconfig} -c pods -n default --logoless`;
  looks += 1;
  terminal = join(folder, `tmux-${String(looks)}`);
  await tmux('new-session', '-d', '-s', 'k9s', '-x', WIDTH, '-y', HEIGHT, command);
  const began = performance.now();
  let screen = '';
  do {
    await pause(LOOK_MS);
    screen = await tmux('capture-pane', '-p', '-t', 'k9s');
  } while (!isShown(screen, pods) && performance.now() - began < PATIENCE_MS);
  const isRight = isShown(screen, pods);
  if (!isRight) failures += 1;
  console.log(`${isRight ? 'as it was' : 'NOT AS IT WAS'}: ${title}\n${screen.trimEnd()}\n`);
  await tmux('kill-server').catch(() => undefined);
}

/** Whether those pods stand in the table, and no others. */
function isShown(screen: string, pods: readonly string[]): boolean {
  const lines = screen.split('\n').map((line) => line.split(/\s+/));
  return NAMES.every((name) => lines.some((words) => words.includes(name)) === pods.includes(name));
}

async function tmux(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run('tmux', ['-S', terminal, ...args]);
  if (code !== 0) throw new Error(`tmux ${args.join(' ')}: ${stderr}`);
  return stdout;
}
