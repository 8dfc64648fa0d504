/**
 * A session of a run, from the phase `claim` to its end: who holds it, how it sends and concludes. `begin.ts` and `resume.ts` open one for a command,
 * `undo.ts` and `prune.ts` one that ends with their change.
 */
import { Claim } from '../disk/claim.ts'
import { conclude, type Concluded } from './conclude.ts'
import { Journal, type NewLine } from './record/journal.ts'
import type { RecordedRun } from './record/read-run.ts'
import { removeDrafts, removeSummary, type RunPlace } from './record/write-run.ts'
import { send, type RunEnd, type Session } from './send.ts'
import type { BulkTools } from './tools.ts'

type ClaimTools = Pick<BulkTools, 'host' | 'signals' | 'note'>

/** The run of a session. */
interface Which {
  readonly run: string
  readonly dir: string
  readonly takeOver?: boolean | undefined
}

/** A session that is held. */
export class OpenSession {
  readonly place: RunPlace
  /** It has written a line, so that a successor knows about a take-over. */
  hasLine = false
  isSending = false

  constructor(place: RunPlace) {
    this.place = place
  }

  end(exitCode: number): void {
    const { claim } = this.place
    const isKnown = this.hasLine || !claim.isTakenOver
    claim.release(isKnown && !this.isSending ? exitCode : undefined)
  }
}

/** The phase `claim`. Throws exit 11 if another process works on the run, and exit 10. */
async function open(
  { host, signals, note }: ClaimTools,
  { run, dir, takeOver = false }: Which,
): Promise<OpenSession> {
  const onWait = (holder: string): void =>
    note(`${holder} is working on run ${run}; waiting a minute for a sign of life`)
  const signal = signals.cancelled
  const options = { what: `run ${run}`, run, takeOver, signal, onWait }
  return new OpenSession({ run, dir, claim: await Claim.take(host, dir, options) })
}

/** Holds a session to the very end of the command, once its results are printed. */
export async function hold(tools: BulkTools, which: Which): Promise<OpenSession> {
  const session = await open(tools, which)
  tools.atEnd((exitCode) => session.end(exitCode))
  await removeDrafts(tools.host, session.place)
  return session
}

/** Holds a session for one change of the record. */
export async function inSession<T>(
  tools: ClaimTools,
  which: Which,
  work: (session: OpenSession) => Promise<T>,
): Promise<T> {
  const session = await open(tools, which)
  try {
    return await work(session)
  } finally {
    session.end(0)
  }
}

type SessionLine = NewLine & { readonly t: 'session' }

/** The first line of a later session. */
export const sessionLine = (
  { host }: Pick<BulkTools, 'host'>,
  { claim }: RunPlace,
): SessionLine => ({
  t: 'session',
  at: host.now(),
  ...(claim.isTakenOver ? { takeOver: true } : {}),
})

/** The phase `record` of a resumed run: removes its last summary, which is no longer true. */
export async function openRecord(
  { host, messages }: Pick<BulkTools, 'host' | 'messages'>,
  session: OpenSession,
  { isUnended }: RecordedRun,
  line: SessionLine,
): Promise<Journal> {
  await removeSummary(host, session.place)
  const journal = await Journal.open(host, session.place, isUnended, messages.redactor)
  try {
    await journal.appendSynced(line)
  } catch (error) {
    await journal.close()
    throw error
  }
  session.hasLine = true
  return journal
}

/** A run whose session has ended. */
export interface EndedRun {
  readonly kind: 'run'
  readonly recorded: RecordedRun
  readonly concluded: Concluded
}

/** The phases `send` and `conclude` of a run that is on disk. */
export function sendAndConclude(
  tools: BulkTools,
  open: OpenSession,
  parts: Omit<Session, 'writing'> & { readonly journal: Journal },
): Promise<EndedRun> {
  const { journal, ...session } = parts
  const { recorded } = session
  const writing = { place: open.place, journal }
  return tools.signals.runCritical(async () => {
    try {
      let sent: RunEnd | undefined
      if (session.left.length > 0) {
        open.isSending = true
        sent = await send(tools, { ...session, writing }, writing)
        open.isSending = false
      }
      const concluded = await conclude(tools, { ...session, writing }, sent)
      return { kind: 'run', recorded, concluded }
    } finally {
      await journal.close()
    }
  })
}
