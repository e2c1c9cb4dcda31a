/** What a server can be told about the log, and Kafka in particular: the table of its flags. */
import type { KafkaSasl } from '../../../streams/kafka/kafka-options.ts';
import { parseBoolean, parseText, parseTimeout, quoted } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';
import { StartupError } from '../../process/startup-error.ts';

/** Where the log is. */
export type LogAddress =
  | { readonly engine: 'embedded' }
  | { readonly engine: 'kafka'; readonly brokers: readonly string[]; readonly topic: string };

export type SaslMechanism = KafkaSasl['mechanism'];

export interface KafkaSettings {
  readonly address: LogAddress;
  readonly kafkaClientId: string;
  readonly kafkaTls: boolean;
  readonly kafkaTlsCaFile: string | undefined;
  readonly kafkaTlsCertFile: string | undefined;
  readonly kafkaTlsKeyFile: string | undefined;
  readonly kafkaTlsServerName: string | undefined;
  readonly kafkaSaslMechanism: SaslMechanism | undefined;
  readonly kafkaSaslUsername: string | undefined;
  readonly kafkaSaslPasswordFile: string | undefined;
  readonly kafkaSaslTokenFile: string | undefined;
  readonly kafkaConnectionTimeoutMs: number;
  readonly kafkaRequestTimeoutMs: number;
  readonly kafkaReplicationFactor: number | 'auto';
}

export const KAFKA_SETTINGS: SettingsOf<KafkaSettings> = {
  address: {
    flag: 'log',
    placeholder: 'WHERE',
    help: 'embedded: in the data directory; or a Kafka topic that several servers share: kafka://HOST:9092,HOST:9092/TOPIC',
    takes: 'text',
    default: 'embedded',
    parse: parseLogAddress,
  },
  kafkaClientId: {
    flag: 'kafka-client-id',
    placeholder: 'NAME',
    help: 'what the brokers call this server in their logs and quotas',
    takes: 'text',
    default: 'everwatch',
    parse: parseText,
  },
  kafkaTls: {
    flag: 'kafka-tls',
    placeholder: 'BOOLEAN',
    help: 'whether to speak TLS with the brokers; implied by the other kafka-tls flags',
    takes: 'boolean',
    default: 'false',
    parse: parseBoolean,
  },
  kafkaTlsCaFile: {
    flag: 'kafka-tls-ca-file',
    placeholder: 'FILE',
    help: "PEM certificates of the brokers' authority; those of the system when it is not given",
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  kafkaTlsCertFile: {
    flag: 'kafka-tls-cert-file',
    placeholder: 'FILE',
    help: 'PEM certificate to show to the brokers (mTLS)',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  kafkaTlsKeyFile: {
    flag: 'kafka-tls-key-file',
    placeholder: 'FILE',
    help: 'PEM private key that belongs to --kafka-tls-cert-file',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  kafkaTlsServerName: {
    flag: 'kafka-tls-server-name',
    placeholder: 'NAME',
    help: "the name in the brokers' certificates, where it is not their host's",
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  kafkaSaslMechanism: {
    flag: 'kafka-sasl-mechanism',
    placeholder: 'WHICH',
    help: 'plain, scram-sha-256, scram-sha-512 or oauthbearer',
    takes: 'text',
    default: undefined,
    parse: parseSaslMechanism,
  },
  kafkaSaslUsername: {
    flag: 'kafka-sasl-username',
    placeholder: 'NAME',
    help: 'for plain and scram',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  kafkaSaslPasswordFile: {
    flag: 'kafka-sasl-password-file',
    placeholder: 'FILE',
    help: 'for plain and scram: the password, alone in a file',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  kafkaSaslTokenFile: {
    flag: 'kafka-sasl-token-file',
    placeholder: 'FILE',
    help: 'for oauthbearer: the token, alone in a file, which is read anew for each connection',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  kafkaConnectionTimeoutMs: {
    flag: 'kafka-connection-timeout',
    placeholder: 'DURATION',
    help: 'how long a broker may take to let us in',
    takes: 'text',
    default: '2s',
    parse: parseTimeout,
  },
  kafkaRequestTimeoutMs: {
    flag: 'kafka-request-timeout',
    placeholder: 'DURATION',
    help: 'a broker that takes longer to answer is taken to hang, and another is asked',
    takes: 'text',
    default: '2s',
    parse: parseTimeout,
  },
  kafkaReplicationFactor: {
    flag: 'kafka-replication-factor',
    placeholder: 'NUMBER',
    help: 'of the topic, when it is made; auto is 3 where there are three brokers, else 1',
    takes: 'text',
    default: 'auto',
    parse: parseReplicationFactor,
  },
};

const TOPIC_LENGTH_MAX = 249;

export function parseLogAddress(text: string): LogAddress {
  if (text === 'embedded') return { engine: 'embedded' };
  const match = /^kafka:\/\/([^/]+)\/([A-Za-z0-9._-]+)$/.exec(text);
  const brokers = (match?.[1] ?? '').split(',').filter((one) => one !== '');
  const topic = match?.[2];
  const areBrokers = brokers.length > 0 && brokers.every((one) => BROKER.test(one));
  const isTopic = topic !== undefined && topic.length <= TOPIC_LENGTH_MAX && !/^\.\.?$/.test(topic);
  if (!isTopic || !areBrokers) {
    throw new StartupError(
      `must be embedded or kafka://HOST:PORT,HOST:PORT/TOPIC, not ${quoted(text)}`,
    );
  }
  return { engine: 'kafka', brokers, topic };
}

const BROKER = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/;

function parseSaslMechanism(text: string): SaslMechanism {
  switch (text) {
    case 'plain':
    case 'scram-sha-256':
    case 'scram-sha-512':
    case 'oauthbearer':
      return text;
    default:
      throw new StartupError(
        `must be plain, scram-sha-256, scram-sha-512 or oauthbearer, not ${quoted(text)}`,
      );
  }
}

function parseReplicationFactor(text: string): number | 'auto' {
  if (text === 'auto') return 'auto';
  if (!/^[1-9]\d{0,2}$/.test(text)) {
    throw new StartupError(`must be auto or a number of brokers, not ${quoted(text)}`);
  }
  return Number(text);
}

/** @throws StartupError when flags do not fit together. */
export function checkKafkaOptions(options: KafkaSettings): void {
  if ((options.kafkaTlsCertFile === undefined) !== (options.kafkaTlsKeyFile === undefined)) {
    throw new StartupError(
      '--kafka-tls-cert-file and --kafka-tls-key-file belong together: give both',
    );
  }
  const { kafkaSaslMechanism: mechanism } = options;
  const hasPassword =
    options.kafkaSaslUsername !== undefined && options.kafkaSaslPasswordFile !== undefined;
  if (mechanism === 'oauthbearer' && options.kafkaSaslTokenFile === undefined) {
    throw new StartupError('--kafka-sasl-mechanism oauthbearer needs --kafka-sasl-token-file');
  }
  if (mechanism !== undefined && mechanism !== 'oauthbearer' && !hasPassword) {
    throw new StartupError(
      `--kafka-sasl-mechanism ${mechanism} needs --kafka-sasl-username and --kafka-sasl-password-file`,
    );
  }
}
