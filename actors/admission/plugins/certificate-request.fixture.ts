/** A request for a certificate with a subject, and a signature that is not checked. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

function attribute(last: number, value: string): Buffer {
  const identifier = der(0x06, Buffer.from([0x55, 0x04, last]));
  return der(0x31, der(0x30, identifier, der(0x0c, Buffer.from(value))));
}

/** As it stands in `spec.request`. */
export function encodedRequest(commonName: string, organizations: readonly string[] = []): string {
  const names = [...organizations.map((one) => attribute(10, one)), attribute(3, commonName)];
  const info = der(0x30, der(0x02, Buffer.from([0])), der(0x30, ...names), der(0x30), der(0xa0));
  const request = der(0x30, info, der(0x30), der(0x03, Buffer.from([0])));
  const lines = request.toString('base64').match(/.{1,64}/g) ?? [];
  const type = 'CERTIFICATE REQUEST';
  const pem = `-----BEGIN ${type}-----\n${lines.join('\n')}\n-----END ${type}-----\n`;
  return Buffer.from(pem).toString('base64');
}
