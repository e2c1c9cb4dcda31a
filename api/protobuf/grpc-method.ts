/** One call: how what is asked is written, and what is answered is read. */
export interface GrpcMethod<Question, Answer> {
  /** `/package.Service/Method` */
  readonly path: string;
  readonly encode: (question: Question) => Buffer;
  /** @throws {ProtobufError} */
  readonly decode: (answer: Uint8Array) => Answer;
}
