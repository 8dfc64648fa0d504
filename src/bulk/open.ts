/**
 * A session of a run, from the phase `claim` to its end: who holds it, how it sends and concludes. `begin.ts` and `resume.ts` open one, `undo.ts` and
 * `prune.ts` claim a run that they change.
 */
import { Claim } from '../disk/claim.ts'
import type { BulkOperation } from '../api/operations.ts'
import { conclude, type Concluded } from './conclude.ts'
import type { UserFiles } from './files.ts'
import type { OneChange } from './job.ts'
import { checkMaxDelete } from './read.ts'
import type { Journal } from './record/journal.ts'
import type { RecordedRun } from './record/read-run.ts'
import { removeDrafts, type RunPlace } from './record/write-run.ts'
import { send, type RunEnd } from './send.ts'
import type { BulkTools, SendOptions } from './tools.ts'

/** The phase `claim`: takes a session of a run. Throws exit 11 where another process works on it, and exit 10. */
export function takeSession(
  { host, signals, note }: Pick<BulkTools, 'host' | 'signals' | 'note'>,
  dir: string,
  {
    run,
    takeOver = false,
  }: { readonly run: string; readonly takeOver?: boolean | undefined },
): Promise<Claim> {
  const onWait = (holder: string): void =>
    note(`${holder} has run ${run}; waiting a minute for a sign of life`)
  const { cancelled: signal } = signals
  return Claim.take(host, dir, { what: `run ${run}`, run, takeOver, signal, onWait })
}

/** A session that is held to the very end of the command, once its results are printed. */
export class OpenSession {
  readonly place: RunPlace
  /** It wrote its own line, so that a successor knows of a take-over. */
  hasLine = false
  isSending = false

  constructor(tools: BulkTools, place: RunPlace) {
    this.place = place
    tools.atEnd((exitCode) => {
      const isKnown = this.hasLine || !place.claim.isTakenOver
      place.claim.release(isKnown && !this.isSending ? exitCode : undefined)
    })
  }
}

export async function hold(
  tools: BulkTools,
  run: string,
  dir: string,
  takeOver: boolean | undefined,
): Promise<OpenSession> {
  const claim = await takeSession(tools, dir, { run, takeOver })
  const session = new OpenSession(tools, { run, dir, claim })
  await removeDrafts(tools.host, session.place)
  return session
}

/** Throws exit 5 when a policy forbids it, exit 2 for more deletions than are allowed. Sets the pace. */
export async function permit(
  tools: BulkTools,
  {
    operation,
    count,
    name,
    maxDelete,
    rate,
  }: {
    readonly operation: BulkOperation
    readonly count: number
    readonly name: string | undefined
    readonly maxDelete?: number | undefined
    readonly rate?: number | undefined
  },
): Promise<void> {
  await tools.permit({ operation, ids: count, name })
  checkMaxDelete(operation, count, maxDelete)
  const { client } = await tools.api()
  client.pace.limit(rate ?? Infinity)
}

/** A run that was led to its end. */
export interface EndedRun {
  readonly kind: 'run'
  readonly recorded: RecordedRun
  readonly concluded: Concluded
}

export interface SessionToSend {
  readonly recorded: RecordedRun
  readonly journal: Journal
  readonly left: readonly number[]
  readonly files: UserFiles
  readonly options: SendOptions
  readonly isNew: boolean
  readonly isRepeated: boolean
  readonly one: OneChange | undefined
}

export function sendAndConclude(
  tools: BulkTools,
  open: OpenSession,
  session: SessionToSend,
): Promise<EndedRun> {
  const { recorded, journal, left, one } = session
  const { claim } = open.place
  return tools.signals.runCritical(async () => {
    let sent: RunEnd | undefined
    if (left.length > 0) {
      const plain = await tools.api()
      const api = one?.watch(plain) ?? plain
      open.isSending = true
      const isOne = one !== undefined
      sent = await send(tools, { ...session, claim, api, isOne })
      open.isSending = false
    }
    const concluded = await conclude(tools, {
      ...session,
      writing: { place: open.place, journal },
      sent,
      isOne: one !== undefined,
    })
    return { kind: 'run', recorded, concluded }
  })
}
