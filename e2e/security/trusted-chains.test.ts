/**
 * The server believes servers and clients in each place as Go's programs do: chains that Go
 * judges (e2e/oracles/certificate-chains) are shown to it there, and it has to give Go's answer, in the
 * same words where clients see them. All chains of the sample, and more than a hundred others, are
 * judged by unit tests too; here it counts that no place asks another judge. A KMS is reached by a socket
 * of the machine alone, and shows none.
 */
import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { goOracle } from '../../api/patch/go-oracle.fixture.ts';
import { callerOf } from '../authentication/caller.ts';
import { oracleBinary } from '../../tools/oracle-binary.fixture.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { run } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { at, type JsonObject, parseJson, textAt } from '../support/json.ts';
import { type RunningServer, startServer } from '../support/server.ts';

const ROWS = [
  'a root',
  'the leaf is the anchor',
  'a leaf that signed itself',
  'an authority that serves itself',
  'an intermediate is the anchor and is not shown',
  'an intermediate is shown',
  'an intermediate is missing',
  'in another order, with the root',
  'two roots, the second one',
  'another root of the same name',
  'cross-signed, the first way',
  'cross-signed, the other way alone',
  'an anchor of version 1',
  'run out',
  'not valid yet',
  'an intermediate has run out',
  'the root has run out',
  'valid for ever',
  'only a common name',
  'a common name beside others',
  'names that are not permitted',
  'permitted names below a dot',
  'all names are permitted',
  'excluded names',
  'for servers',
  'for clients',
  'for anything',
  'for code',
  'a root for servers',
  'an intermediate for clients',
  'longer than the root allows',
  'a leaf as an authority',
  'SHA-1 with RSA',
  'SHA256-RSAPSS',
  'SHA-1 with ECDSA',
  'RSA 1024 as a leaf',
  'P-384 as a leaf',
  'P-521 as a leaf',
  'Ed25519',
  'a policy that is demanded',
  'a policy that is demanded and missing',
  'a bundle with text around',
  'a bundle with other blocks',
  'a bundle with lines of Windows',
];

/** Of clients alone: what a server of Node's cannot show, or is not asked for. */
const CLIENT_ROWS = [
  'two of a name, one has run out',
  'roots of the same name, none of which signed it',
  'more that might have signed it than a verifier looks at',
  'more than 100 KiB of it',
  'a signature that is none',
  'a signature of RSA by another',
  'a signature of Ed25519 by another',
  'a key of an unknown kind as a leaf',
  'a key of an unknown kind as an authority',
  'a subject that is empty',
  'RSA longer than 8192',
  'P-224 as a leaf',
  'a number below zero',
  'a byte behind it',
  'no certificate',
  'no certificate behind a good one',
  'basic constraints that are none',
];

/** OpenSSL ends the handshake, or hides the second certificate of a name; nothing of Node's changes that. */
const REFUSED_BY_OPENSSL = [
  'two of a name, one has run out',
  'more than 100 KiB of it',
  'a key of an unknown kind as an authority',
  'P-224 as a leaf',
];

interface Row {
  readonly name: string;
  readonly host: string;
  readonly roots: string;
  readonly shown: readonly string[];
  readonly key: string;
  /** Go's words; '' for yes. */
  readonly server: string;
  readonly client: string;
}

const oracle = await goOracle('certificate-chains');
const ORACLE = '../oracles/certificate-chains';
const HOST = 'localhost';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const SERVICES = '/api/v1/namespaces/default/services';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
const ACCESS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

describe.skipIf(oracle === undefined)('a chain of certificates', () => {
  const directory = mkdtempSync(join(tmpdir(), 'everwatch-chains-'));
  const file = (name: string) => join(directory, name);
  const listeners: ChainListener[] = [];
  let rows: readonly Row[] = [];
  /** Those that only clients show. */
  let clients: readonly Row[] = [];
  let server: RunningServer;
  let admin: AdminClient;
  /** Some whose chains change, for what a server has one of. */
  let changing: ChainListener;
  let auditor: ChainListener;
  let proxy: ChainListener;

  beforeAll(async () => {
    const asked = { now: Date.now(), host: HOST, rows: [...ROWS, ...CLIENT_ROWS] };
    const all = oracle?.<{ readonly rows: readonly Row[] }>([asked])[0]?.rows ?? [];
    rows = all.filter(({ name }) => ROWS.includes(name));
    clients = all.filter(({ name }) => !ROWS.includes(name));
    for (const row of rows) listeners.push(await ChainListener.showing(row));
    const [first] = rows;
    if (first === undefined) throw new Error('the oracle knows none of the chains');
    changing = await ChainListener.showing(first);
    auditor = await ChainListener.showing(first);
    proxy = await ChainListener.showing(first);
    writeFileSync(file('roots.pem'), first.roots);
    writeFileSync(file('tokens.yaml'), kubeconfig(changing.url));
    writeFileSync(file('audit.yaml'), kubeconfig(auditor.url));
    writeFileSync(file('policy.yaml'), JSON.stringify(POLICY));
    writeFileSync(file('egress.yaml'), JSON.stringify(egress(first)));
    writeFileSync(file('authentication.yaml'), JSON.stringify(issuers(listeners, first.roots)));
    writeFileSync(file('authorization.yaml'), JSON.stringify(authorizers(listeners)));
    server = await startServer({
      args: [
        `--client-ca-file=${file('roots.pem')}`,
        `--requestheader-client-ca-file=${file('roots.pem')}`,
        '--requestheader-username-headers=X-Remote-User',
        `--authentication-token-webhook-config-file=${file('tokens.yaml')}`,
        '--authentication-token-webhook-version=v1',
        '--authentication-token-webhook-cache-ttl=0s',
        `--authentication-config=${file('authentication.yaml')}`,
        `--authorization-config=${file('authorization.yaml')}`,
        `--audit-policy-file=${file('policy.yaml')}`,
        `--audit-webhook-config-file=${file('audit.yaml')}`,
        '--audit-webhook-mode=blocking',
        '--audit-webhook-initial-backoff=1ms',
        `--egress-selector-config-file=${file('egress.yaml')}`,
      ],
    });
    admin = adminClient(server);
  });

  function kubeconfig(url: string): string {
    const cluster = { server: url, 'certificate-authority': file('roots.pem') };
    return JSON.stringify({
      ...{ kind: 'Config', apiVersion: 'v1', 'current-context': 'it' },
      clusters: [{ name: 'it', cluster }],
      users: [{ name: 'us', user: {} }],
      contexts: [{ name: 'it', context: { cluster: 'it', user: 'us' } }],
    });
  }

  /** Services of webhooks are reached through the proxy, nothing else. */
  function egress(ours: Row): JsonObject {
    const { cert, key } = identityOf(ours);
    writeFileSync(file('proxy.crt'), cert);
    writeFileSync(file('proxy.key'), key);
    const tlsConfig = {
      caBundle: file('roots.pem'),
      clientCert: file('proxy.crt'),
      clientKey: file('proxy.key'),
    };
    const transport = { tcp: { url: proxy.url, tlsConfig } };
    const connection = { proxyProtocol: 'HTTPConnect', transport };
    return {
      apiVersion: 'apiserver.k8s.io/v1beta1',
      kind: 'EgressSelectorConfiguration',
      egressSelections: [{ name: 'cluster', connection }],
    };
  }

  function authorizers(all: readonly ChainListener[]): JsonObject {
    const webhooks = all.map(({ url, id }) => {
      writeFileSync(file(`authorizer-${id}.yaml`), kubeconfig(url));
      return {
        type: 'Webhook',
        name: `w${id}`,
        webhook: {
          timeout: '5s',
          subjectAccessReviewVersion: 'v1',
          matchConditionSubjectAccessReviewVersion: 'v1',
          failurePolicy: 'NoOpinion',
          authorizedTTL: '1s',
          unauthorizedTTL: '1s',
          connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: file(`authorizer-${id}.yaml`) },
          matchConditions: [{ expression: `request.user == "user-${id}"` }],
        },
      };
    });
    return {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthorizationConfiguration',
      authorizers: [...webhooks, { type: 'RBAC', name: 'rbac' }],
    };
  }

  afterAll(async () => {
    admin.close();
    await server.stop();
    for (const one of [...listeners, changing, auditor, proxy]) one.close();
    rmSync(directory, { recursive: true });
  });

  /** Of every row: what Go says of it as a server, and what was told in the place. */
  async function compared(told: (listener: ChainListener) => Promise<string>): Promise<void> {
    const words = await Promise.all(listeners.map(async (one) => [one.row.name, await told(one)]));
    expect(words).toEqual(rows.map(({ name, server: says }) => [name, timeless(says)]));
  }

  it('has enough of both kinds in the sample', () => {
    expect(rows.length).toBe(ROWS.length);
    expect(clients.length).toBe(CLIENT_ROWS.length);
    expect(rows.filter(({ server: says }) => says === '').length).toBeGreaterThan(15);
    expect(new Set(rows.map(({ server: says }) => says)).size).toBeGreaterThan(10);
    expect(rows.filter(({ client }) => client === '').length).toBeGreaterThan(15);
  });

  it('of a webhook for admission is judged as by Go', async () => {
    const webhooks = listeners.map(({ url, id, row }) => ({
      name: `w${id}.example.com`,
      rules: [CONFIG_MAPS],
      ...{ sideEffects: 'None', admissionReviewVersions: ['v1'] },
      objectSelector: { matchLabels: { chain: id } },
      clientConfig: { url, caBundle: Buffer.from(row.roots).toString('base64') },
    }));
    const metadata = { name: 'chains' };
    const made = await admin.post(ADMISSION, { ...WEBHOOKS, metadata, webhooks });
    expect(made.status).toBe(201);
    await compared(async ({ id }) => {
      const metadata = { name: `chain-${id}`, labels: { chain: id } };
      const map = { kind: 'ConfigMap', apiVersion: 'v1', metadata };
      const { status, body } = await admin.post('/api/v1/namespaces/default/configmaps', map);
      return status === 201 ? '' : words(textAt(body, 'message'));
    });
  });

  it('of a webhook that converts is judged as by Go', async () => {
    await compared(async ({ url, id, row }) => {
      const plural = `chains${id}`;
      await admin.post(DEFINITIONS, definition(plural, url, row));
      const path = `/apis/chains.example.com/v1/${plural}`;
      await eventually(
        `${path} is served`,
        async () => (await admin.get(path)).status === 200 || undefined,
      );
      const chain = {
        kind: `K${id}`,
        apiVersion: 'chains.example.com/v1',
        metadata: { name: 'one' },
      };
      expect((await admin.post(path, chain)).status).toBe(201);
      const { status, body } = await admin.get(`/apis/chains.example.com/v2/${plural}/one`);
      return status === 200 ? '' : words(textAt(body, 'message'));
    });
  });

  it('of a webhook that authorizes is judged as by Go', async () => {
    await compared(async ({ id }) => {
      const spec = { user: `user-${id}`, resourceAttributes: { verb: 'get', resource: 'secrets' } };
      const review = { kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', spec };
      const { body } = await admin.post(ACCESS, review);
      return at(body, 'status', 'allowed') === true
        ? ''
        : words(textAt(body, 'status', 'evaluationError'));
    });
  });

  /** The same of what a server has one of, which shows the chains one after another. */
  async function comparedInTurn(
    listener: ChainListener,
    told: (row: Row) => Promise<string>,
  ): Promise<void> {
    const all: [string, string][] = [];
    for (const row of rows) {
      listener.show(row);
      all.push([row.name, await told(row)]);
    }
    expect(all).toEqual(rows.map(({ name, server: says }) => [name, timeless(says)]));
  }

  it('of a webhook that authenticates is judged as by Go', async () => {
    await comparedInTurn(changing, async ({ name }) => {
      const review = {
        kind: 'TokenReview',
        apiVersion: 'authentication.k8s.io/v1',
        spec: { token: `${TOKEN}${name}` },
      };
      const { body } = await admin.post(`${AUTHENTICATION}/tokenreviews`, review);
      const isKnown = at(body, 'status', 'authenticated') === true;
      return isKnown ? '' : words(textAt(body, 'status', 'error'));
    });
  });

  it('of a webhook of the audit is judged as by Go, in the log of the server', async () => {
    await comparedInTurn(auditor, async () => {
      const [got, said] = [auditor.lists, lost().length];
      expect((await admin.get('/version')).status).toBe(200);
      await eventually('the event has come, or is lost', () =>
        Promise.resolve(auditor.lists > got || lost().length > said || undefined),
      );
      return auditor.lists > got ? '' : words(lost().at(-1) ?? '');
    });
  });

  /** Why events of the audit were lost, one reason for each time. */
  function lost(): string[] {
    const told = server.logs().matchAll(/could not be kept.*?why="((?:[^"\\]|\\.)*)"/g);
    return [...told].map(([, why = '']) => textAt(parseJson(`{"why":"${why}"}`), 'why'));
  }

  it('of a proxy, by which webhooks in the cluster are reached, is judged as by Go', async () => {
    const service = { namespace: 'default', name: 'webhook' };
    const made = { kind: 'Service', apiVersion: 'v1', metadata: service };
    const spec = { ports: [{ port: 443 }] };
    expect((await admin.post(SERVICES, { ...made, spec })).status).toBe(201);
    const webhook = {
      ...{ name: 'proxied.example.com', rules: [CONFIG_MAPS] },
      ...{ sideEffects: 'None', admissionReviewVersions: ['v1'] },
      objectSelector: { matchLabels: { chain: 'proxied' } },
      clientConfig: { service },
    };
    const metadata = { name: 'proxied' };
    const body = { ...WEBHOOKS, metadata, webhooks: [webhook] };
    expect((await admin.post(ADMISSION, body)).status).toBe(201);
    const map = { name: 'proxied', labels: { chain: 'proxied' } };
    await comparedInTurn(proxy, async () => {
      const asked = proxy.tunnels;
      const posted = { kind: 'ConfigMap', apiVersion: 'v1', metadata: map };
      const refused = await admin.post('/api/v1/namespaces/default/configmaps', posted);
      expect(refused.status).toBe(500);
      return proxy.tunnels > asked ? '' : words(textAt(refused.body, 'message'));
    });
  });

  it('of an issuer of OpenID Connect is believed as by Go', async () => {
    const userOf = async (one: ChainListener) => {
      const { status } = await callerOf(server, { token: one.token() }).post(
        `${AUTHENTICATION}/selfsubjectreviews`,
        SELF,
      );
      return status;
    };
    const good = listeners.filter(({ row }) => row.server === '');
    for (const one of good) {
      await eventually(
        `${one.row.name} is believed`,
        async () => (await userOf(one)) === 201 || undefined,
      );
    }
    for (const one of listeners) {
      expect([one.row.name, await userOf(one)]).toEqual([
        one.row.name,
        one.row.server === '' ? 201 : 401,
      ]);
    }
  });

  it.each([
    ['a client', {}, 'leaf'],
    ['a front proxy', { 'X-Remote-User': 'omar' }, 'omar'],
  ])('of %s is believed as by Go', async (_who, headers, user) => {
    const told = await Promise.all(
      listeners.map(async ({ row }) => {
        const { cert: certificate, ...rest } = identityOf(row);
        const identity = { certificate, ...rest };
        const caller = callerOf(server, { identity });
        const { status, body } = await caller.post(
          `${AUTHENTICATION}/selfsubjectreviews`,
          SELF,
          headers,
        );
        return [row.name, status === 201 ? textAt(body, 'status', 'userInfo', 'username') : 'no'];
      }),
    );
    const nameOf = ({ shown: [leaf = ''] }: Row) =>
      user === 'leaf'
        ? (/CN=(.*)/.exec(new X509Certificate(Buffer.from(leaf, 'base64')).subject)?.[1] ?? '')
        : user;
    expect(told).toEqual(rows.map((row) => [row.name, row.client === '' ? nameOf(row) : 'no']));
  });

  it('of a client is answered as by a server of Go, whatever is wrong with it', async () => {
    const all = [...rows, ...clients];
    const { roots = '' } = all[0] ?? {};
    const [ofGo, ofOurs] = await Promise.all([
      codes({ roots, rows: all }),
      codes({ address: new URL(server.url).host, rows: all }),
    ]);
    const answers = new Set(ofGo.flatMap((one) => Object.values(one.codes)));
    expect(answers).toEqual(new Set([0, 200, 401]));
    const differing = all.flatMap(({ name }, index) => {
      const [go = {}, ours = {}] = [ofGo[index]?.codes, ofOurs[index]?.codes];
      // Where Go ends the handshake, a client of ours is refused there, or by the answer.
      const isSame = Object.keys(go).every((way) =>
        go[way] === 0 ? ours[way] !== 200 : ours[way] === go[way],
      );
      return isSame ? [] : [name];
    });
    expect(differing.filter((name) => !REFUSED_BY_OPENSSL.includes(name))).toEqual([]);
    const believed = differing.filter((name) => {
      const ours = Object.values(ofOurs[all.findIndex((row) => row.name === name)]?.codes ?? {});
      return ours.includes(200);
    });
    expect(believed).toEqual([]);
  });
});

/** What became of a chain, by how it was shown: the code of an answer, 0 where the connection ended. */
interface Shown {
  readonly name: string;
  readonly codes: Readonly<Record<string, number>>;
}

/** The oracle as a client, beside a server that goes on meanwhile. */
async function codes(showing: object): Promise<readonly Shown[]> {
  const program = await oracleBinary(join(import.meta.dirname, ORACLE), 'program');
  const input = `${JSON.stringify({ now: Date.now(), showing })}\n`;
  const { code, stdout, stderr } = await run(program, [], { input });
  if (code !== 0) throw new Error(`the oracle failed: ${stderr}`);
  const answer = parseJson(stdout) as { readonly shown: readonly Shown[] } & JsonObject; // Its own.
  return answer.shown;
}

const CONFIG_MAPS = {
  operations: ['CREATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
};
const WEBHOOKS = {
  kind: 'ValidatingWebhookConfiguration',
  apiVersion: 'admissionregistration.k8s.io/v1',
};
const POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', nonResourceURLs: ['/version'] }, { level: 'None' }],
};

/** What tokens of the webhook begin with. */
const TOKEN = 'chain-';
const SELF = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };

/** Go's words in what a client is told, without the time at which they were said. */
function words(message: string): string {
  return timeless(/: (tls: .*)$/s.exec(message)?.[1] ?? `other words: ${message}`);
}

function timeless(said: string): string {
  return said.replace(/current time \S+/, 'current time NOW');
}

function definition(plural: string, url: string, { roots }: Row): JsonObject {
  const schema = { openAPIV3Schema: { type: 'object' } };
  const kind = plural.replace('chains', 'K');
  return {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: `${plural}.chains.example.com` },
    spec: {
      group: 'chains.example.com',
      scope: 'Cluster',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: ['v1', 'v2'].map((name) => ({
        name,
        served: true,
        storage: name === 'v1',
        schema,
      })),
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { url, caBundle: Buffer.from(roots).toString('base64') },
        },
      },
    },
  };
}

function issuers(all: readonly ChainListener[], certificateAuthority: string): JsonObject {
  return {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    anonymous: { enabled: false },
    jwt: all.map(({ url }) => ({
      issuer: { url, audiences: ['us'], certificateAuthority },
      claimMappings: { username: { claim: 'sub', prefix: '' } },
    })),
  };
}

const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A server that shows a chain: a webhook of every kind, an issuer, and a proxy that knows no way. */
class ChainListener {
  static #count = 0;
  readonly id: string;
  readonly url: string;
  row: Row;
  /** Lists of audit events that came. */
  lists = 0;
  /** Tunnels that it was asked for. */
  tunnels = 0;
  readonly #server: Server;

  private constructor(row: Row, server: Server) {
    this.id = String((ChainListener.#count += 1));
    this.row = row;
    this.#server = server;
    this.url = `https://${HOST}:${String((server.address() as AddressInfo).port)}`; // It listens on TCP.
  }

  static async showing(row: Row): Promise<ChainListener> {
    const server = createServer(identityOf(row));
    server.listen(0);
    await once(server, 'listening');
    const listener = new ChainListener(row, server);
    server.on('request', (request, response) => {
      listener.#answer(request, response);
    });
    server.on('connect', (_request, socket) => {
      listener.tunnels += 1;
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    return listener;
  }

  /** From the next connection on. */
  show(row: Row): void {
    this.row = row;
    this.#server.setSecureContext(identityOf(row));
    this.#server.closeAllConnections();
  }

  token(): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const seconds = Math.floor(Date.now() / 1000);
    const claims = { iss: this.url, aud: 'us', sub: 'jane', iat: seconds - 60, exp: seconds + 600 };
    const signed = `${part({ alg: 'RS256', kid: 'k' })}.${part(claims)}`;
    return `${signed}.${sign('sha256', Buffer.from(signed), KEY.privateKey).toString('base64url')}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('Content-Type', 'application/json');
      response.setHeader('Connection', 'close');
      const text = Buffer.concat(chunks).toString();
      if (text.startsWith('{"kind":"EventList"')) this.lists += 1;
      const said =
        text === '' ? this.#known(request.url ?? '') : answerTo(parseJson(text) as JsonObject);
      response.end(JSON.stringify(said));
    });
  }

  #known(path: string): object {
    if (path !== '/.well-known/openid-configuration') {
      return {
        keys: [{ ...KEY.publicKey.export({ format: 'jwk' }), kid: 'k', use: 'sig', alg: 'RS256' }],
      };
    }
    return {
      issuer: this.url,
      jwks_uri: `${this.url}/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
      subject_types_supported: ['public'],
      response_types_supported: ['id_token'],
    };
  }
}

/** Yes to everything but tokens that others know. */
function answerTo({ kind, apiVersion, request, spec }: JsonObject): object {
  const uid = at(request ?? {}, 'uid');
  switch (kind) {
    case 'AdmissionReview':
      return { kind, apiVersion, response: { uid, allowed: true } };
    case 'ConversionReview': {
      const objects = at(request ?? {}, 'objects') as JsonObject[];
      const desired = at(request ?? {}, 'desiredAPIVersion');
      const convertedObjects = objects.map((one) => ({ ...one, apiVersion: desired }));
      return {
        kind,
        apiVersion,
        response: { uid, result: { status: 'Success' }, convertedObjects },
      };
    }
    case 'SubjectAccessReview':
      return { kind, apiVersion, status: { allowed: true } };
    default: {
      // Those of issuers are none of its business.
      const isKnown = textAt(spec ?? {}, 'token').startsWith(TOKEN);
      const status = isKnown ? { authenticated: true, user: { username: 'jane' } } : {};
      return { kind, apiVersion, status };
    }
  }
}

function identityOf({ shown, key }: Row): { cert: string; key: string; ciphers: string } {
  const block = (label: string, base64: string) =>
    `-----BEGIN ${label}-----\n${(base64.match(/.{1,64}/g) ?? []).join('\n')}\n-----END ${label}-----\n`;
  return {
    cert: shown.map((one) => block('CERTIFICATE', one)).join(''),
    key: block('PRIVATE KEY', key),
    // OpenSSL shows no weak certificate else.
    ciphers: 'DEFAULT@SECLEVEL=0',
  };
}
