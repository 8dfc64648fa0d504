/**
 * A job: the items to send, and everything that its command says about them; the head that is recorded of it; and
 * `RunTools`, the parts of the program that a run uses. `read.ts` makes a job from typed words, `undo.ts` from a recorded
 * run.
 */
import type { Api } from '../../api/client.ts'
import type { AcceptNear } from '../../api/names.ts'
import type { BulkOperation } from '../../api/operations.ts'
import type { Employee } from '../../api/schemas.ts'
import { keyEnding, type Configuration, type Profile } from '../../config/profile.ts'
import type { Host, Signal } from '../../host.ts'
import type { AnnotatedTable } from '../../input/annotated.ts'
import type { Sample } from '../../input/search.ts'
import type { Message } from '../../message.ts'
import type { Progress, ProgressOptions } from '../../output/progress.ts'
import type { Questions } from '../../output/questions/questions.ts'
import type { PrintOptions } from '../../output/result.ts'
import type { Messages } from '../../output/stderr.ts'
import { version } from '../../version.ts'
import { sha256, type Items } from '../items.ts'
import type {
  Actor,
  InputCounts,
  JobHead,
  LineOf,
  NewLine,
  NewLineOf,
  Parameters,
  SourceFile,
} from '../lines.ts'
import type { Runs } from '../list.ts'
import { acceptedBy } from '../outcomes.ts'
import { RunState } from '../state.ts'

export interface BulkOptions {
  file: readonly string[]
  once?: string
  newRun?: true
  column?: string
  sheet?: string
  where?: readonly string[]
  except?: readonly string[]
  skipInvalid?: boolean
  dryRun?: boolean
  /** The reason in words, recorded with the run. */
  reason?: string
  expect?: number
  maxDelete?: number | undefined
  receipts?: string
  annotate?: string
  takeOver?: boolean
  newKey?: boolean
  /** Names and lists of contacts are read and shown. */
  who?: true
  accept?: readonly string[]
  allowEmpty?: boolean
}

/** Options of the commands on a run, which has its ids. */
export type LaterOptions = Partial<Omit<BulkOptions, 'file'>> & {
  /** Where the input is now. */
  file?: string
}

/** The items to send, after names were resolved. */
export interface Contents {
  parameters: Parameters
  items: Items
  input: InputCounts
}

export interface Job {
  operation: BulkOperation
  options: BulkOptions
  /** Name of its run; undefined for a run whose id is its name. */
  name: string | undefined
  /** The counts that are known without a request; those of the contents replace them. */
  input: InputCounts
  /** Finds the lists and employees that are named. Throws exit 2 and 6. */
  resolveContents: () => Promise<Contents>
  /** The command line names a single change, so the output is about that change. */
  isOne: boolean
  /** The one file that the ids came from. */
  source?: SourceFile | undefined
  /** Rows of the table that the ids came from. */
  sample?: Sample | undefined
  /** The input with the outcome of each row, to be written at the end. */
  annotation?: AnnotatedTable | undefined
  undoes?: LineOf<'run'>['undoes']
  /** Notes that are printed once, before the question: for example which tickets an undo skips. */
  notes?: readonly Message[]
  /**
   * Runs before a new run is recorded, for undos, whose runs have a name: marks the run that is undone.
   */
  beforeStart?: () => Promise<void> | void
}

/** A job whose names were resolved, and its state before anything is sent. */
export interface ResolvedJob extends Omit<Job, 'resolveContents'>, Contents {
  state: RunState
}

export function resolveJob(job: Job, contents: Contents): ResolvedJob {
  const { operation } = job
  return { ...job, ...contents, state: new RunState({ operation, ...contents }) }
}

/** A job that can be asked about and recorded. */
export interface ReadyJob extends ResolvedJob {
  head: JobHead
  profile: Profile
}

/** The part of a command that concerns its run, new or existing. */
export interface Command {
  options: Omit<LaterOptions, 'file'>
  /** The input of this command, if it has read one: receipts are in its order. */
  input: Items | undefined
  /** It names a single change, so its output is about that change. */
  isOne: boolean
}

export interface RunTools {
  host: Host
  print: PrintOptions
  configuration: () => Promise<Configuration>
  /** Throws exit 4 without credentials. */
  profile: () => Promise<Profile>
  /** The recorded runs. The state folder is looked up only when a run is. */
  runs: () => Promise<Runs>
  api: () => Promise<Api>
  /** The employees, read when they are first needed, and once. */
  employees: () => Promise<readonly Employee[]>
  /** Throws exit 2 when the profile does not allow the change. */
  permit: (change: { operation: BulkOperation; ids: number }) => Promise<void>
  note: (message: Message) => void
  warn: (message: Message) => void
  questions: Questions
  /** Decides whether to use a similar name. */
  acceptNear: AcceptNear
  signals: {
    caught: Signal | undefined
    /** Aborted by the first signal. */
    cancelled: AbortSignal
    /** Aborted by the second signal, or at the end of the grace period. */
    aborted: AbortSignal
    /** Runs work that the first signal lets finish. */
    runCritical: <T>(work: () => Promise<T>) => Promise<T>
  }
  messages: Messages
  /** Shows progress until it is stopped. */
  progress: (of: Pick<ProgressOptions, 'label' | 'total' | 'state'>) => Promise<Progress>
  /** Work at the very end of the command, once its results are printed. */
  atEnd: (work: (exitCode: number) => Promise<void>) => void
}

/** The facts that make two jobs the same. `set`: a checksum of the items. */
export type JobFacts = Pick<LineOf<'run'>, 'operation' | 'baseUrl' | 'parameters' | 'set'>

/** The first sixteen digits of the SHA-256 of an API key, to distinguish keys without storing them. */
export const keyFingerprint = (apiKey: string) => sha256([apiKey]).slice(0, 16)

/** The person who begins something, as the system names them. A container's user may have no name. */
export function currentActor({
  userId,
  computer,
}: Pick<Host, 'userId' | 'computer'>): Actor {
  return {
    user: computer.userName ?? `uid ${userId ?? 'unknown'}`,
    host: computer.hostname,
  }
}

/** The head of a run: what is to be sent, where, and why. */
export function jobHeadOf(host: Host, job: ResolvedJob, profile: Profile): JobHead {
  const { operation, parameters, items, state, input, options, source } = job
  return {
    operation,
    parameters,
    baseUrl: profile.baseUrl,
    profile: profile.name ?? null,
    keyEnding: keyEnding(profile.apiKey),
    accept: [...acceptedBy(options.accept)],
    input,
    kind: items.kind,
    set: items.setSha256(),
    batches: state.batches.total,
    ...(source !== undefined && { source }),
    by: currentActor(host),
    ...(options.reason !== undefined && { reason: options.reason }),
  }
}

/** The lines of the head of a run. `startedAt`: milliseconds since 1970. */
export function* headLines(job: ReadyJob, startedAt: number): Generator<NewLine> {
  const { undoes, name = null, items, state, head, profile } = job
  const run: NewLineOf<'run'> = {
    t: 'run',
    schema: 'svc.run/6',
    name,
    startedAt: new Date(startedAt).toISOString(),
    key: keyFingerprint(profile.apiKey),
    version,
    ...(undoes !== undefined && { undoes }),
    ...head,
  }
  yield run
  yield* items.idsLines(state.batches)
}
