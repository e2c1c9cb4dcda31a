/** `npm run media`: asks kube-apiserver what it answers in which media type, and writes it down. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { CBOR_GATE, cborConversation } from './cbor-conversation.ts';
import { converse } from './conversation.ts';
import { withPeer, type Peer } from './peer.ts';
import { rawAnswers } from './raw-extensions.ts';
import { runArguments } from '../../run-arguments.ts';

runArguments(import.meta.filename, {});

async function record(
  name: string,
  ask: (peer: Peer) => Promise<object>,
  flags: readonly string[] = [],
): Promise<void> {
  const answers = await withPeer(ask, flags);
  const target = join(import.meta.dirname, name);
  writeFileSync(target, JSON.stringify(answers));
  execFileSync('npx', ['oxfmt', target]);
  console.log(`${String(Object.keys(answers).length)} questions in ${target}`);
}

await record('answers.json', converse);
await record('raw-extensions.json', rawAnswers);
await record('cbor-answers.json', cborConversation, [CBOR_GATE]);
