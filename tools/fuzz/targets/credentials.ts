/** What proves which user a client is: keys, certificates, requests for them, and tokens of issuers. */
import { createHash, createPublicKey, sign, X509Certificate } from 'node:crypto';
import {
  requestProblem,
  requestSubject,
} from '../../../api/kinds/certificates/certificate-request.ts';
import { chainProblem } from '../../../api/kinds/certificates/certificatesigningrequests/validation.ts';
import { caBundleProblem } from '../../../api/kinds/apiextensions/customresourcedefinitions/conversion-validation.ts';
import { AuthorityPool, certificatesIn } from '../../../actors/authentication/authority-pool.ts';
import {
  signingKeyIn,
  verificationKeysIn,
} from '../../../actors/authentication/jwt/signature-key.ts';
import { readAuthenticationConfiguration } from '../../../actors/authentication/oidc/authentication-configuration.ts';
import { judgeConfiguration } from '../../../actors/authentication/oidc/configuration-validation.ts';
import { jwtAuthenticator } from '../../../actors/authentication/oidc/jwt-authenticator.ts';
import type { FetchedDocument } from '../../../actors/authentication/oidc/issuer-keys.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import { isJsonObject } from '../../../api/json/json.ts';
import { pairProblem } from '../../../gateway/listener/tls/certificate-pair.ts';
import {
  AUTHORITY_DER,
  AUTHORITY_PEM,
  CERTIFICATE_DER,
  CERTIFICATE_KEY_PEM,
  CERTIFICATE_PEM,
  CERTIFICATES_AT,
  KEY_FILES,
  pemOf,
  REQUEST_DER,
  SIGNING_KEY,
} from '../credential-seeds.ts';
import {
  decodedBy,
  holds,
  partsOf,
  prototypesAreUntouched,
  seedOfParts,
  textOf,
  type FuzzTarget,
} from '../fuzz-target.ts';
import { jsonOf } from '../target-values.ts';

const DER_SEQUENCE = 0x30;
const PEM_WORDS = [
  '-----BEGIN ', '-----END ', '-----\n', 'CERTIFICATE-----', 'PRIVATE KEY-----', 'Proc-Type: 4,ENCRYPTED\n', '=', '\r\n', '\x30\x82',
  '\x06\x03\x55\x04\x03', '\x1e\x03', '\x0c\x04', '\x30\x80', '\x84\xff\xff\xff\xff', '\x06\x09',
]; // prettier-ignore

/** What is DER gets its PEM here, since chance does not reach it through base64: of one type of several. */
function pemIn(input: Uint8Array, types: readonly string[]): string {
  if (input[0] !== DER_SEQUENCE) return textOf(input);
  return pemOf(types[input.length % types.length] ?? '', input);
}

const DATA = Buffer.from('data');
const KEY_TYPES = ['PRIVATE KEY', 'PUBLIC KEY', 'RSA PUBLIC KEY', 'EC PRIVATE KEY', 'CERTIFICATE'];

function derOf(pem: string | Buffer): Buffer {
  return Buffer.from(pem.toString().replaceAll(/-----.*-----/g, ''), 'base64');
}

/** The files of keys of service accounts. */
const pemKeys: FuzzTarget = {
  seeds: [...KEY_FILES, ...KEY_FILES.map(derOf), KEY_FILES.join('\n')],
  dictionary: PEM_WORDS,
  stretchedBytesMax: 256 * 1024,
  run(input) {
    const pem = pemIn(input, KEY_TYPES);
    for (const key of verificationKeysIn(pem)) {
      holds(!key.verifies(DATA, Buffer.alloc(64)), 'zeros are no signature');
      holds(isJsonObject(key.publicJwk), 'a key can be shown');
    }
    const signing = signingKeyIn(pem);
    if (signing === undefined) return;
    const signature = signing.sign(DATA);
    holds(signing.verification.verifies(DATA, signature), 'what a key signs it verifies');
  },
};

const CLOCK = { now: () => CERTIFICATES_AT, after: () => () => undefined };
const AUTHORITIES = new AuthorityPool(AUTHORITY_PEM, CLOCK);
const KNOWN_KEYS = [AUTHORITY_DER, CERTIFICATE_DER].map((der) =>
  fingerprintOf(new X509Certificate(der)),
);

function fingerprintOf({ publicKey }: X509Certificate): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

const SHOWN = { commonName: '', organizations: [] };

/** What a client shows, what a signer has written, and the bundles that operators hand in. */
const certificates: FuzzTarget = {
  seeds: [
    CERTIFICATE_PEM + AUTHORITY_PEM,
    AUTHORITY_PEM,
    AUTHORITY_DER,
    CERTIFICATE_DER,
    `# comment\n${CERTIFICATE_PEM.replaceAll('\n', '\r\n')}`,
  ],
  dictionary: PEM_WORDS,
  stretchedBytesMax: 256 * 1024,
  run(input) {
    const pem = pemIn(input, ['CERTIFICATE']);
    chainProblem(pem);
    pairProblem({ certificate: pem, key: CERTIFICATE_KEY_PEM });
    const problem = caBundleProblem(Buffer.from(pem).toString('base64'));
    const found = decodedBy([Error], () => certificatesIn(pem));
    if (found === undefined || found.length === 0) return;
    holds(problem !== '', 'a refusal says why');
    const pool = new AuthorityPool(pem, CLOCK);
    pool.problemOf({ ...SHOWN, raw: CERTIFICATE_DER });
    const intermediates = (): readonly Uint8Array[] => found.map(({ raw }) => raw);
    AUTHORITIES.problemOf({ ...SHOWN, raw: CERTIFICATE_DER, intermediates });
    for (const one of found) {
      const isBelieved = AUTHORITIES.problemOf({ ...SHOWN, raw: one.raw, intermediates }) === '';
      holds(
        !isBelieved || KNOWN_KEYS.includes(fingerprintOf(one)),
        'only what was signed is believed',
      );
    }
  },
};

const SUBJECT = JSON.stringify(requestSubject(pemInSpec(REQUEST_DER)));

function pemInSpec(der: Uint8Array): string {
  return Buffer.from(pemOf('CERTIFICATE REQUEST', der)).toString('base64');
}

/** The same bytes but for one part of them. */
function changed(from: string, to: string): Buffer {
  return Buffer.from(REQUEST_DER.toString('hex').replace(from, to), 'hex');
}

const certificateRequests: FuzzTarget = {
  seeds: [
    REQUEST_DER,
    pemOf('CERTIFICATE REQUEST', REQUEST_DER),
    // The name as a text of two bytes for each character, and a signature of another kind.
    changed('0c046a616e65', '1e046a616e65'),
    changed('300506032b6570034100', '300506032a8648034100'),
  ],
  dictionary: PEM_WORDS,
  stretchedBytesMax: 256 * 1024,
  run(input) {
    const pem = pemIn(input, ['CERTIFICATE REQUEST']);
    const problem = requestProblem(pem);
    const read = requestSubject(Buffer.from(pem).toString('base64'));
    holds(problem !== '', 'a refusal says why');
    if (problem === undefined) {
      holds(JSON.stringify(read) === SUBJECT, 'only what was signed is believed');
    }
  },
};

const ISSUER = 'https://issuer.example';
const KEYS_AT = `${ISSUER}/keys`;
const NOW = Date.parse('2026-11-22T10:00:00Z');
const KEY_SET = JSON.stringify({
  keys: [
    {
      ...createPublicKey(SIGNING_KEY).export({ format: 'jwk' }),
      kid: 'k',
      use: 'sig',
      alg: 'ES256',
    },
  ],
});

/** Each with expressions, or with names of claims. */
const ISSUERS = [
  {
    username: { claim: 'sub', prefix: 'x:' },
    groups: { claim: 'groups', prefix: 'x:' },
    uid: { claim: 'uid' },
  },
  {
    username: { expression: 'claims.sub + claims.?name.orValue("")' },
    groups: { expression: 'dyn(claims.groups).map(g, "x:" + string(g))' },
    uid: { expression: 'string(claims.exp)' },
    extra: [{ key: 'example.com/all', valueExpression: 'claims.scopes' }],
  },
].map((claimMappings) => {
  const read = readAuthenticationConfiguration({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: { url: ISSUER, audiences: ['us', 'them'], audienceMatchPolicy: 'MatchAny' },
        claimMappings,
        userValidationRules: [{ expression: 'user.username != "root"', message: 'no' }],
      },
    ],
  });
  if (!read.ok) throw new Error(read.problem);
  const { errors, expressions } = judgeConfiguration(read.configuration, []);
  const [configuration] = read.configuration.jwt;
  const [compiled] = expressions;
  if (errors.length > 0 || configuration === undefined || compiled === undefined) {
    throw new Error(JSON.stringify(errors));
  }
  return { configuration, expressions: compiled };
});

function fetching(keySet: string) {
  return (url: string): Promise<FetchedDocument> => {
    const isKeys = url === KEYS_AT;
    const text = isKeys ? keySet : JSON.stringify({ issuer: ISSUER, jwks_uri: KEYS_AT });
    return Promise.resolve({ ok: true, code: 200, text });
  };
}

function issuersWith(keySet: string) {
  const failed = (): void => undefined;
  const parts = {
    clock: { ...CLOCK, now: () => NOW },
    fetch: fetching(keySet),
    failed,
    algorithms: ['ES256'],
  };
  return ISSUERS.map(({ configuration, expressions }) => {
    const issuer = jwtAuthenticator(configuration, expressions, parts);
    issuer.start();
    return issuer;
  });
}

const KNOWN_ISSUERS = issuersWith(KEY_SET);

/** Header and payload, which are signed here, and the keys of the issuer. */
const idTokens: FuzzTarget = {
  seeds: [
    seedOfParts(
      '{"alg":"ES256","kid":"k"}',
      `{"iss":"${ISSUER}","aud":"us","sub":"jane","exp":1795428060,"nbf":0,"groups":["a","b"],"uid":"u","jti":"j","scopes":["s"]}`,
    ),
    seedOfParts(
      '{"alg":"ES256"}',
      `{"iss":"${ISSUER}","aud":["other","them"],"sub":"jane","exp":1e300,"groups":"a","uid":"u","scopes":"s","_claim_names":{"groups":"src"},"_claim_sources":{"src":{"endpoint":"${ISSUER}/claims"}}}`,
    ),
    seedOfParts(
      '{"alg":"ES256","kid":"k","crit":["b64"]}',
      `{"iss":"${ISSUER}","aud":"us","sub":"a","exp":-1e300,"nbf":1e300,"groups":[1,null],"uid":{}}`,
      KEY_SET,
    ),
    seedOfParts(
      '{"alg":"none"}',
      `{"iss":"${ISSUER}","aud":"us"}`,
      '{"keys":[{"kty":"oct","k":"AA"},null,[]]}',
    ),
  ],
  dictionary: [
    '"alg":"', '"kid":"k"', '"crit":["exp"]', '"b64":false', '"jwk":{', '"exp":', '"nbf":', '"aud":["us"]', '"groups":', '"sub":',
    '"_claim_names":{"groups":"', '"_claim_sources":{"', '"endpoint":"', '"JWT":"', '"email_verified":', '"__proto__":', '"use":"enc"',
    '"kty":"RSA","n":"AQAB","e":"AQAB"', '1e400', '"__dot__":',
  ], // prettier-ignore
  bytesMax: 1_024,
  async run(input) {
    const [header = '', payload = '', keySet = ''] = partsOf(input, 3);
    const token = signedToken(header, payload);
    const issuers = keySet === '' ? KNOWN_ISSUERS : issuersWith(keySet);
    // Where its keys are is learned before a client asks.
    for (let turn = 0; turn < 8 && issuers.some(({ isReady }) => !isReady); turn += 1) {
      await Promise.resolve();
    }
    for (const issuer of issuers) {
      const { verdict, ...more } = await issuer.authenticateToken(token);
      if (verdict === 'identified') isOfWhomItWasIssuedTo(jsonOf(payload), more);
    }
    prototypesAreUntouched();
  },
};

function isOfWhomItWasIssuedTo(claims: unknown, more: object): void {
  const { iss, exp } = isJsonObject(claims as JsonObject) ? (claims as JsonObject) : {};
  holds(iss === ISSUER, 'a user is of his issuer');
  holds(typeof exp === 'number' && exp * 1_000 >= NOW, 'a token that has expired names no user');
  holds(
    'user' in more && isJsonObject(more.user as JsonObject),
    'a client that is known has a user',
  );
}

function signedToken(header: string, payload: string): string {
  const encode = (text: string): string => Buffer.from(text).toString('base64url');
  const signed = `${encode(header)}.${encode(payload)}`;
  const key = { key: SIGNING_KEY, dsaEncoding: 'ieee-p1363' } as const;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  'pem-keys': pemKeys,
  certificates,
  'certificate-requests': certificateRequests,
  'id-tokens': idTokens,
};
