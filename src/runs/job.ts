/**
 * What the engine is given: a job (ids, the operation that sends them, and what the command says about both), and the parts of the
 * program that a run needs. `src/jobs` makes jobs from words and files, `undo.ts` from a recorded run.
 */
import type { Api } from '../api/api.ts'
import type { BulkOperationName } from '../api/operations.ts'
import type { OperationResult } from '../api/schemas.ts'
import type { Profile } from '../config/profile.ts'
import type { Host, Signal } from '../host.ts'
import type { Items } from '../input/items.ts'
import type { Progress, ProgressOptions } from '../output/progress.ts'
import type { Questions } from '../output/questions.ts'
import type { Messages } from '../output/stderr.ts'
import type { InputCounts, Party, RecordedSource } from './lines.ts'
import type { Outcome, OutcomeCounts } from './outcomes.ts'
import type { ReceiptsFile } from './receipts-file.ts'
import type { ErrorRow } from './receipts.ts'
import type { State } from './state.ts'

/** The ids of one request. */
export interface Batch {
  ids: readonly string[]
  /** The list of an add, the target of a merge, the new assignee of a ticket. */
  target: string
  /** The assignee that a ticket must have, so that it is changed. */
  expected: string | undefined
  /** The outcome of each id before the request. */
  outcomesBefore: readonly Outcome[]
}

/** The sense of an answer for the ids of its request. With a `problem`, it contradicts itself, and so says nothing. */
export type Sense =
  | { problem: string }
  | {
      /** One outcome for all, or one for each. */
      outcomes: Outcome | Outcome[]
      /** The ids are still to be sent. With `added`, a request of several is sent again as two halves. */
      due?: true
      /** How many contacts were added to the list. */
      added?: number
      /** The assignees of a ticket before and after. */
      assigneeBefore?: string
      assigneeAfter?: string
      message?: string
    }

/** One of the four operations that a run sends. It stands on the page of its verb. */
export interface Operation<N extends BulkOperationName = BulkOperationName> {
  name: N
  words: {
    /** `Delete` */
    verb: string
    /** `deleting` */
    doing: string
    /** The first word of a run's name: `delete`. */
    run: string
    item: 'contact' | 'ticket'
    /** Stands before the other party, if it is not `to`. */
    preposition?: string
    /** The meaning of `done`. */
    done: string
  }
  /** The maximum number of ids per request. */
  most: number
  /** How many requests are in flight at once, without `--concurrency`. */
  concurrency: number
  /** The two columns in a table of pairs. */
  pairs?: readonly [string, string]
  /** The outcomes that `--accept` can count as done. */
  acceptable: readonly Outcome[]
  /** The change cannot be undone: svc asks on every profile, and refuses ids that are open in another run. */
  isIrreversible?: true
  /** A request whose answer was lost is never sent again. */
  isFinalIfLost?: true
  /** A refusal says nothing about the next request. */
  isRefusedAlone?: true
  /** A ticket is read before its request, and again after a lost answer. */
  isReadFirst?: true
  request: (batch: Batch) => { ids?: Record<string, string>; body: Record<string, unknown> }
  /** `data` has the form of the API description: the client has checked it. */
  senseOf(batch: Batch, data: OperationResult<N>): Sense
  /** Returns what a person has to know of a result beside its counts. */
  remarks?: (
    result: { outcomes: OutcomeCounts; errors: ErrorRow[] },
    state: State,
  ) => string[]
}

export interface Job {
  operation: Operation
  items: Items
  /** The list of an add, or the one new assignee of all tickets. Pairs have theirs in `items`. */
  target?: Party | undefined
  /** The assignee that a ticket must have to be changed. */
  ifAssignee?: Party | undefined
  /** Set in an undo: the run whose tickets are given back. */
  undoes?: string | undefined
  input: InputCounts
  source?: RecordedSource | undefined
  /** The `--once` name as it was typed. */
  once?: string | undefined
  accept: readonly Outcome[]
  concurrency?: number | undefined
  /** The file of `--receipts`. */
  receipts?: ReceiptsFile | undefined
}

/** Commands pass their context; the simulator has tools of its own. */
export interface RunTools {
  host: Host
  /** Throws exit 4 without credentials. */
  profile: () => Promise<Profile>
  api: () => Promise<Api>
  /** Returns the operation of a recorded run. */
  operation: (name: BulkOperationName) => Promise<Operation>
  /** Throws exit 2 if the profile does not allow the change. */
  permit: (change: { operation: BulkOperationName; ids: number }) => Promise<void>
  note: (message: string) => void
  warn: (message: string) => void
  questions: () => Promise<Pick<Questions, 'confirm'>>
  signals: {
    caught: Signal | undefined
    /** Aborted by the first signal. */
    cancelled: AbortSignal
    /** Lets work finish, even if a first signal comes. A second one aborts it. */
    shield: <T>(work: () => Promise<T>) => Promise<T>
    /** From now on, the first signal lets the output of the command finish. */
    protectOutput: () => void
  }
  messages: Pick<Messages, 'error' | 'withProfile' | 'redactor'>
  progress: (
    options: Pick<ProgressOptions, 'label' | 'total' | 'done'>,
  ) => Promise<Progress>
}

/** Returns why the counts of an answer do not add up to the ids that were sent; undefined if they do. */
export function findSumProblem(counts: Readonly<Record<string, number>>, sent: number) {
  const sum = Object.values(counts).reduce((total, count) => total + count, 0)
  if (sum === sent) return undefined
  const terms = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
  return `the answer does not add up: ${terms.join(' + ')} is ${sum}, but ${sent} were sent`
}
