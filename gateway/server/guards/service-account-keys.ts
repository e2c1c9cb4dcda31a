/**
 * The keys of service account tokens: from the files that were named, or our own.
 *
 * Our own is made of the authority's private key, on the first start, and kept beside it as
 * `pki/sa.key`. So all servers of a control plane have the same one, since they share the authority.
 */
import { createECDH, createPrivateKey, hkdfSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyRing } from '../../../actors/authentication/jwt/key-ring.ts';
import {
  signingKeyIn,
  verificationKeysIn,
  type SigningKey,
} from '../../../actors/authentication/jwt/signature-key.ts';
import { readAuthority, writePrivateFile } from '../../listener/tls/self-signed.ts';
import type { AuthenticationSettings } from '../../flags/sections/authentication-settings.ts';
import { StartupError, systemProblem, readIfThere } from '../../process/startup-error.ts';

export interface SigningKeyOptions extends Pick<
  AuthenticationSettings,
  'serviceAccountSigningKeyFile' | 'serviceAccountKeyFile' | 'serviceAccountSigningEndpoint'
> {
  readonly dataDir: string;
}

/** @throws StartupError that names the file and what is wrong with it. */
export async function fillKeyRing(ring: KeyRing, options: SigningKeyOptions): Promise<void> {
  const { dataDir, serviceAccountSigningKeyFile: file, serviceAccountKeyFile: more } = options;
  // An external signer signs, and its keys are in the ring already.
  if (options.serviceAccountSigningEndpoint !== undefined) return;
  const signing = file === undefined ? await ownKey(dataDir) : await signingKeyFrom(file);
  const others = await Promise.all(more.map((path) => verificationKeysFrom(path)));
  ring.fill(signing, [signing.verification, ...others.flat()]);
}

async function signingKeyFrom(path: string): Promise<SigningKey> {
  const key = signingKeyIn(await readPem('--service-account-signing-key-file', path));
  if (key !== undefined) return key;
  throw new StartupError(
    `--service-account-signing-key-file ${path}: no RSA or ECDSA private key in it`,
  );
}

async function verificationKeysFrom(path: string) {
  const keys = verificationKeysIn(await readPem('--service-account-key-file', path));
  if (keys.length > 0) return keys;
  throw new StartupError(`--service-account-key-file ${path}: no RSA or ECDSA key in it`);
}

async function readPem(flag: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new StartupError(`cannot read ${flag} ${path}: ${systemProblem(error)}`, {
      cause: error,
    });
  }
}

async function ownKey(dataDir: string): Promise<SigningKey> {
  const path = join(dataDir, 'pki', 'sa.key');
  const kept = await readIfThere(path);
  const pem = kept ?? (await derivedKey(dataDir));
  const key = signingKeyIn(pem);
  if (key === undefined) {
    throw new StartupError(`${path} is no private key: put it back, or remove it`);
  }
  if (kept === undefined) await writePrivateFile(path, pem);
  return key;
}

const SCALAR_BYTES = 48;
/** Of the curve P-256: how many points there are. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** PEM of a key on P-256. */
async function derivedKey(dataDir: string): Promise<string> {
  const authority = await readAuthority(dataDir);
  if (authority === undefined) throw new Error('there is no authority to make a key of');
  const secret = createPrivateKey(authority.key).export({ type: 'pkcs8', format: 'der' });
  const bytes = hkdfSync('sha256', secret, '', 'everwatch service account tokens', SCALAR_BYTES);
  // More bytes than the scalar has, so that none is likelier than another; and never 0.
  const scalar = (BigInt(`0x${Buffer.from(bytes).toString('hex')}`) % (ORDER - 1n)) + 1n;
  const d = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(d);
  const point = curve.getPublicKey();
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    d: d.toString('base64url'),
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
