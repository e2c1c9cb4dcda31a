/** A name that changes its address between two look-ups, as its owner may want it to. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The name. */
export const CHANGING_NAME = 'changing.test';

/**
 * The environment of a server that looks the name up. Node's own look-ups are replaced before the server is
 * loaded: the first gives this address, those behind it the loopback.
 *
 * @param folder for a file that lasts as long as the server.
 */
export function changingName(first: string, folder: string): NodeJS.ProcessEnv {
  const file = join(folder, 'changing-name.cjs');
  writeFileSync(file, PRELOADED.replace('FIRST', first).replaceAll('NAME', CHANGING_NAME));
  return { NODE_OPTIONS: `--require ${file}` };
}

const PRELOADED = `
const dns = require('node:dns');
let lookups = 0;
const address = () => (++lookups === 1 ? 'FIRST' : '127.0.0.1');
const { lookup, promises } = dns;
const promised = promises.lookup;
dns.lookup = (host, options, callback) => {
  if (host !== 'NAME') return lookup(host, options, callback);
  const found = address();
  if (options?.all) setImmediate(callback, null, [{ address: found, family: 4 }]);
  else setImmediate(callback ?? options, null, found, 4);
};
promises.lookup = async (host, options) => {
  if (host !== 'NAME') return promised(host, options);
  const found = { address: address(), family: 4 };
  return options?.all ? [found] : found;
};
require('node:module').syncBuiltinESMExports();
`;
