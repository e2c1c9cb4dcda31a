/** What a server can be told about TLS on its port. Values and errors are kube-apiserver's. */
import { join } from 'node:path';

import { namedPairFiles, type NamedPairFiles } from '../../listener/tls/named-pairs.ts';
import {
  choicesProblem,
  CIPHER_SUITES,
  INSECURE_CIPHER_SUITES,
  PREFERRED_CIPHER_SUITES,
  TLS_CURVES,
  TLS_VERSIONS,
  type TlsChoices,
} from '../../listener/tls/tls-choices.ts';
import { parseText } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';
import { StartupError } from '../../process/startup-error.ts';

export interface TlsSettings extends TlsChoices {
  /** Either both are given or neither. */
  readonly tlsCertFile: string | undefined;
  readonly tlsPrivateKeyFile: string | undefined;
  readonly certDir: string | undefined;
  readonly tlsSniCertKey: readonly NamedPairFiles[];
}

const CURVE_MAX = 65_535;
/** What ParseInt of Go takes with base 0, without the forms that no command line has. */
const INT32 = /^[+-]?(?:0x[0-9a-f]+|[0-9]+)$/i;
const PAIR_NAME = 'apiserver';

export const TLS_SETTINGS: SettingsOf<TlsSettings> = {
  tlsCertFile: {
    flag: 'tls-cert-file',
    placeholder: 'FILE',
    help: 'PEM certificate (and chain) to serve with; made by ourselves when it is not given',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  tlsPrivateKeyFile: {
    flag: 'tls-private-key-file',
    placeholder: 'FILE',
    help: 'PEM private key that belongs to --tls-cert-file',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  certDir: {
    flag: 'cert-dir',
    placeholder: 'DIR',
    help: 'serve with apiserver.crt and apiserver.key of this directory; without them the server writes its own there. Ignored where --tls-cert-file is given',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  tlsSniCertKey: {
    flag: 'tls-sni-cert-key',
    placeholder: 'CERT,KEY[:NAME,…]',
    help: 'another certificate for clients that ask for one of the names, which may begin with "*.", or that name no host and connect to an address among them; without names for the host names of the certificate. May be given several times',
    takes: 'list',
    form: 'whole',
    default: [],
    parse: (texts) => texts.map(namedPairFiles),
  },
  tlsMinVersion: {
    flag: 'tls-min-version',
    placeholder: 'VERSION',
    help: `the lowest version of TLS: ${[...TLS_VERSIONS.keys()].join(', ')}`,
    takes: 'text',
    default: 'VersionTLS12',
    parse: parseVersion,
  },
  tlsCipherSuites: {
    flag: 'tls-cipher-suites',
    placeholder: 'NAME,…',
    help: `cipher suites below TLS 1.3; without the flag those of Node. ${PREFERRED_CIPHER_SUITES.join(', ')}; insecure: ${INSECURE_CIPHER_SUITES.join(', ')}`,
    takes: 'list',
    default: [],
    parse: parseCipherSuites,
  },
  tlsCurvePreferences: {
    flag: 'tls-curve-preferences',
    placeholder: 'NUMBER,…',
    help: `key exchange, by the numbers of Go's CurveID, in any order: ${[...TLS_CURVES].map(([number, name]) => `${String(number)} (${name})`).join(', ')}`,
    takes: 'list',
    default: [],
    parse: parseCurves,
  },
};

/** @throws StartupError where TLS cannot be as it is chosen. */
export function checkTlsOptions(options: TlsSettings): void {
  if ((options.tlsCertFile === undefined) !== (options.tlsPrivateKeyFile === undefined)) {
    throw new StartupError('--tls-cert-file and --tls-private-key-file belong together: give both');
  }
  const problem = choicesProblem(options);
  if (problem !== undefined) throw new StartupError(problem);
}

/** `--cert-dir` as the two files in it; it counts for nothing where others are named. */
export function servingFiles<Options extends TlsSettings>(options: Options): Options {
  const { certDir, tlsCertFile } = options;
  if (certDir === undefined) return options;
  if (tlsCertFile !== undefined) return { ...options, certDir: undefined };
  return {
    ...options,
    tlsCertFile: join(certDir, `${PAIR_NAME}.crt`),
    tlsPrivateKeyFile: join(certDir, `${PAIR_NAME}.key`),
  };
}

/** Those of the chosen cipher suites that an operator is warned of. */
export function insecureCipherSuites({ tlsCipherSuites }: TlsChoices): string[] {
  return tlsCipherSuites.filter((suite) => INSECURE_CIPHER_SUITES.includes(suite));
}

function parseVersion(text: string): TlsChoices['tlsMinVersion'] {
  const version = TLS_VERSIONS.get(text === '' ? 'VersionTLS12' : text);
  if (version === undefined) throw new StartupError(`unknown tls version ${JSON.stringify(text)}`);
  return version;
}

function parseCipherSuites(texts: readonly string[]): readonly string[] {
  const unknown = texts.find((text) => !CIPHER_SUITES.has(text));
  if (unknown === undefined) return texts;
  throw new StartupError(`Cipher suite ${unknown} not supported or doesn't exist`);
}

function parseCurves(texts: readonly string[]): readonly number[] {
  const numbers = texts.map((text) => {
    if (INT32.test(text)) return Number(text);
    throw new StartupError(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  });
  for (const [at, number] of numbers.entries()) {
    const problem = curveProblem(number, numbers.slice(0, at));
    if (problem !== undefined) throw new StartupError(problem);
  }
  return numbers;
}

function curveProblem(number: number, before: readonly number[]): string | undefined {
  const one = `curve preference ${String(number)}`;
  if (number <= 0 || number > CURVE_MAX) {
    return `${one} is out of range (must be 1-${String(CURVE_MAX)})`;
  }
  if (before.includes(number)) return `duplicate curve preference ${String(number)}`;
  return TLS_CURVES.has(number) ? undefined : `${one} is not supported by the current Go version`;
}
