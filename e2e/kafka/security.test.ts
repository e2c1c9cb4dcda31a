/**
 * A server and brokers that do not trust one another: TLS, mTLS, and every SASL mechanism, through
 * the flags; and that what is wrong is refused, by them or by us, in words.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import type { KafkaCluster } from '../support/kafka-broker.ts';
import { describeWith } from '../support/requirements.ts';
import { SERVER_PROGRAM, startServer } from '../support/server.ts';
import { testAuthority } from '../support/test-authority.ts';
import { recordsOf } from './records.ts';
import { makeScramUser } from './scram-users.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const LOGIN = 'org.apache.kafka.common.security';
const folder = mkdtempSync(join(tmpdir(), 'everwatch-security-'));
const at = (name: string) => join(folder, name);

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const authority = await testAuthority('Kafka test');
const broker = await authority.issue('broker', ['kafka.test']);
const client = await authority.issue('everwatch');
const stranger = await (await testAuthority('Nobody')).issue('everwatch');
for (const [name, text] of Object.entries({
  'ca.crt': authority.certificate,
  'client.crt': client.certificate,
  'client.key': client.key,
  'stranger.crt': stranger.certificate,
  'stranger.key': stranger.key,
  password: 'a pass word',
  wrong: 'another',
  token: unsecuredToken(),
})) {
  writeFileSync(at(name), text);
}

const ofListener = (properties: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [`listener.name.client.${name}`, value]),
  );
const TLS = {
  'ssl.keystore.type': 'PEM',
  'ssl.keystore.certificate.chain': broker.certificate,
  'ssl.keystore.key': broker.key,
  'ssl.truststore.type': 'PEM',
  'ssl.truststore.certificates': authority.certificate,
};
const SASL = {
  'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
  'plain.sasl.jaas.config': `${LOGIN}.plain.PlainLoginModule required user_me="a pass word";`,
  'scram-sha-256.sasl.jaas.config': `${LOGIN}.scram.ScramLoginModule required;`,
  'scram-sha-512.sasl.jaas.config': `${LOGIN}.scram.ScramLoginModule required;`,
  'oauthbearer.sasl.jaas.config': `${LOGIN}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";`,
};

/** What a broker takes that is told to trust everybody: a token that is not signed. */
function unsecuredToken(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1_000);
  return `${part({ alg: 'none' })}.${part({ sub: 'me', iat: now, exp: now + 3_600 })}.`;
}

await describeWith('kafka', 'brokers that ask for TLS', (startKafka) => {
  let cluster: KafkaCluster;
  let topics = 0;

  beforeEach(({ onTestFailed }) => {
    onTestFailed(() => {
      console.error(cluster.logs());
    });
  });

  const believes = ['--kafka-tls-ca-file', at('ca.crt'), '--kafka-tls-server-name', 'kafka.test'];

  /** On a topic of its own: a server with these flags takes a write, and the topic has it. */
  async function expectToWork(args: readonly string[]): Promise<void> {
    topics += 1;
    const topic = `log-${String(topics)}`;
    const log = ['--log', `kafka://${cluster.bootstrap.join()}/${topic}`];
    const server = await startServer({ args: [...log, ...args] });
    try {
      const admin = adminClient(server);
      const { status } = await admin.post(MAPS, { metadata: { name: 'wanted' } });
      admin.close();
      expect(status, server.logs()).toBe(201);
    } finally {
      await server.stop();
    }
    const values = await recordsOf(cluster.direct, topic);
    expect(values.filter((value) => value.includes('"wanted"'))).toHaveLength(1);
  }

  /** It says why; whether it goes on trying or gives up is not this test's business. */
  async function expectToFail(args: readonly string[], why: RegExp): Promise<void> {
    const dataDir = mkdtempSync(join(folder, 'data-'));
    const log = ['--log', `kafka://${cluster.bootstrap.join()}/refused`];
    // At this level it says so at the first try.
    const own = ['--data-dir', dataDir, '--secure-port', '0', '--log-level', 'debug'];
    const all = ['serve', ...own, ...log, ...args];
    const server = startCommand(process.execPath, [SERVER_PROGRAM, ...all]);
    const said = () => server.stdout() + server.stderr();
    try {
      const wanted = () => `${why.source} in what it says:\n${said()}`;
      await eventually(wanted, () => why.test(said()) || undefined);
      expect(said()).not.toContain('export KUBECONFIG');
    } finally {
      server.kill('SIGKILL');
      await server.ended;
    }
  }

  describe('and a certificate', () => {
    beforeAll(async () => {
      const properties = ofListener({ ...TLS, 'ssl.client.auth': 'required' });
      cluster = await startKafka({ security: 'SSL', properties });
    });
    afterAll(() => cluster.stop());

    const pair = (who: string) => [
      '--kafka-tls-cert-file',
      at(`${who}.crt`),
      '--kafka-tls-key-file',
      at(`${who}.key`),
    ];

    it('let in whom they know', async () => {
      await expectToWork([...believes, ...pair('client')]);
    });

    it('do not let in others', async () => {
      await expectToFail([...believes, ...pair('stranger')], /certificate/i);
      await expectToFail(believes, /certificate/i);
    });

    it('are not believed without their authority, or under another name', async () => {
      await expectToFail(['--kafka-tls', ...pair('client')], /certificate/i);
      await expectToFail(
        ['--kafka-tls-ca-file', at('ca.crt'), ...pair('client')],
        /IP: 127\.0\.0\.1 is not in the cert's list/,
      );
    });
  });

  describe('and SASL', () => {
    const user = ['--kafka-sasl-username', 'me', '--kafka-sasl-password-file'];

    beforeAll(async () => {
      const properties = ofListener({ ...TLS, ...SASL });
      cluster = await startKafka({ security: 'SASL_SSL', properties });
      const [direct = ''] = cluster.direct;
      await makeScramUser(direct, { name: 'me', password: 'a pass word' });
    });
    afterAll(() => cluster.stop());

    it.each(['plain', 'scram-sha-256', 'scram-sha-512'])('let in by %s', async (mechanism) => {
      await expectToWork([
        ...believes,
        '--kafka-sasl-mechanism',
        mechanism,
        ...user,
        at('password'),
      ]);
    });

    it('let in by oauthbearer', async () => {
      const token = ['--kafka-sasl-token-file', at('token')];
      await expectToWork([...believes, '--kafka-sasl-mechanism', 'oauthbearer', ...token]);
    });

    it.each(['plain', 'scram-sha-512'])(
      'do not let in with another password: %s',
      async (mechanism) => {
        const flags = ['--kafka-sasl-mechanism', mechanism, ...user, at('wrong')];
        await expectToFail([...believes, ...flags], /authentication|invalid credentials/i);
      },
    );
  });
});
