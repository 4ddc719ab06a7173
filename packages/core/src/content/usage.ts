import Type from 'typebox';

/** Tokens of one request as the endpoint counted them. `inputTokens` includes the cached ones. */
export const Usage = Type.Object({
  inputTokens: Type.Integer({ minimum: 0 }),
  cachedTokens: Type.Integer({ minimum: 0 }),
  outputTokens: Type.Integer({ minimum: 0 }),
});
export type Usage = Type.Static<typeof Usage>;
