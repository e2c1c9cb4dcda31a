/** What h2spec asks of a server of HTTP/2: its sections for RFC 7540 and RFC 7541, in its strict mode. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { oracleBinary } from '../../tools/oracle-binary.fixture.ts';
import { closeAll, listening, text } from './given-listener.fixture.ts';

afterEach(closeAll);

/** undefined: it cannot be had, which fails where everything is to be there. */
async function h2spec(): Promise<string | undefined> {
  try {
    return await oracleBinary(join(import.meta.dirname, '../../e2e/oracles/h2spec'), 'program');
  } catch (cause) {
    if (process.env['EVERWATCH_REQUIRE_ALL'] === '1') throw cause;
    console.warn(`SKIPPED: h2spec needs Go 1.26 and its module proxy (${String(cause)})`);
    return undefined;
  }
}

const program = await h2spec();

it.skipIf(program === undefined)('every test of h2spec passes', async () => {
  // A request that is answered before it is whole would be over before what h2spec sends of it.
  const { listener } = await listening((request) => {
    void Promise.resolve(request.readBody(1_000_000)).then(() => {
      request.reply(text('an answer'));
    });
  });
  const ran = await new Promise<{ readonly failed: boolean; readonly report: string }>(
    (resolve) => {
      execFile(program ?? '', [String(listener.port), '/'], (error, report) => {
        resolve({ failed: error !== null, report });
      });
    },
  );
  const failures = ran.report.slice(Math.max(0, ran.report.indexOf('Failures:')));
  expect(ran.failed ? failures : '').toBe('');
  expect(ran.report).toContain('146 tests, 146 passed, 0 skipped, 0 failed');
});
