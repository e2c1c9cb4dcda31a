/** `npm run media`: asks kube-apiserver what it answers in which media type, and writes it down. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { converse } from './conversation.ts';
import { withPeer } from './peer.ts';

const facts = await withPeer(converse);
const target = join(import.meta.dirname, 'answers.json');
writeFileSync(target, JSON.stringify(facts));
execFileSync('npx', ['prettier', '--write', target]);
console.log(`${String(Object.keys(facts).length)} questions in ${target}`);
