/** Reads the files that the flags for Kafka name: how brokers are known to us, and we to them. */
import { readFile } from 'node:fs/promises';
import type { KafkaSasl, KafkaTls } from '../../../streams/kafka/kafka-options.ts';
import type { KafkaSettings } from '../../flags/sections/kafka-settings.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';

/** undefined: no TLS. @throws StartupError */
export async function kafkaTls(options: KafkaSettings): Promise<KafkaTls | undefined> {
  const { kafkaTlsCaFile, kafkaTlsCertFile, kafkaTlsKeyFile, kafkaTlsServerName } = options;
  const given = [kafkaTlsCaFile, kafkaTlsCertFile, kafkaTlsServerName];
  if (!options.kafkaTls && given.every((one) => one === undefined)) return undefined;
  return {
    ca: await textOf('--kafka-tls-ca-file', kafkaTlsCaFile),
    cert: await textOf('--kafka-tls-cert-file', kafkaTlsCertFile),
    key: await textOf('--kafka-tls-key-file', kafkaTlsKeyFile),
    servername: kafkaTlsServerName,
  };
}

/** undefined: the brokers ask for no name. @throws StartupError */
export async function kafkaSasl(options: KafkaSettings): Promise<KafkaSasl | undefined> {
  const { kafkaSaslMechanism: mechanism, kafkaSaslTokenFile: tokenFile } = options;
  if (mechanism === undefined) return undefined;
  if (mechanism === 'oauthbearer') {
    const token = async (): Promise<string> =>
      ((await textOf('--kafka-sasl-token-file', tokenFile)) ?? '').trim();
    // What cannot be read is told now, and not when a connection fails.
    await token();
    return { mechanism, token };
  }
  const password = await textOf('--kafka-sasl-password-file', options.kafkaSaslPasswordFile);
  return {
    mechanism,
    username: options.kafkaSaslUsername ?? '',
    password: (password ?? '').replace(/\r?\n$/, ''),
  };
}

async function textOf(flag: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new StartupError(`cannot read ${flag} ${path}: ${systemProblem(error)}`, {
      cause: error,
    });
  }
}
