/**
 * Asks the server of this machine for its health, as its administrator: `node probe.mjs /readyz`.
 * Exit code 0 is healthy; else the answer is printed.
 *
 * A probe without credentials would be refused by a server that lets in no unknown client.
 */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';

const [path = '/readyz', dataDir = '/var/lib/everwatch', port = '6443'] = process.argv.slice(2);
const TIMEOUT_MS = 4_000;

function fail(why) {
  console.error(why);
  process.exit(1);
}

try {
  const pki = (name) => readFileSync(`${dataDir}/pki/${name}`);
  const asking = request(
    {
      host: '127.0.0.1',
      port,
      path: `${path}?verbose`,
      cert: pki('admin.crt'),
      key: pki('admin.key'),
      // The certificate may be one that was brought along, for other names than this address.
      rejectUnauthorized: false,
      timeout: TIMEOUT_MS,
    },
    (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (more) => (text += more));
      answer.on('end', () => {
        if (answer.statusCode !== 200) fail(text);
        process.exit(0);
      });
    },
  );
  asking.on('timeout', () => fail('no answer in time')).on('error', (error) => fail(error.message));
  asking.end();
} catch (error) {
  fail(error.message);
}
