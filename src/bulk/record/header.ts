/**
 * `header.json`: everything about a run except its items and their outcomes. It never changes, and the journal's first line has its checksum. `begin.ts`
 * makes it, `write-run.ts` writes it, `read-run.ts` reads it, and every command that resumes or shows a run relies on it.
 */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { bulkOperations } from '../../api/operations.ts'
import type { Host } from '../../host.ts'
import { Count, Id, Ordinal, Sha256 } from './journal.ts'

/** The person who begins something, and the computer. */
export const Actor = v.object({ user: v.string(), host: v.string() })
export type Actor = v.InferOutput<typeof Actor>

/** As the system names them. A container's user may have no name. */
export function currentActor({
  userId,
  computer,
}: Pick<Host, 'userId' | 'computer'>): Actor {
  return {
    user: computer.userName ?? `uid ${userId ?? 'unknown'}`,
    host: computer.hostname,
  }
}

/** `ana@desk-7`. */
export const actorWords = ({ user, host }: Actor): string => `${user}@${host}`

/** Which ids were read, in counts. */
const InputCounts = v.object({
  read: Count,
  unique: Count,
  duplicates: Count,
  invalid: Count,
  /** The rows of a table that were left out, or for an undo the tickets that ever lost an answer. */
  leftOut: v.optional(Count),
  /** SHA-256 of the items as they are sent, one per line. */
  sha256: v.string(),
})
export type InputCounts = v.InferOutput<typeof InputCounts>

/** The one file that the ids came from, and how it was read, so that `--annotate` can read it again. */
export const Source = v.object({
  /** Absolute. */
  path: v.string(),
  sha256: Sha256,
  /** Options, as they were typed. */
  column: v.optional(v.string()),
  sheet: v.optional(v.string()),
  where: v.optional(v.array(v.string())),
})
export type Source = v.InferOutput<typeof Source>

/** A list, an employee or a contact that was found. */
const Party = v.object({ id: Id, name: v.optional(v.string()) })
export type Party = v.InferOutput<typeof Party>

/** Values of an operation's slots, by their keys; `true` for a flag that was given. */
const ParameterValues = v.record(v.string(), v.union([v.literal(true), Party]))
export type ParameterValues = Readonly<v.InferOutput<typeof ParameterValues>>

const Header = v.object({
  schema: v.literal('svc.run/5'),
  /** As it was typed; null for a run whose id is its name. */
  name: v.nullable(v.string()),
  /** ISO 8601. Runs are ordered by it. */
  startedAt: v.pipe(v.string(), v.isoTimestamp()),
  operation: v.picklist(bulkOperations),
  parameters: ParameterValues,
  baseUrl: v.string(),
  /** Null when the credentials came from the environment. */
  profile: v.nullable(v.string()),
  /** The key as `keyFingerprint` gives it, and its last four characters. */
  key: v.object({ fingerprint: v.string(), ending: v.string() }),
  options: v.object({
    batchSize: v.pipe(Ordinal, v.maxValue(100)),
    concurrency: Ordinal,
    accept: v.optional(v.array(v.string())),
  }),
  input: InputCounts,
  kind: v.picklist(['ids', 'pairs']),
  by: Actor,
  /** Why, as it was typed. */
  reason: v.optional(v.string()),
  /** Version of svc. */
  version: v.string(),
  /** The facts that must be the same when the command of a named run is repeated. */
  job: v.optional(
    v.object({
      /** SHA-256 of the items as a set: no matter their order, letter case and duplicates. */
      set: Sha256,
      /** Parameters as they were typed, by their keys; `yes` for a flag. */
      typed: v.record(v.string(), v.string()),
    }),
  ),
  /** One change that its command line named. */
  isOne: v.optional(v.literal(true)),
  /** The run that this one undoes, and the checksum of its header. */
  undoes: v.optional(v.object({ run: v.string(), header: Sha256 })),
  /** The plan that it applies. */
  plan: v.optional(Sha256),
  /** Absent when the ids came from elsewhere, or from several files. */
  source: v.optional(Source),
})
export type Header = v.InferOutput<typeof Header>

/** A header as it was read, or what is wrong with it in words. */
export function parseHeader(
  text: string,
): { header: Header; problem?: undefined } | { header?: undefined; problem: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'it is not JSON' }
  }
  const result = v.safeParse(Header, value)
  if (result.success) return { header: result.output }
  const [issue] = result.issues
  return { problem: `${v.getDotPath(issue) ?? 'the document'}: ${issue.message}` }
}

export const headerBytes = (header: Header): Buffer =>
  Buffer.from(`${JSON.stringify(header, null, 2)}\n`)

/** SHA-256 of all pieces together, in hexadecimal. */
export function sha256(pieces: Iterable<Uint8Array | string>): string {
  const sum = createHash('sha256')
  for (const piece of pieces) sum.update(piece)
  return sum.digest('hex')
}

/** The first sixteen digits of the SHA-256 of an API key, to distinguish keys without storing them. */
export const keyFingerprint = (apiKey: string): string => sha256([apiKey]).slice(0, 16)
