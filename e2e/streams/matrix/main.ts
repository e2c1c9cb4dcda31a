/**
 * `npm run streams`: each client with each verb and each kind of node, as a table; `npm run streams -- TEXT`: the
 * rows that have the text. Ends with 1 where a cell
 * does not pass, and says why. Needs Go, Python with pip, and the modules that e2e/ builds.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { goProgram } from '../../support/go-program.ts';
import { pythonClient } from '../../support/python-client.ts';
import { CELLS } from './cells.ts';
import {
  clientGo,
  clientNode,
  kubectlClient,
  pythonStreams,
  type StreamClient,
} from './clients.ts';
import { startEcho } from './echo.ts';
import { startStreamTargets } from './stream-targets.ts';
import { runArguments } from '../../../run-arguments.ts';

const { positionals } = runArguments(import.meta.filename, { allowPositionals: true });
const home = mkdtempSync(join(tmpdir(), 'everwatch-matrix-'));

async function allClients(): Promise<StreamClient[]> {
  const [recent, old] = [await goProgram('kubectl'), await goProgram('kubectl-1.30')];
  const check = await goProgram('streams-check');
  return [
    kubectlClient('kubectl 1.30, SPDY', old, { home, isWebSocket: false }),
    kubectlClient('kubectl 1.30, WebSocket', old, { home, isWebSocket: true }),
    kubectlClient('kubectl 1.36, SPDY', recent, { home, isWebSocket: false }),
    kubectlClient('kubectl 1.36, WebSocket', recent, { home, isWebSocket: true }),
    clientGo(check, 'spdy'),
    clientGo(check, 'websocket'),
    pythonStreams(await pythonClient()),
    clientNode,
  ];
}

const failures: string[] = [];

async function outcome(of: readonly [string, string, string], run: () => Promise<boolean>) {
  try {
    return (await run()) ? 'passes' : '–';
  } catch (error) {
    const why = error instanceof Error ? error.message : JSON.stringify(error);
    failures.push(`${of.join(' / ')}: ${why}`);
    console.error(failures.at(-1));
    return 'FAILS';
  }
}

const programs = {
  kubelet: await goProgram('kubelet'),
  kwok: await goProgram('kwok'),
  konnectivity: await goProgram('konnectivity'),
};
const clients = await allClients();
const echo = await startEcho();
const targets = await startStreamTargets(programs, echo.port);
const verbs = Object.entries(CELLS);
console.log(`| node | client | ${verbs.map(([verb]) => verb).join(' | ')} |`);
console.log(`|---|---|${verbs.map(() => '---|').join('')}`);
for (const target of targets.all) {
  for (const client of clients) {
    if (!`${target.name} | ${client.name}`.includes(positionals[0] ?? '')) continue;
    const row: string[] = [];
    for (const [verb, cell] of verbs) {
      row.push(
        await outcome([target.name, client.name, verb], () => cell(client, target, echo.port)),
      );
    }
    console.log(`| ${target.name} | ${client.name} | ${row.join(' | ')} |`);
  }
}
await targets.stop();
echo.server.close();
rmSync(home, { recursive: true, force: true });
process.exit(failures.length === 0 ? 0 : 1);
