import Type from 'typebox';

/**
 * The shape of `config.jsonc`, strict: a key that is not listed here is an error. The file
 * `config.schema.json` of this package is generated from it (`buildConfigSchemaFile`), so each
 * description is what an editor shows for the key.
 */
const strict = { additionalProperties: false } as const;

/** `channel/model`; the model's own id may contain further slashes. */
export const MODEL_REFERENCE_PATTERN = '^[^/\\s]+/\\S.*$';
/** A channel's name: no slash, because the first slash ends it in `channel/model`. */
export const CHANNEL_NAME_PATTERN = '^[^/\\s]+$';
/** An alias of a folder: the first segment of a path. */
export const FOLDER_ALIAS_PATTERN = '^[^/\\\\\\s]+$';
export const HTTP_URL_PATTERN = '^https?://[^\\s]+$';
export const HEADER_NAME_PATTERN = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";
/** A header's value: one line of characters that HTTP can carry. */
export const SINGLE_LINE_PATTERN = '^[\\t\\x20-\\x7e\\x80-\\xff]*$';
export const NON_BLANK_PATTERN = '\\S';
export const ENVIRONMENT_NAME_PATTERN = '^[A-Za-z_][A-Za-z0-9_]*$';

/** Ends the description of a key that is checked but has no effect: the same file serves every build. */
export const NOT_USED_YET = 'Not used by this build yet.';
const later = (description: string) => `${description} ${NOT_USED_YET}`;

const count = (description: string) => Type.Integer({ minimum: 0, description });
const positive = (description: string) => Type.Integer({ minimum: 1, description });
const nullableCount = (description: string) => Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], { description });
const price = (description: string) => Type.Number({ minimum: 0, description });

const ModelPrice = Type.Object(
  {
    input: Type.Optional(price('A million input tokens.')),
    cached: Type.Optional(price('A million input tokens that were read from the cache.')),
    output: Type.Optional(price('A million output tokens.')),
    currency: Type.Optional(Type.Enum(['USD', 'CNY'], { description: 'Absent: that of the catalogue, else USD.' })),
  },
  { ...strict, description: 'What a million tokens cost; what is absent is what the catalogue says.' },
);

export const ModelConfig = Type.Object(
  {
    imageInput: Type.Optional(
      Type.Enum(['yes', 'no', 'unknown'], { description: 'Whether the model takes pictures.' }),
    ),
    contextTokens: Type.Optional(positive('Size of the context in tokens.')),
    maxOutputTokens: Type.Optional(positive('Most tokens of one answer.')),
    temperature: Type.Optional(Type.Number({ minimum: 0, description: 'Sent as it is; absent: not sent.' })),
    reasoningEffort: Type.Optional(
      Type.String({ minLength: 1, description: 'Sent as it is; the values are those of the supplier.' }),
    ),
    extraBody: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Fields that are merged into the request.' }),
    ),
    price: Type.Optional(ModelPrice),
  },
  { ...strict, description: 'One model of the channel.' },
);
export type ModelConfig = Type.Static<typeof ModelConfig>;

const formats = ['png', 'jpeg', 'webp', 'gif-static', 'gif-first-frame'] as const;

export const LimitOverrides = Type.Object(
  {
    formats: Type.Optional(
      Type.Array(Type.Enum([...formats]), { minItems: 1, description: 'Picture formats that the endpoint takes.' }),
    ),
    url: Type.Optional(Type.Boolean({ description: 'Whether the endpoint fetches URLs itself.' })),
    fileId: Type.Optional(Type.Boolean({ description: 'Whether the endpoint takes ids of uploaded files.' })),
    edge: Type.Optional(positive('Longest edge of a picture that is sent, in pixels.')),
    maxRaw: Type.Optional(nullableCount('Bytes of one picture before base64.')),
    maxB64: Type.Optional(nullableCount('Base64 characters of one picture.')),
    maxImages: Type.Optional(nullableCount(later('Pictures in one request.'))),
    maxImages200k: Type.Optional(positive(later('Pictures in one request, for contexts of up to 200,000 tokens.'))),
    maxSide: Type.Optional(nullableCount('Longest side in pixels.')),
    maxPixels: Type.Optional(positive('Pixels of one picture.')),
    // A smaller picture gets a canvas of this size, in memory.
    minSide: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Shortest side in pixels.' })),
    maxRatio: Type.Optional(Type.Number({ minimum: 1, description: 'Longest side by shortest side.' })),
    maxPatches28: Type.Optional(positive('Patches of 28 x 28 pixels.')),
    maxTotalRaw: Type.Optional(positive(later('Bytes of all pictures of a request before base64.'))),
    manyImages: Type.Optional(
      Type.Union(
        [
          Type.Object(
            {
              over: Type.Optional(positive('Above so many pictures.')),
              from: Type.Optional(positive('From so many pictures on.')),
              maxSide: positive('Longest side in pixels.'),
            },
            strict,
          ),
          Type.Null(),
        ],
        { description: later('Another longest side above ("over") or from ("from") a number of pictures.') },
      ),
    ),
    body: Type.Optional(nullableCount('Bytes of a whole request.')),
    detail: Type.Optional(
      Type.Union([Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }), Type.Null()], {
        description: 'Values of "detail" that the endpoint knows; null: the field is not sent.',
      }),
    ),
  },
  { ...strict, description: "Overrides fields of the endpoint's limit row." },
);
export type LimitOverrides = Type.Static<typeof LimitOverrides>;

export const ChannelConfig = Type.Object(
  {
    supplier: Type.String({ minLength: 1, description: 'A supplier of the catalogue, or "custom".' }),
    wireApi: Type.Optional(
      Type.Enum(['openai-chat', 'openai-responses', 'anthropic-messages'], {
        description: "The protocol. Absent: the supplier's first one.",
      }),
    ),
    baseUrl: Type.Optional(
      Type.String({ pattern: HTTP_URL_PATTERN, description: "Absent: the supplier's own address." }),
    ),
    apiKey: Type.Optional(
      Type.String({ minLength: 1, description: '"env:NAME" reads the variable NAME. A literal key works, too.' }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String({ pattern: HEADER_NAME_PATTERN }), Type.String({ pattern: SINGLE_LINE_PATTERN }), {
        ...strict,
        description: 'Further headers of every request.',
      }),
    ),
    models: Type.Optional(
      Type.Record(Type.String({ pattern: NON_BLANK_PATTERN }), ModelConfig, {
        ...strict,
        description: "The channel's models. Absent: those of the catalogue.",
      }),
    ),
    limits: Type.Optional(LimitOverrides),
    toolImages: Type.Optional(
      Type.Union([Type.Enum(['inline', 'after-group', 'toplevel-user']), Type.Null()], {
        description: "Where pictures of tools go in a request; null: the catalogue's place.",
      }),
    ),
  },
  { ...strict, description: 'One account at a supplier, or one server.' },
);
export type ChannelConfig = Type.Static<typeof ChannelConfig>;

const McpServerConfig = Type.Object(
  {
    command: Type.Optional(Type.String({ minLength: 1, description: 'The program of a local server.' })),
    args: Type.Optional(Type.Array(Type.String())),
    env: Type.Optional(Type.Record(Type.String(), Type.String())),
    url: Type.Optional(Type.String({ pattern: HTTP_URL_PATTERN, description: 'The address of a remote server.' })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    start: Type.Optional(Type.Enum(['eager', 'onDemand'])),
  },
  { ...strict, description: 'One MCP server: either "command" or "url".' },
);

const Permissions = Type.Object(
  {
    profile: Type.Optional(
      Type.Enum(['read-only', 'workspace-write', 'full-access'], {
        description: 'What tools may do without asking.',
      }),
    ),
    forbidRead: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description:
          'What may never be read, besides the built-in list: absolute paths, paths below "~/", names such as "*.pem".',
      }),
    ),
    externalFolders: Type.Optional(
      Type.Record(Type.String({ pattern: FOLDER_ALIAS_PATTERN }), Type.String({ minLength: 1 }), {
        ...strict,
        description: 'Alias to folder outside the workspace that tools may read.',
      }),
    ),
  },
  strict,
);

const Limits = Type.Object(
  {
    readFileImageBytes: Type.Optional(positive('Largest picture that read_file takes.')),
    viewImageBytes: Type.Optional(positive('Largest picture that view_image takes from the disk.')),
    imagePixels: Type.Optional(positive('Most pixels of a picture that a tool reads.')),
    imageFrames: Type.Optional(positive('Most frames of an animation.')),
    attachmentBytes: Type.Optional(positive('Largest picture that a user attaches.')),
    attachmentPixels: Type.Optional(positive('Most pixels of a picture that a user attaches.')),
    attachmentsPerMessage: Type.Optional(positive('Most attachments of one message.')),
    messageBytes: Type.Optional(positive('All attachments of one message.')),
    mcpImages: Type.Optional(count(later('Most pictures of one result of an MCP tool.'))),
    fetchBytes: Type.Optional(positive(later('Largest download.'))),
    uploadBytes: Type.Optional(
      Type.Object(
        {
          video: Type.Optional(positive('Largest uploaded video.')),
          document: Type.Optional(positive('Largest uploaded document.')),
        },
        { ...strict, description: later('Largest uploads.') },
      ),
    ),
  },
  { ...strict, description: 'Limits of admission, in bytes, pixels, frames or pieces.' },
);

const modelReference = (description: string) => Type.String({ pattern: MODEL_REFERENCE_PATTERN, description });

export const ConfigFile = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: 'Address of this schema, for editors.' })),
    locale: Type.Optional(Type.Enum(['en', 'zh-CN'], { description: 'Language of Fovea and of new sessions.' })),
    model: Type.Optional(modelReference('The model that answers when none is named: CHANNEL/MODEL.')),
    visionModel: Type.Optional(
      Type.Union([Type.Literal('auto'), modelReference('CHANNEL/MODEL.'), Type.Null()], {
        description: later(
          'Who describes pictures to a model that takes none: "auto" is a seeing model of the same channel, CHANNEL/MODEL a certain one, null nobody.',
        ),
      }),
    ),
    nonVision: Type.Optional(
      Type.Enum(['summary', 'error'], {
        description: later("What a model that takes no pictures gets for a tool's picture."),
      }),
    ),
    channels: Type.Optional(
      Type.Record(Type.String({ pattern: CHANNEL_NAME_PATTERN }), ChannelConfig, {
        ...strict,
        description: 'Name to account or server.',
      }),
    ),
    permissions: Type.Optional(Permissions),
    systemPrompt: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'Added to the end of the system prompt.' }),
    ),
    vision: Type.Optional(
      Type.Object(
        {
          askBeforeSending: Type.Optional(
            Type.Boolean({ description: 'Ask before a picture goes to another channel to be described.' }),
          ),
        },
        { ...strict, description: later('How pictures are described to a model that takes none.') },
      ),
    ),
    commands: Type.Optional(
      Type.Object(
        {
          environment: Type.Optional(
            Type.Array(Type.String({ pattern: ENVIRONMENT_NAME_PATTERN }), {
              description: 'Names of environment variables that commands may inherit.',
            }),
          ),
        },
        { ...strict, description: 'Commands that tools run.' },
      ),
    ),
    mcpServers: Type.Optional(
      Type.Record(Type.String({ pattern: CHANNEL_NAME_PATTERN }), McpServerConfig, {
        ...strict,
        description: later('Name to MCP server.'),
      }),
    ),
    limits: Type.Optional(Limits),
    fetch: Type.Optional(
      Type.Object(
        {
          allow: Type.Optional(
            Type.Array(Type.String({ minLength: 1 }), {
              description: 'Hosts or address ranges that may be fetched besides public ones.',
            }),
          ),
        },
        { ...strict, description: later('Addresses that tools fetch.') },
      ),
    ),
    server: Type.Optional(
      Type.Object(
        {
          workspaceRoots: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
          hostTools: Type.Optional(Type.Boolean()),
        },
        { ...strict, description: later('The server for browsers.') },
      ),
    ),
  },
  { ...strict, title: 'Configuration of Fovea' },
);
/**
 * The file as it is written: every key may be absent. All of it is checked, also what this build
 * does not use ({@link NOT_USED_YET}): the same file serves every build.
 */
export type ConfigFile = Type.Static<typeof ConfigFile>;

/** The text of `config.schema.json`. */
export function buildConfigSchemaFile(): string {
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...ConfigFile };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
