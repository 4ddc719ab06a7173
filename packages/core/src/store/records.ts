import type { Selectable } from 'kysely';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { AppError } from '../base/app-error.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import { errorCodes } from '../base/error-codes.ts';
import type { Digest } from '../base/ids.ts';
import type { VariantChange } from '../base/variant-change.ts';
import type { FileChangeRecord } from '../content/file-change-record.ts';
import type { Message } from '../content/messages.ts';
import { parseMessage } from '../content/parse-message.ts';
import { LAST_OLD_REVISION, parseOldMessage } from '../content/parse-old-message.ts';
import type { RequestPlan } from '../content/request-plan.ts';
import type { Session } from '../content/session.ts';
import type { TurnRecord } from '../content/turn-record.ts';
import type { VariantRecord } from '../content/variant-record.ts';
import type { Codec } from './codec.ts';
import { check, decode, invalidRow, type Place, textCodec } from './parse-row.ts';
import { ProcessMark } from './process-mark.ts';
import type {
  FileChangesTable,
  LeaseRow,
  MessagesTable,
  PlanImagesTable,
  PlansTable,
  SessionsTable,
  TurnsTable,
  VariantsTable,
} from './tables.ts';

const DigestText = Type.Unsafe<Digest>(Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }));
const Size = Type.Integer({ minimum: 0 });
const Side = Type.Integer({ minimum: 1 });

const SessionRecord = Type.Unsafe<Session>(
  Type.Object({
    id: Type.String(),
    title: Type.String(),
    workspace: Type.String(),
    externalFolders: Type.Record(Type.String(), Type.String()),
    owner: Type.String(),
    model: Type.String(),
    profile: Type.Union([Type.Literal('read-only'), Type.Literal('workspace-write'), Type.Literal('full-access')]),
    modelLocale: Type.Union([Type.Literal('en'), Type.Literal('zh-CN')]),
    promptHead: Type.Object({
      systemPrompt: Type.String(),
      tools: Type.Array(
        Type.Object({
          name: Type.String(),
          description: Type.String(),
          parameters: Type.Record(Type.String(), Type.Unknown()),
        }),
      ),
    }),
    storageRevision: Type.Integer({ minimum: 1 }),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  }),
);

const ErrorCodeText = Type.Unsafe<ErrorCode>(Type.Enum(Object.keys(errorCodes)));

const StoredTurn = Type.Object({
  record: Type.Unsafe<TurnRecord>(
    Type.Object({
      id: Type.String(),
      sessionId: Type.String(),
      submissionId: Type.String(),
      status: Type.Union([
        Type.Literal('running'),
        Type.Literal('completed'),
        Type.Literal('failed'),
        Type.Literal('stopped'),
        Type.Literal('interrupted'),
      ]),
      startedAt: Type.String(),
      endedAt: Type.Optional(Type.String()),
      error: Type.Optional(Type.Object({ code: ErrorCodeText, message: Type.String() })),
    }),
  ),
  writer: ProcessMark,
});
type StoredTurn = Type.Static<typeof StoredTurn>;

const StoredVariant = Type.Unsafe<VariantRecord>(
  Type.Object({
    originalDigest: DigestText,
    variantKey: Type.String(),
    digest: DigestText,
    mediaType: Type.String(),
    sizeBytes: Size,
    widthPx: Side,
    heightPx: Side,
    changes: Type.Array(
      Type.Unsafe<VariantChange>(
        Type.Enum(['none', 'metadata', 'resized', 'reencoded', 'padded', 'first-frame', 'region', 'file-id']),
      ),
    ),
  }),
);

const StoredLease = Type.Object({
  sessionId: Type.String(),
  holder: Type.String(),
  process: ProcessMark,
  epoch: Type.Integer({ minimum: 0 }),
  leaseUntilMs: Type.Integer({ minimum: 0 }),
});
type StoredLease = Type.Static<typeof StoredLease>;

const StoredPlan = Type.Unsafe<RequestPlan>(
  Type.Object({
    sessionId: Type.String(),
    endpointId: Type.String(),
    images: Type.Array(Type.Object({ originalDigest: DigestText, digest: DigestText })),
  }),
);

const StoredFileChange = Type.Unsafe<FileChangeRecord>(
  Type.Object({
    sessionId: Type.String(),
    turnId: Type.String(),
    seq: Type.Integer({ minimum: 1 }),
    path: Type.String(),
    displayPath: Type.String(),
    beforeDigest: Type.Optional(DigestText),
    afterDigest: DigestText,
  }),
);

const sessionValidator = Compile(SessionRecord);
const turnValidator = Compile(StoredTurn);
const variantValidator = Compile(StoredVariant);
const leaseValidator = Compile(StoredLease);
const planValidator = Compile(StoredPlan);
const fileChangeValidator = Compile(StoredFileChange);

/** Throws `UNSUPPORTED_REVISION` when the session was written by a newer build, and `RECORD_INVALID`. */
export function parseSession(row: Selectable<SessionsTable>, codec: Codec): Session {
  const place: Place = { table: 'sessions', id: row.id };
  refuseNewer(row.storage_revision, place, codec);
  return check(sessionValidator, place, {
    id: row.id,
    title: row.title,
    workspace: row.workspace,
    externalFolders: decode(codec, row.external_folders, place),
    owner: row.owner,
    model: row.model,
    profile: row.profile,
    modelLocale: row.model_locale,
    promptHead: decode(textCodec, row.prompt_head, place),
    storageRevision: row.storage_revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  });
}

/** Throws `UNSUPPORTED_REVISION`, and the faults of `parseMessage` in `content/`. */
export function parseMessageRow(
  row: Pick<Selectable<MessagesTable>, 'session_id' | 'seq' | 'id' | 'turn_id' | 'revision' | 'body'>,
  codec: Codec,
): Message {
  const place: Place = { table: 'messages', id: `${row.session_id}/${row.seq}` };
  refuseNewer(row.revision, place, codec);
  const body = decode(codec, row.body, place);
  const isOld = row.revision <= LAST_OLD_REVISION;
  const message = isOld ? parseOldMessage(body, { id: row.id, turnId: row.turn_id }) : parseMessage(body);
  if (message.ok) return message.value;
  if (message.error === 'RECORD_INVALID') throw invalidRow(place);
  throw new AppError(message.error, `the row ${place.id} of ${place.table} has both imageInputs and images`, {
    data: { ...place },
  });
}

/** Throws `RECORD_INVALID`. */
export function parseTurn(row: Selectable<TurnsTable>, codec: Codec): StoredTurn {
  const place: Place = { table: 'turns', id: row.id };
  return check(turnValidator, place, {
    record: {
      id: row.id,
      sessionId: row.session_id,
      submissionId: row.submission_id,
      status: row.status,
      startedAt: row.started_at,
      ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
      ...(row.error === null ? {} : { error: decode(codec, row.error, place) }),
    },
    writer: decode(codec, row.writer, place),
  });
}

/** Throws `RECORD_INVALID`. */
export function parseVariant(row: Selectable<VariantsTable>, codec: Codec): VariantRecord {
  const place: Place = { table: 'variants', id: `${row.original_digest}/${row.variant_key}` };
  return check(variantValidator, place, {
    originalDigest: row.original_digest,
    variantKey: row.variant_key,
    digest: row.digest,
    mediaType: row.media_type,
    sizeBytes: row.size_bytes,
    widthPx: row.width_px,
    heightPx: row.height_px,
    changes: decode(codec, row.changes, place),
  });
}

/** Throws `RECORD_INVALID`. */
export function parseLease(row: LeaseRow, codec: Codec): StoredLease {
  const place: Place = { table: 'session_leases', id: row.session_id };
  return check(leaseValidator, place, {
    sessionId: row.session_id,
    holder: row.holder,
    process: decode(codec, row.process, place),
    epoch: row.epoch,
    leaseUntilMs: row.lease_until,
  });
}

/** Of its pictures in the order of the request. Throws `RECORD_INVALID`. */
export function parsePlan(
  { session_id, endpoint_id }: Pick<Selectable<PlansTable>, 'session_id' | 'endpoint_id'>,
  images: readonly Pick<Selectable<PlanImagesTable>, 'original_digest' | 'digest'>[],
): RequestPlan {
  return check(
    planValidator,
    { table: 'plans', id: `${session_id}/${endpoint_id}` },
    {
      sessionId: session_id,
      endpointId: endpoint_id,
      images: images.map((image) => ({ originalDigest: image.original_digest, digest: image.digest })),
    },
  );
}

/** Throws `RECORD_INVALID`. */
export function parseFileChange(row: Selectable<FileChangesTable>): FileChangeRecord {
  const place: Place = { table: 'file_changes', id: `${row.session_id}/${row.seq}` };
  return check(fileChangeValidator, place, {
    sessionId: row.session_id,
    turnId: row.turn_id,
    seq: row.seq,
    path: decode(textCodec, row.path, place),
    displayPath: decode(textCodec, row.display_path, place),
    ...(row.before_digest === null ? {} : { beforeDigest: row.before_digest }),
    afterDigest: row.after_digest,
  });
}

function refuseNewer(revision: number, place: Place, { supportedRevision }: Codec): void {
  if (revision <= supportedRevision) return;
  throw new AppError('UNSUPPORTED_REVISION', `the row ${place.id} of ${place.table} was written by a newer Fovea`, {
    data: { ...place, revision, supported: supportedRevision },
  });
}
